"""What a user sees of a verdict in Python: progress without being asked, and pictures of the models asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import venire as vn
from tests.flows import CHEAP, NUMBERS, own, quickly
from tests.report.drawn import inline_values
from tests.validation.tables import classification, regression
from venire.errors import UsageError
from venire.flow import watching


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> vn.Verdict:
    return quickly(classification(90, classes=2), home=tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> vn.Verdict:
    return quickly(regression(80), models=NUMBERS, home=tmp_path_factory.mktemp("home"))


class Labels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Says which class has the nearest mean, and no more."""

    def fit(self, X: Any, y: Any) -> Labels:
        self.classes_ = np.unique(y)
        self.means_ = np.array([np.nanmean(X[y == each, 0]) for each in self.classes_])
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[np.abs(X[:, :1] - self.means_).argmin(axis=1)]


class Terminal:
    """A display that keeps what it was told."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def __enter__(self) -> Terminal:
        self.said.append("open")
        return self

    def __exit__(self, *_: object) -> None:
        self.said.append("closed")

    def note(self, text: str) -> None:
        self.said.append(text)

    def start(self, total: int) -> None:
        self.said.append(total)

    def advance(self, family: str, done: int, total: int, best: Any = None, *, left: float | None = None) -> None:
        self.said.append((family, done, total))


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    monkeypatch.setattr(watching, "Progress", lambda: shown)
    # Not `sys.stderr` itself, which pytest sets anew for every phase of a test.
    monkeypatch.setattr(watching, "sys", SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True)))
    return shown


def test_a_terminal_is_shown_progress_without_being_asked(terminal: Terminal) -> None:
    quickly(models=["baseline", "tree"])
    assert terminal.said[:3] == ["open", "reading the table", 20]
    assert ("tree", 20, 20) in terminal.said
    assert terminal.said[-1] == "closed"


def test_it_can_be_told_not_to(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    quickly(models=["baseline"], progress=False)
    assert terminal.said == []


def test_who_listens_to_the_steps_shows_them_itself(terminal: Terminal) -> None:
    steps: list[Any] = []
    quickly(models=["baseline"], tick=steps.append)
    assert terminal.said == []
    assert steps


def test_a_log_is_not_written_to(capfd: pytest.CaptureFixture[str]) -> None:
    quickly(models=["baseline"])
    assert capfd.readouterr() == ("", "")


def test_an_error_closes_the_display(terminal: Terminal) -> None:
    with pytest.raises(UsageError, match="there is no metric"):
        quickly(metric="none of these")
    assert terminal.said[-1] == "closed"


def test_curves_of_the_models_asked_for(verdict: vn.Verdict) -> None:
    drawn = inline_values(verdict.plot.roc("tree", "knn").chart, "fpr", "tpr")
    assert {row["family"].split()[0] for row in drawn} == {"tree", "knn"}
    assert {row["family"] for row in inline_values(verdict.plot.fold_errors("vote").chart, "fold")} == {"vote"}
    assert {row["family"] for row in inline_values(verdict.plot.errors("vote").chart, "error")} == {"vote"}
    for name in ("precision_recall", "cost_curve", "calibration"):
        assert "held-out rows in 4 folds" in getattr(verdict.plot, name)("naive_bayes").caption


def test_a_curve_asked_for_is_that_of_its_evidence(verdict: vn.Verdict) -> None:
    from sklearn.metrics import roc_auc_score

    held = verdict.evidence["knn"]
    folds = [held.folds == fold for fold in set(held.folds)]
    aucs = [roc_auc_score(held.actual[at], held.outputs[at, 1]) for at in folds]
    pairs = [np.prod(np.bincount(held.actual[at], minlength=2)) for at in folds]  # of two classes, in one fold
    assert dict(verdict.plot.roc("knn").numbers.rows)["knn"] == f"{np.average(aucs, weights=pairs):.3f}"


def test_the_dot_of_the_procedure_is_left_out_where_it_is_not_asked_for(verdict: vn.Verdict) -> None:
    assert "The dot shows" in verdict.plot.precision_recall().caption
    assert "The dot shows" not in verdict.plot.precision_recall("tree").caption


def test_the_decisions_of_one_model(verdict: vn.Verdict) -> None:
    shown = verdict.plot.confusion("tree")
    assert shown.title == "Confusion matrix of tree"
    cells = {(row["actual"], row["predicted"]): row["rows"] for row in inline_values(shown.chart, "actual", "rows")}
    wrong = sum(rows for (actual, predicted), rows in cells.items() if actual != predicted)
    assert wrong == verdict.evidence["tree"].wrong.sum()


def test_the_residuals_of_one_model(numbers: vn.Verdict) -> None:
    shown = numbers.plot.residuals("linear")
    assert shown.title == "Residuals against the prediction: linear"
    held = numbers.evidence["linear"]
    drawn = inline_values(shown.chart, "residual", "predicted")
    found = np.array([[row["predicted"], row["residual"]] for row in drawn])
    wanted = np.stack([held.predicted, held.actual - held.predicted], axis=1)
    # but for the power of ten of the axis
    assert np.allclose(found / found[:, :1], wanted / wanted[:, :1], rtol=1e-3, atol=1e-4)
    assert {"scatter", "residuals"} <= set(dir(numbers.plot))
    assert numbers.plot.scatter("tree").title == "Predicted against actual: tree"


def test_the_path_of_one_family(verdict: vn.Verdict) -> None:
    assert verdict.plot.paths("knn").name == "path_knn"
    assert verdict.plot.paths().name.startswith("path_")
    with pytest.raises(UsageError, match="there is no complexity curve of 'vote'"):
        verdict.plot.paths("vote")


def test_what_is_not_there_is_refused_with_a_list(verdict: vn.Verdict, numbers: vn.Verdict) -> None:
    with pytest.raises(UsageError, match="there is no model 'forest' on the leaderboard") as caught:
        verdict.plot.roc("forest")
    assert all(name in caught.value.hint for name in CHEAP)
    with pytest.raises(UsageError, match="there is no picture 'roc' of this verdict"):
        numbers.plot.roc("tree")
    with pytest.raises(UsageError, match="there is no picture 'residuals' of this verdict"):
        verdict.plot.residuals()
    with pytest.raises(AttributeError, match="there is no picture 'rock'; there are: accuracy_posterior, ") as missed:
        _ = verdict.plot.rock
    assert {"coefficients", "confusion", "roc"} <= set(str(missed.value).split("there are: ")[1].split(", "))


@pytest.mark.usefixtures("trusted")
def test_a_curve_of_labels_alone_is_refused(tmp_path: Any) -> None:
    found = quickly(models=["baseline", own(Labels())], home=tmp_path)
    with pytest.raises(UsageError, match="own gives labels alone, and a curve needs scores or probabilities"):
        found.plot.roc("own")
