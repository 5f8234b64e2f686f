"""Every threshold that the procedure could decide by, on held-out rows of two classes: what is found, what is flagged.

The decisions of the procedure themselves are one of the points. They need not lie on the curve of its scores, because
each fold may decide by a threshold of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from venire.metrics import ConfusionMatrix, RocCurve, roc_curve
from venire.metrics.predictions import Output
from venire.validation.held_out import HeldOut
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.shown.class_confusion import class_of_interest
from venire.verdict.shown.class_curves import ranking, ranks

MOST_POINTS = 150


def operating_points(judgement: Judgement, matrix: ConfusionMatrix) -> dict[str, Any] | None:
    """The points of the procedure from flagging nothing to flagging all; `matrix` has its decisions.

    None where it gives labels alone, or where the judged rows are all of one class.
    """
    held, positive = ranking(judgement, PROCEDURE), class_of_interest(judgement)
    actual = matrix.counts.sum(axis=1)
    if held is None or not actual.all():
        return None
    found = int(matrix.counts[positive, positive]), int(matrix.counts[1 - positive, positive])
    points = _points(held, positive)
    at = next((i for i, p in enumerate(points) if (p["found"], p["alarms"]) == found), None)
    if at is None:  # between the points that flag as many rows
        flagged = [p["found"] + p["alarms"] for p in points]
        at = int(np.searchsorted(flagged, sum(found)))
        beside = points[min(at, len(points) - 1)]["threshold"]
        points.insert(at, {"threshold": beside, "found": found[0], "alarms": found[1]})
    return {
        "label": matrix.labels[positive],
        "other": matrix.labels[1 - positive],
        "positives": int(actual[positive]),
        "negatives": int(actual[1 - positive]),
        "points": points,
        "decided": at,
        "pooled": held.output is Output.PROBABILITIES,
        "ratio": _ratio(judgement, positive),
    }


def _points(held: HeldOut, positive: int) -> list[dict[str, Any]]:
    truth = held.actual == positive
    pooled = held.output is Output.PROBABILITIES
    score = held.outputs[:, positive].astype(np.float64) if pooled else ranks(held, positive)
    curve: RocCurve = roc_curve(truth, score).thinned(MOST_POINTS)
    positives, negatives = int(truth.sum()), int((~truth).sum())
    top = float(score.max())
    return [
        {
            "threshold": float(f"{min(threshold, top):.6g}"),
            "found": round(tpr * positives),
            "alarms": round(fpr * negatives),
        }
        for threshold, tpr, fpr in zip(curve.thresholds, curve.tpr, curve.fpr, strict=True)
    ]


def _ratio(judgement: Judgement, positive: int) -> float:
    """What a missed row costs, in false alarms; 1 where nobody gave costs, or where a mistake costs nothing."""
    costs = np.asarray(judgement.docket.metric.costs or [[0.0, 1.0], [1.0, 0.0]], dtype=np.float64)
    other = 1 - positive
    miss = costs[positive, other] - costs[positive, positive]
    alarm = costs[other, positive] - costs[other, other]
    return float(miss / alarm) if miss > 0 and alarm > 0 else 1.0
