"""The document: what is read off the held-out decisions, against scikit-learn, and how they are made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as oracle

from tests.flows import quickly
from tests.validation.tables import classification, plain, regression
from tests.verdict.cases import BAYES, RIDGE, judged
from venire.combine.finish import Finish
from venire.metrics.predictions import Output, Predictions
from venire.report.document.verdict import summarise
from venire.report.sentences.evidence import decision_words, more_rows_words
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.runner import Ran

OUTPUTS = {
    "probability": (BAYES, Output.PROBABILITIES, lambda p: np.column_stack([1 - p, p])),
    "score": (RIDGE, Output.SCORES, lambda p: (p - 0.5)[:, None]),
}


def at_a_threshold(home: Path, family: GenericFamily, positive: int, threshold: float) -> dict[str, Any]:
    """The document of one family that decides by this threshold for class 1."""
    table = classification(60, classes=2)
    assert table.target is not None
    table = replace(table, target=replace(table.target, positive=positive))
    case = judged(home, table, [family], measure="cost", costs=[[0, 1], [5, 0]], folds=3)
    one = replace(case.candidates[0], finish=Finish(threshold=threshold))
    case = replace(case, candidates=(one,), procedure=replace(case.procedure, chosen=one))
    ran = Ran(complete=(one.name,), failed={}, not_tried={}, seconds={}, reused=0, trials=6, stopped=None)
    return summarise(case, ran)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("kind", OUTPUTS)
def test_the_threshold_is_that_of_the_positive_class(tmp_path: Path, kind: str, positive: int) -> None:
    family, output, written = OUTPUTS[kind]
    limit = 0.785 if kind == "probability" else 0.285
    document = at_a_threshold(tmp_path, family, positive, limit)
    chosen = document["chosen"]
    assert (chosen["threshold_class"], chosen["threshold_of"]) == (f"class {positive}", kind)
    p = np.random.default_rng(0).random(200)
    decided = Finish(threshold=limit)(Predictions(None, written(p), output)).labels
    for_positive = written(p)[:, -1] if positive else (1 - p if kind == "probability" else 0.5 - p)
    np.testing.assert_array_equal(for_positive > chosen["threshold"], decided == positive)
    assert decision_words(document) == (
        f"it predicts class {positive} from a {kind} threshold of {chosen['threshold']:.3g} on"
    )


def test_a_threshold_that_nothing_reaches_is_none(tmp_path: Path) -> None:
    chosen = at_a_threshold(tmp_path, BAYES, 1, np.inf)["chosen"]
    assert (chosen["decision"], chosen["threshold"]) == ("one class", None)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_figures_of_the_confusion_matrix(tmp_path: Path, classes: int) -> None:
    verdict = quickly(classification(90, classes=classes), home=tmp_path)
    found, held = verdict.to_dict()["confusion"], verdict.evidence["procedure"]
    truth, said = held.actual, held.predicted
    assert found["family"] == "procedure"
    assert found["rows"] == 90
    assert found["counts"] == oracle.confusion_matrix(truth, said).tolist() == verdict.pictures["confusion"]["counts"]
    assert found["labels"] == [f"class {code}" for code in range(classes)]
    assert found["accuracy"] == pytest.approx(oracle.accuracy_score(truth, said))
    assert found["error"] == pytest.approx(np.mean(truth != said))
    assert found["balanced_accuracy"] == pytest.approx(oracle.balanced_accuracy_score(truth, said))
    for code, each in enumerate(found["classes"]):
        assert (each["label"], each["rows"]) == (f"class {code}", np.sum(truth == code))
        assert each["predicted"] == np.sum(said == code)
        assert each["specificity"] == pytest.approx(oracle.recall_score(truth != code, said != code))
    for name, beta in (("f_half", 0.5), ("f1", 1.0), ("f2", 2.0)):
        precision, recall, f, _ = oracle.precision_recall_fscore_support(truth, said, beta=beta)
        assert [each["precision"] for each in found["classes"]] == pytest.approx(precision.tolist())
        assert [each["sensitivity"] for each in found["classes"]] == pytest.approx(recall.tolist())
        assert [each[name] for each in found["classes"]] == pytest.approx(f.tolist())


def measured_on(table: Any, home: Path, **how: Any) -> str:
    return str(
        quickly(table, home=home, models=["baseline", "naive_bayes"], **how).to_dict()["confusion"]["measured_on"]
    )


def test_the_matrix_names_the_rows_it_pools(tmp_path: Path) -> None:
    held = "60 rows in 4 folds, each predicted by models trained without its fold"
    assert measured_on(classification(60), tmp_path / "once") == held
    assert measured_on(classification(60), tmp_path / "twice", repeats=2) == f"{held}, in the first of 2 splits"
    ordered = measured_on(classification(60, time=np.arange(60.0)), tmp_path / "ordered")
    assert ordered == "30 rows in the last 2 of 4 folds in time order, predicted by models trained on the folds before"


def test_a_class_that_is_never_said_has_no_precision(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = plain(rng.normal(size=(60, 2)), np.r_[np.zeros(45), np.ones(15)], classes=2)
    found = quickly(table, home=tmp_path, models=["baseline"]).to_dict()["confusion"]
    never = found["classes"][1]
    assert (never["sensitivity"], never["specificity"], never["precision"], never["f1"]) == (0.0, 1.0, None, 0.0)
    assert found["balanced_accuracy"] == 0.5


def test_numbers_have_no_confusion_matrix(tmp_path: Path) -> None:
    verdict = quickly(regression(60), home=tmp_path, models=["baseline", "linear"])
    assert verdict.to_dict()["confusion"] is None


def test_the_curves_are_pictures_like_the_others(tmp_path: Path) -> None:
    verdict = quickly(home=tmp_path)
    assert {"roc", "precision_recall", "cost_curve", "calibration"} <= set(dir(verdict.plot))
    for chart in (verdict.plot.precision_recall(), verdict.plot.cost_curve()):
        chart.save(str(tmp_path / "curve.svg"))
        assert "procedure" in (tmp_path / "curve.svg").read_text(encoding="utf-8")


def more_rows(table: Any, home: Path, **how: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    document = quickly(table, home=home, **how).to_dict()
    return document, document["more_rows"]


def test_what_more_rows_bring_starts_at_the_error_of_the_verdict_and_adds_up(tmp_path: Path) -> None:
    document, found = more_rows(regression(90), tmp_path, models=["baseline", "linear", "tree"])
    assert found["error"] == document["chosen"]["error"] == document["leaderboard"][0]["error"]
    assert found["most"] == pytest.approx(found["error"] / 2)
    assert found["judged"]
    assert found["twice"] == pytest.approx(found["error"] - found["gain"])
    low, high = found["gain_interval"]
    assert 0 <= low <= found["gain"] <= high <= found["most"]


def test_fourteen_rows_do_not_tell_whether_more_would_help(tmp_path: Path) -> None:
    document, found = more_rows(classification(14, classes=2, noise=3.0), tmp_path)
    assert found["judged"] is False
    assert [found[key] for key in ("gain", "gain_interval", "twice", "p_helps")] == [None] * 4
    assert more_rows_words(document).startswith("The folds leave open whether more rows would help: twice the rows")


def test_no_number_of_rows_makes_a_cost_negative(tmp_path: Path) -> None:
    document, found = more_rows(classification(60, classes=2), tmp_path, costs="1:20")
    assert found["error"] == document["chosen"]["error"]
    assert found["most"] == pytest.approx(found["error"] / 2), (
        "a mistake costs something, and nothing costs less than 0"
    )
