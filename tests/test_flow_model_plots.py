"""Every picture there is to look at, in all three ways: from a verdict in Python, as a file, and in its report."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import venire as vn
from tests.flows import quickly
from tests.report.devtools import browser
from tests.validation.tables import classification, regression
from venire.cli.plots import asked_plot, plot_of
from venire.errors import UsageError
from venire.report.charts.figure import Figure

# What is there to be looked at, and the name it is asked for by. `~` stands for the columns of the table.
OF_CLASSES = {
    "a tree as a picture": "tree",
    "the history of gradient ascent": "ascent_history",
    "each member's boundary, and the average": "member_boundaries:~,~",
    "a boundary in two columns, in and out of bag": "boundary:~,~",
    "importances of columns": "importance",
    "the forest against q and T, the correlation of its trees": "forest_curves",
    "boosting round by round": "boosting_rounds:~,~",
    "α and the weight multipliers": "boosting_alpha",
    "votes of one against one": "one_vs_one_votes:tree",
    "what a threshold costs": "threshold_cost",
    "the confusion matrix": "confusion",
    "ROC": "roc",
    "precision and recall": "precision_recall",
    "the cost curve": "cost_curve",
    "calibration": "calibration",
    "training error beside test error": "errors",
    "the error of every fold": "fold_errors",
    "which family each fold chose": "selection",
    "error against complexity": "paths:tree",
    "forward and backward selection": "selection_path:forward",
    "the difference of two models": "difference:tree,logistic",
    "every pair of models": "pairwise",
    "diversity of members": "kappa_error:forest",
    "diversity of models": "kappa_error",
    "the posterior of an accuracy": "accuracy_posterior",
    "coefficients": "coefficients:logistic",
    "dependence on a column": "dependence:~",
    "Shapley values": "shapley",
    "the learning curve": "learning_curve:tree",
}
OF_NUMBERS = {
    "stagewise fits of residuals": "residual_stages:~",
    "bias and variance": "bias_and_variance:~,tree",
    "predicted against actual": "scatter",
    "residuals": "residuals",
}


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> vn.Verdict:
    models = ["baseline", "tree", "logistic", "forest", "adaboost"]
    return quickly(classification(90, classes=2), models=models, folds=3, home=tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> vn.Verdict:
    models = ["baseline", "tree", "linear"]
    return quickly(regression(80), models=models, folds=3, home=tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def drawn(verdict: vn.Verdict) -> Callable[[str], Figure]:
    """A picture by its name, drawn once."""
    return cache(lambda name: plot_of(verdict, asked_plot(_named(verdict, name))))


def _named(verdict: vn.Verdict, name: str) -> str:
    columns = iter(each.name for each in verdict.table.columns if not each.categories)
    return "".join(next(columns) if sign == "~" else sign for sign in name)


@pytest.mark.parametrize("name", OF_CLASSES.values())
def test_a_picture_of_classes_is_saved_by_its_name(drawn: Callable[[str], Figure], name: str, tmp_path: Path) -> None:
    saved = drawn(name).save(tmp_path / "one.svg")
    assert saved.read_bytes().startswith(b"<svg")


@pytest.mark.parametrize("name", OF_NUMBERS.values())
def test_a_picture_of_numbers_is_saved_by_its_name(numbers: vn.Verdict, name: str, tmp_path: Path) -> None:
    saved = plot_of(numbers, asked_plot(_named(numbers, name))).save(tmp_path / "one.svg")
    assert saved.read_bytes().startswith(b"<svg")


def test_no_picture_is_left_out_of_the_list(verdict: vn.Verdict, numbers: vn.Verdict) -> None:
    listed = {name.partition(":")[0] for name in [*OF_CLASSES.values(), *OF_NUMBERS.values()]}
    assert listed == {*dir(verdict.plot), *dir(numbers.plot)}


def test_the_report_draws_every_one_of_them(
    verdict: vn.Verdict, drawn: Callable[[str], Figure], tmp_path: Path
) -> None:
    plots = [drawn(name) for name in OF_CLASSES.values()]
    page = verdict.report(tmp_path / "page.html", explanations=False, plots=plots)
    assert page.stat().st_size < 2_000_000
    with browser(tmp_path) as tab:
        tab.open(page)
        there = "[...document.querySelectorAll('#asked [data-chart]')].filter(one => one.querySelector('svg')).length"
        assert tab.ask(there) == len(plots)
        assert tab.logged == []


def test_a_boundary_gives_the_error_in_and_out_of_bag(verdict: vn.Verdict) -> None:
    across, up = _named(verdict, "~|~").split("|")
    figure = verdict.plot.boundary(across, up, model="tree")
    assert figure.numbers is not None
    assert figure.numbers.head == ("", "error in bag", "error out of bag")
    assert "Rings: the 30 rows it was not trained on" in figure.caption


def test_what_a_picture_cannot_be_drawn_of_is_said(verdict: vn.Verdict, numbers: vn.Verdict) -> None:
    with pytest.raises(UsageError, match="this picture is of numbers, and this target is a class"):
        verdict.plot.residual_stages("near")
    with pytest.raises(UsageError, match="an accuracy is of classes, and this target is a number"):
        numbers.plot.accuracy_posterior()
    with pytest.raises(UsageError, match="there is no model 'bagging' on the leaderboard"):
        verdict.plot.member_boundaries("near", "far", "bagging")
    with pytest.raises(UsageError, match="this ascent is of two classes"):
        numbers.plot.ascent_history()
