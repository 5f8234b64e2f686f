"""The curves of two classes, against scikit-learn and plain loops over the held-out rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as oracle
from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification, plain
from tests.verdict.cases import BASELINE, BAYES, RIDGE, TREE, judged
from venire.metrics.predictions import Output
from venire.validation.trials.generic import GenericFamily
from venire.verdict.every_metric import scored
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement
from venire.verdict.pictures import pictures

COSTS = [[0.0, 1.0], [10.0, 0.0]]


@pytest.fixture(scope="module")
def judgement(tmp_path_factory: pytest.TempPathFactory) -> Judgement:
    table = classification(80, classes=2)
    assert table.target is not None
    table = replace(table, target=replace(table.target, positive=0))
    return judged(tmp_path_factory.mktemp("c"), table, [BASELINE, BAYES, TREE, RIDGE], ("vote",), folds=4)


@pytest.fixture(scope="module")
def drawn(judgement: Judgement) -> dict[str, Any]:
    found = pictures(judgement)
    json.dumps(found, allow_nan=False)
    return found


def witness(judgement: Judgement, name: str) -> tuple[Any, Any]:
    """Whether each held-out row is of class 0, the positive one, and its predicted probability.

    Where there are scores, the share of its fold's rows that score lower, one by one; ties count half.
    """
    held = held_out(judgement, name)
    said = held.outputs.astype(float)
    if held.output is Output.PROBABILITIES:
        return held.actual == 0, said[:, 0]
    score = -said[:, 0] if said.shape[1] == 1 else said[:, 0] - said[:, 1]
    ranks = []
    for own, fold in zip(score, held.folds, strict=True):
        rivals = score[held.folds == fold]
        ranks.append(np.mean(rivals < own) + np.mean(rivals == own) / 2)
    return held.actual == 0, np.array(ranks)


def test_every_curve_has_the_same_families(drawn: dict[str, Any]) -> None:
    families = set(drawn["roc"])
    assert {"bayes", "cart", "ridge", "vote"} <= families
    assert "baseline" not in families
    for curves in (drawn["precision_recall"]["curves"], drawn["cost_curve"]["curves"]):
        assert set(curves) == families
    assert set(drawn["calibration"]) == {name for name, curve in drawn["roc"].items() if curve["pooled"]}
    assert "ridge" not in drawn["calibration"]


def test_the_auc_beside_a_curve_is_that_of_the_leaderboard(judgement: Judgement, drawn: dict[str, Any]) -> None:
    board = scored(judgement, ["auc"])["auc"]
    assert {name: curve["auc"] for name, curve in drawn["roc"].items()} == {
        name: pytest.approx(board[name].value) for name in drawn["roc"]
    }
    assert all(curve["auc_folds"] == curve["folds"] == 4 for curve in drawn["roc"].values())


def test_precision_and_recall_are_those_of_scikit_learn(judgement: Judgement, drawn: dict[str, Any]) -> None:
    for name, curve in drawn["precision_recall"]["curves"].items():
        truth, score = witness(judgement, name)
        precision, recall, _ = oracle.precision_recall_curve(truth, score)
        np.testing.assert_allclose(curve["recall"], recall[::-1])
        np.testing.assert_allclose(curve["precision"], precision[::-1])
        assert curve["average_precision"] == pytest.approx(oracle.average_precision_score(truth, score))


def test_the_decisions_are_those_of_the_procedure(judgement: Judgement, drawn: dict[str, Any]) -> None:
    held = held_out(judgement, "procedure")
    decided = drawn["precision_recall"]["decided"]
    assert decided["recall"] == pytest.approx(oracle.recall_score(held.actual, held.predicted, pos_label=0))
    assert decided["precision"] == pytest.approx(oracle.precision_score(held.actual, held.predicted, pos_label=0))
    assert drawn["precision_recall"]["share"] == pytest.approx(np.mean(held.actual == 0))


def cheapest(truth: Any, score: Any, x: float) -> float:
    """The least normalised expected cost over every threshold there is, one after the other."""
    costs = []
    for threshold in [np.inf, *score]:
        flagged = score >= threshold
        costs.append(x * np.mean(~flagged[truth]) + (1 - x) * np.mean(flagged[~truth]))
    return float(min(costs))


def test_a_cost_curve_is_the_cheapest_threshold_everywhere(judgement: Judgement, drawn: dict[str, Any]) -> None:
    for name, curve in drawn["cost_curve"]["curves"].items():
        truth, score = witness(judgement, name)
        wanted = [cheapest(truth, score, x) for x in curve["probability_cost"]]
        np.testing.assert_allclose(curve["expected_cost"], wanted, atol=1e-12)


def test_at_equal_costs_the_place_is_the_share_and_the_cost_an_error_rate(
    judgement: Judgement, drawn: dict[str, Any]
) -> None:
    truth, score = witness(judgement, "bayes")
    here = drawn["cost_curve"]["here"]
    assert here == pytest.approx(truth.mean())
    errors = [np.mean((score >= threshold) != truth) for threshold in [np.inf, *score]]
    assert cheapest(truth, score, here) == pytest.approx(min(errors))


def test_given_costs_say_where_the_table_stands(tmp_path: Path) -> None:
    table = classification(80, classes=2)
    judgement = judged(tmp_path, table, [BASELINE, BAYES], folds=4, measure="cost", costs=COSTS)
    share = np.mean(table.y == 1)
    here = pictures(judgement)["cost_curve"]["here"]
    assert here == pytest.approx(10 * share / (10 * share + 1 * (1 - share)))
    free = [[0.0, 0.0], [10.0, 0.0]]  # a false alarm costs nothing, so there is nothing to weigh
    judgement = judged(tmp_path, table, [BASELINE, BAYES], folds=4, measure="cost", costs=free)
    assert pictures(judgement)["cost_curve"]["here"] is None


def test_scores_are_ranked_fold_by_fold_and_make_no_calibration_curve(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(60, classes=2), [RIDGE], folds=4)
    drawn = pictures(judgement)
    assert set(drawn["roc"]) == {"procedure", "ridge"}
    assert not drawn["calibration"]
    held = held_out(judgement, "ridge")
    score = held.outputs[:, -1].astype(float)
    parts = [held.folds == fold for fold in range(4)]
    folds = [oracle.roc_auc_score(held.actual[at], score[at]) for at in parts]
    pairs = [held.actual[at].sum() * (1 - held.actual[at]).sum() for at in parts]
    assert drawn["roc"]["ridge"]["auc"] == pytest.approx(np.average(folds, weights=pairs))
    area = np.trapezoid(drawn["roc"]["ridge"]["tpr"], drawn["roc"]["ridge"]["fpr"])
    assert area == pytest.approx(np.mean(folds), abs=0.05), "the curve is about that of the folds"


def test_the_model_handed_over_is_among_the_curves_however_it_ranks(tmp_path: Path) -> None:
    """Seven rivals come before it on the leaderboard, and six curves are drawn."""
    rivals = [
        GenericFamily(f"bayes_{at}", classifier=GaussianNB(var_smoothing=10.0**-at), encoding="one_hot")
        for at in range(7)
    ]  # fmt: skip
    judgement = judged(tmp_path, classification(80, classes=2), [BASELINE, *rivals, TREE], folds=4)
    chosen = judgement.candidate("cart")
    rows = sorted(judgement.rows, key=lambda row: (row.family == "cart", row.kind != "procedure"))
    handed = replace(judgement, rows=tuple(rows), procedure=replace(judgement.procedure, chosen=chosen))
    drawn = pictures(handed)
    assert list(drawn["roc"])[:2] == ["procedure", "cart"]
    assert len(drawn["roc"]) == 6
    assert "cart" in drawn["calibration"]


def test_a_procedure_of_scores_and_probabilities_has_its_curve(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(80, classes=2), [BASELINE, BAYES, RIDGE], folds=4)
    picks = {
        place: judgement.candidate(("bayes", "ridge")[at % 2]) for at, place in enumerate(judgement.procedure.picks)
    }
    mixed = replace(judgement, procedure=replace(judgement.procedure, picks=picks))
    curve = pictures(mixed)["roc"]["procedure"]
    assert not curve["pooled"]
    held = {name: held_out(judgement, name) for name in ("bayes", "ridge")}
    areas, pairs = [], []
    for (_, fold), picked in picks.items():
        own = held[picked.name]
        at = own.folds == fold
        areas.append(oracle.roc_auc_score(own.actual[at], own.outputs[at, -1].astype(float)))
        pairs.append(own.actual[at].sum() * (1 - own.actual[at]).sum())
    assert curve["auc"] == pytest.approx(np.average(areas, weights=pairs))


def test_many_classes_have_a_matrix_and_no_curves(tmp_path: Path) -> None:
    drawn = pictures(judged(tmp_path, classification(60), [BASELINE, BAYES], folds=4))
    assert not {"roc", "precision_recall", "cost_curve", "calibration"} & set(drawn)
    assert np.shape(drawn["confusion"]["counts"]) == (3, 3)


def test_in_time_order_the_judged_rows_may_be_of_one_class(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.r_[rng.permutation(np.r_[np.zeros(10), np.ones(10)]), np.zeros(30)]
    table = plain(rng.normal(size=(50, 2)), y, classes=2, time=np.arange(50.0))
    drawn = pictures(judged(tmp_path, table, [BASELINE, BAYES], folds=5))
    assert not {"roc", "precision_recall", "cost_curve", "calibration"} & set(drawn)
