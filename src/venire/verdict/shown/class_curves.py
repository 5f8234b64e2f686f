"""The data behind the curves of two classes: held-out rows of all folds together, of what is handed over and the best.

Probabilities are pooled as they are. Scores of the models of different folds have no common scale: there a row counts
by its rank within its fold, so that a threshold flags the same share of every fold. They make no calibration curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.metrics import (
    ConfusionMatrix,
    RocCurve,
    calibration_curve,
    cost_curve,
    metric,
    precision_recall_curve,
    roc_curve,
)
from venire.metrics.all_rows import all_rows
from venire.metrics.predictions import Output, Predictions
from venire.metrics.ranks import mean_ranks
from venire.validation.held_out import HeldOut
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.shown.class_confusion import class_of_interest
from venire.verdict.simplicity import BASELINE

_MOST_CURVES = 6
_MOST_POINTS = 300


def two_class_curves(judgement: Judgement, matrix: ConfusionMatrix, names: Sequence[str] = ()) -> dict[str, Any]:
    """ROC, precision-recall, cost and calibration curves; `matrix` has the decisions of the procedure.

    Of these `names`, or of the procedure, the choice and the best others.
    """
    positive = class_of_interest(judgement)
    witnesses = _asked(judgement, names) if names else _witnesses(judgement)
    share = float(matrix.actual[positive] / matrix.total)
    if not witnesses or not 0 < share < 1:  # in time order the folds that are judged may hold one class alone
        return {}
    drawn: dict[str, dict[str, Any]] = {"roc": {}, "precision_recall": {}, "cost_curve": {}, "calibration": {}}
    for name, held in witnesses.items():
        truth, pooled = held.actual == positive, held.output is Output.PROBABILITIES
        score = held.outputs[:, positive].astype(np.float64) if pooled else ranks(held, positive)
        ranked = roc_curve(truth, score)
        drawn["roc"][name] = _roc(ranked) | _auc(judgement, held) | {"pooled": pooled}
        drawn["precision_recall"][name] = _precision_recall(truth, score)
        drawn["cost_curve"][name] = _cost(ranked)
        if pooled:
            drawn["calibration"][name] = _calibration(truth, score)
    decided = {}
    if not names or PROCEDURE in names:
        decided = {"recall": plain(matrix.recall(positive)), "precision": plain(matrix.precision(positive))}
    return drawn | {
        "precision_recall": {"curves": drawn["precision_recall"], "share": share, "decided": decided},
        "cost_curve": {"curves": drawn["cost_curve"], "here": _here(judgement, share, positive)},
    }


def _witnesses(judgement: Judgement) -> dict[str, HeldOut]:
    """The procedure, the model handed over, then the others from the best down, if they give more than labels."""
    chosen = judgement.procedure.chosen.name
    ranked = [PROCEDURE, chosen, *(row.family for row in judgement.rows if row.family != BASELINE)]
    found: dict[str, HeldOut] = {}
    for name in dict.fromkeys(ranked):
        held = ranking(judgement, name)
        if held is not None:
            found[name] = held
        if len(found) == _MOST_CURVES:
            break
    return found


def _asked(judgement: Judgement, names: Sequence[str]) -> dict[str, HeldOut]:
    """These, each of which has to tell rows apart by more than a label."""
    found = {name: ranking(judgement, name) for name in dict.fromkeys(names)}
    unable = [name for name, held in found.items() if held is None]
    if unable:
        raise UsageError(
            f"{unable[0]} gives labels alone, and a curve needs scores or probabilities",
            code="no_picture",
            hint="ask for the curves of other models",
        )
    return {name: held for name, held in found.items() if held is not None}


def ranking(judgement: Judgement, name: str) -> HeldOut | None:
    """The held-out predictions of that name, if they tell rows apart by more than a label."""
    held = held_out(judgement, name)
    if held.output is Output.LABELS and _all_rank(judgement, name):
        held = replace(held, output=Output.SCORES)
    return held if held.output.serves(Output.SCORES) else None


def _all_rank(judgement: Judgement, name: str) -> bool:
    """Whether the models behind a name, one kind in some folds and another in others, all tell rows apart."""
    if name != PROCEDURE:
        return False
    picked = {candidate.name for candidate in judgement.procedure.picks.values()}
    return all(held_out(judgement, each).output.serves(Output.SCORES) for each in picked)


def ranks(held: HeldOut, positive: int) -> NDArray[np.float64]:
    """The share of a row's own fold that is scored below it, a tie counting half."""
    score = held.outputs.astype(np.float64)
    score = score[:, -1] - (score[:, 0] if score.shape[1] == 2 else 0.0)  # for class 1, of scores as of probabilities
    if positive == 0:
        score = -score
    found = np.empty(len(score))
    for fold in np.unique(held.folds):
        at = held.folds == fold
        found[at] = (mean_ranks(score[at]) - 0.5) / np.count_nonzero(at)
    return found


def _roc(curve: RocCurve) -> dict[str, Any]:
    few = curve.thinned(_MOST_POINTS)
    return {"fpr": plains(few.fpr), "tpr": plains(few.tpr)}


def _precision_recall(truth: NDArray[np.bool_], score: NDArray[np.float64]) -> dict[str, Any]:
    """The curve, and its own average precision: over folds with a handful of positive rows a mean would flatter."""
    curve = precision_recall_curve(truth, score)
    few = curve.thinned(_MOST_POINTS)
    return {
        "recall": plains(few.recall),
        "precision": plains(few.precision),
        "average_precision": curve.average_precision,
    }


def _cost(ranked: RocCurve) -> dict[str, Any]:
    curve = cost_curve(ranked)
    return {"probability_cost": plains(curve.probability_cost), "expected_cost": plains(curve.expected_cost)}


def _here(judgement: Judgement, share: float, positive: int) -> float | None:
    """The probability cost of these rows, at the costs given or at equal ones; None where a mistake costs nothing."""
    costs = np.asarray(judgement.docket.metric.costs or [[0.0, 1.0], [1.0, 0.0]])
    other = 1 - positive
    miss = share * (costs[positive, other] - costs[positive, positive])
    alarm = (1 - share) * (costs[other, positive] - costs[other, other])
    return float(miss / (miss + alarm)) if miss > 0 and alarm > 0 else None


def _calibration(truth: NDArray[np.bool_], score: NDArray[np.float64]) -> dict[str, Any]:
    steps = calibration_curve(truth, score)
    return {
        "predicted": plains(steps.predicted),
        "observed": plains(steps.observed),
        "count": [int(n) for n in steps.count],
    }


def _auc(judgement: Judgement, held: HeldOut) -> dict[str, float | int | None]:
    """The figure of the leaderboard, from pairs of rows within a fold: the drawn curve pools the folds, it does not."""
    target = judgement.docket.table.target
    assert target is not None
    measure = metric("auc", target.task, positive=target.positive)
    found = all_rows(measure, held.actual, Predictions(held.predicted, held.outputs, held.output), held.folds)
    folds = [held.actual[held.folds == fold] for fold in np.unique(held.folds)]
    return {
        "auc": plain(1.0 - found.value),
        "auc_folds": sum(len(np.unique(actual)) > 1 for actual in folds),  # a fold of one class has no pair
        "folds": len(folds),
    }


def plain(value: float) -> float | None:
    """A number as JSON has it: None where it is not defined."""
    return None if np.isnan(value) else float(value)


def plains(values: Any) -> list[float | None]:
    """Numbers as JSON has them."""
    return [plain(value) for value in np.asarray(values, dtype=np.float64)]
