"""A validation says the figure and the interval of the leaderboard, whatever the metric and however rows are split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import f1_score, root_mean_squared_error
from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification, plain, regression
from tests.verdict.cases import BAYES, RIDGE, judged
from venire.data.table import Table
from venire.families.paths import one_by_one
from venire.inference import accuracy_interval
from venire.metrics.all_rows import all_rows
from venire.validation import complexity_curve, holdout, learning_curve, one_layer, two_layer
from venire.validation.outer_rows import outer_rows
from venire.validation.trials.generic import GenericFamily

CLASS_METRICS = ("error", "balanced_error", "auc", "f1")  # others are calibrated before they stand on a leaderboard
NUMBER_METRICS = ("rmse", "mae", "r2")


def _table(kind: str, numbers: bool) -> Table:
    kept: dict[str, Any] = {}
    if kind == "groups":
        kept["groups"] = np.arange(120, dtype=np.int32) // 4
    if kind == "time":
        kept["time"] = np.arange(120.0)
    if numbers:
        rng = np.random.default_rng(8)
        X = rng.normal(size=(120, 3))
        return plain(X, X[:, 0] + rng.standard_t(3, 120), **kept)
    return classification(120, seed=6, classes=2, **kept)


@pytest.mark.parametrize("kind", ["rows", "groups", "time", "repeats", "three folds"])
@pytest.mark.parametrize("measure", [*CLASS_METRICS, *NUMBER_METRICS])
def test_two_layers_say_what_the_leaderboard_says(tmp_path: Path, measure: str, kind: str) -> None:
    numbers = measure in NUMBER_METRICS
    table, family = _table(kind, numbers), RIDGE if numbers else BAYES
    split = {"folds": 3 if kind == "three folds" else 6, "repeats": 2 if kind == "repeats" else 1}
    row = judged(tmp_path, table, [family], measure=measure, **split).rows[1]
    found = two_layer(family, table, metric=measure, **split)
    assert row.family == family.name
    assert (found.error, found.interval) == (row.error, row.interval)
    assert found.training_error == row.training_error
    assert found.one_layer.error == pytest.approx(row.one_layer_error)


def test_settings_are_chosen_as_on_the_leaderboard(tmp_path: Path) -> None:
    """Of an RMSE by squares: on this table the mean of the folds' roots would take another setting."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    table = plain(X, X[:, 0] + rng.standard_t(4, 80))
    ridge = GenericFamily("ridge", regressor=Ridge(), path=one_by_one("alpha", [30.0, 10.0, 5.0, 2.0, 1.0], "λ"))
    row = judged(tmp_path, table, [ridge], measure="rmse", folds=10).rows[1]
    found = two_layer(ridge, table, metric="rmse", folds=10)
    assert (found.setting, found.error, found.interval) == (row.setting, row.error, row.interval)
    assert found.one_layer.averaging.choose(found.one_layer.losses, "best") == found.one_layer.chosen
    assert int(found.one_layer.losses.mean(axis=0).argmin()) != found.one_layer.chosen


@pytest.mark.parametrize("measure", ["log_loss", "brier"])
def test_losses_of_probabilities_go_by_rows_too(measure: str) -> None:
    found = two_layer(GaussianNB(), classification(120, seed=6), folds=5, metric=measure)
    assert found.interval.low < found.error < found.interval.high
    assert found.error == pytest.approx(found.losses.mean())


def test_figures_are_those_of_all_rows() -> None:
    """Against scikit-learn's figures of all held-out predictions together, which no mean of folds is."""
    table = _table("rows", numbers=True)
    numbers = two_layer(LinearRegression(), table, folds=10, metric="rmse")
    said = numbers.held_out
    assert numbers.error == pytest.approx(root_mean_squared_error(said.actual, said.predicted), rel=1e-6)
    assert numbers.error != pytest.approx(numbers.losses.mean(), rel=1e-4)
    classes = one_layer(GaussianNB(), _table("rows", numbers=False), folds=10, metric="f1")
    said = classes.held_out()
    assert classes.error == pytest.approx(1 - f1_score(said.actual, said.predicted, pos_label=1))


def test_one_setting_has_the_same_figure_in_one_layer_and_two() -> None:
    table = _table("rows", numbers=False)
    for measure in CLASS_METRICS:
        one = one_layer(GaussianNB(), table, folds=6, metric=measure)
        two = two_layer(GaussianNB(), table, folds=6, metric=measure)
        assert one.error == pytest.approx(two.error), "nothing is chosen"
        # One layer fits no models without two folds, so the usual correction stands for what they show.
        assert one.interval.defined
        assert two.one_layer.interval == two.interval


def test_every_setting_of_a_curve_has_the_figure_it_would_have_alone() -> None:
    table = _table("rows", numbers=True)
    curve = complexity_curve(RIDGE, table, folds=6, metric="rmse")
    for s in range(len(curve.settings)):
        said = curve.one_layer.held_out(s)
        assert curve.errors[s] == pytest.approx(root_mean_squared_error(said.actual, said.predicted), rel=1e-6)
        assert curve.intervals[s].low < curve.errors[s] < curve.intervals[s].high
    assert curve.errors[curve.best] == curve.one_layer.error


def test_a_learning_curve_ends_at_the_figure_of_all_rows() -> None:
    table = _table("rows", numbers=True)
    curve = learning_curve(LinearRegression(), table, folds=6, sizes=[40, 100], metric="rmse")
    whole = one_layer(LinearRegression(), table, folds=6, metric="rmse")
    assert curve.errors[-1] == pytest.approx(whole.error, rel=1e-6)
    assert curve.intervals[-1].low == pytest.approx(whole.interval.low, rel=1e-6)


def test_repeats_do_not_narrow_an_interval_below_what_one_table_allows() -> None:
    for measure, table, model in (
        ("rmse", _table("rows", numbers=True), LinearRegression()),
        ("auc", _table("rows", numbers=False), LogisticRegression()),
    ):
        once, often = (
            two_layer(model, table, folds=5, repeats=repeats, metric=measure).interval.width for repeats in (1, 8)
        )
        assert often > 0.85 * once


def test_one_part_held_back_tests_one_model() -> None:
    found = holdout(GaussianNB(), classification(120, seed=6))
    wrong = found.held_out.wrong
    right = accuracy_interval(int((~wrong).sum()), len(wrong))
    assert found.interval.low == pytest.approx(1 - right.high)
    assert found.interval.high == pytest.approx(1 - right.low)
    numbers = holdout(LinearRegression(), regression(120, 0), metric="mae")
    assert numbers.interval.low < numbers.error < numbers.interval.high, "by its rows, where folds say nothing"


def test_one_group_says_nothing_of_others() -> None:
    table = classification(90, groups=np.repeat([0, 1, 2, 3], [20, 20, 20, 30]).astype(np.int32))
    parts = [(np.flatnonzero(table.groups != 3), np.flatnonzero(table.groups == 3))]
    for measure in ("error", "brier"):
        found = one_layer(GaussianNB(), table, split=parts, metric=measure)
        assert not found.interval.defined
        assert "cannot show how much groups differ" in found.warnings[-1]


def test_sub_sampling_counts_a_row_once_however_often_it_is_tested() -> None:
    table = classification(90, seed=3)
    found = holdout(GaussianNB(), table, repeats=12)
    rows = found.judged.rows
    assert rows.folds == 3
    assert len(rows.rows) == 12 * 30
    plain_rows = accuracy_interval(round(90 * (1 - found.error)), 90)
    assert found.interval.width > plain_rows.width, "training parts overlap"


def test_the_interval_of_sub_sampling_holds_the_expected_error() -> None:
    """Simulation: of 60 tables of two clouds nearly all intervals hold the mean of the errors on fresh rows."""
    model = GaussianNB()
    truth, intervals = [], []
    for seed in range(60):
        rng = np.random.default_rng([77, seed])
        y = (rng.random(60) < 0.5).astype(np.int32)
        X = rng.normal(size=(60, 2))
        X[:, 0] += 2 * y
        found = holdout(model, plain(X, y, classes=2), repeats=6, seed=seed)
        intervals.append(found.interval)
        part = rng.permutation(60)[:40]
        fresh = rng.random(2000) < 0.5
        told = model.fit(X[part], y[part]).predict(rng.normal(size=(2000, 2)) + np.column_stack([2 * fresh, 0 * fresh]))
        truth.append(float(np.mean(told != fresh)))
    expected = float(np.mean(truth))
    assert expected == pytest.approx(stats.norm.sf(1), abs=0.03), "the best there is, and a little more"
    held = sum(one.low <= expected <= one.high for one in intervals)
    assert held >= 54


def test_the_rows_of_some_folds(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(60, classes=2), [BAYES], folds=5)
    docket = judgement.docket
    some = outer_rows(docket, docket.plan.places[1:3])
    assert some.folds == 2
    assert sorted(some.rows) == sorted(docket.plan.rows(0, (1, 2)))

    def say(_: object, held: Any) -> Any:
        return docket.predicted("bayes", held, 0)

    assert some.without_two(say) is None, "only where all folds are judged"
    found = some.figure(some.said(say), None)
    assert found.value == all_rows(docket.metric, docket.table.y[some.rows], some.said(say), some.fold_of).value
