"""The data behind the pictures: plain lists, computed from the same evidence as the leaderboard."""

from __future__ import annotations

from typing import Any

import numpy as np

from venire.data.table import Task
from venire.metrics import calibration_curve, confusion_matrix, metric, roc_curve
from venire.metrics.predictions import Output, Predictions
from venire.verdict.candidates import places
from venire.verdict.heldout import HeldOut, held_out
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.ledger import mean_defined

_MOST_CURVES = 6
_MOST_POINTS = 300
_MOST_DOTS = 2000


def pictures(judgement: Judgement) -> dict[str, Any]:
    """Everything the report can draw of this judgement."""
    docket = judgement.docket
    target = docket.table.target
    assert target is not None
    drawn: dict[str, Any] = {
        "block_errors": {PROCEDURE: _plain(judgement.procedure.losses)}
        | {c.name: _plain(c.losses) for c in judgement.candidates},
        "paths": _paths(judgement),
        "selection": {"per_block": [c.name for c in judgement.procedure.picks.values()]},
    }
    overall = held_out(judgement, PROCEDURE)
    if target.task is Task.REGRESSION:
        return drawn | {"scatter": _scatter(overall)}
    counts = confusion_matrix(overall.actual, overall.predicted, target.labels).counts
    drawn["confusion"] = {"labels": list(target.labels), "counts": np.asarray(counts).astype(int).tolist()}
    if len(target.classes) == 2:
        positive = target.positive if target.positive is not None else 1
        drawn |= _two_class_curves(judgement, positive)
    return drawn


def _paths(judgement: Judgement) -> dict[str, Any]:
    """Training and one-layer error along every family's path, on the blocks the leaderboard judges by."""
    docket = judgement.docket
    judged = tuple(docket.plan.outer(*place) for place in places(docket))
    found = {}
    for name, ledger in judgement.ledgers.items():
        if len(ledger.settings) < 2:
            continue
        training = mean_defined(np.stack([ledger.training[held.trial] for held in judged]))
        found[name] = {
            "settings": [setting.label.split(" = ")[-1] for setting in ledger.settings],
            "label": ledger.settings[0].label.split(" = ")[0] if " = " in ledger.settings[0].label else "setting",
            "training": _plain(training),
            "held_out": _plain(ledger.mean(judged)),
            "chosen": judgement.candidate(name).final_setting,
        }
    return found


def _two_class_curves(judgement: Judgement, positive: int) -> dict[str, Any]:
    roc, calibration = {}, {}
    names = [row.family for row in judgement.rows if row.family != "baseline"]
    for name in names[:_MOST_CURVES]:
        held = held_out(judgement, name)
        if held.output is not Output.PROBABILITIES:
            continue  # scores of different models have no common scale to be pooled on
        score = held.outputs[:, positive].astype(np.float64)
        truth = held.actual == positive
        curve = roc_curve(truth, score).thinned(_MOST_POINTS)
        roc[name] = {"fpr": _plain(curve.fpr), "tpr": _plain(curve.tpr), "auc": _mean_auc(judgement, held)}
        steps = calibration_curve(truth, score)
        calibration[name] = {
            "predicted": _plain(steps.predicted),
            "observed": _plain(steps.observed),
            "count": [int(n) for n in steps.count],
        }
    return {"roc": roc, "calibration": calibration}


def _mean_auc(judgement: Judgement, held: HeldOut) -> float | None:
    """The mean over blocks, as on the leaderboard: the drawn curve pools the blocks, this figure does not."""
    target = judgement.docket.table.target
    assert target is not None
    measure = metric("auc", target.task, positive=target.positive)
    losses = [
        measure.loss(held.actual[at], Predictions(held.predicted[at], held.outputs[at], held.output))
        for block in np.unique(held.blocks)
        for at in [held.blocks == block]
    ]
    mean = float(mean_defined(np.array(losses)))
    return None if np.isnan(mean) else 1.0 - mean


def _scatter(held: HeldOut) -> dict[str, Any]:
    """Actual against predicted, evenly thinned."""
    every = max(1, -(-len(held.rows) // _MOST_DOTS))
    return {"actual": _plain(held.actual[::every]), "predicted": _plain(held.predicted[::every])}


def _plain(values: Any) -> list[float | None]:
    return [None if np.isnan(v) else float(v) for v in np.asarray(values, dtype=np.float64)]
