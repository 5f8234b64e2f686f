"""Curves over the decision threshold (ROC, precision-recall, cost) and the calibration curve.

The first three are readings of one sweep: rows sorted by falling score, and at each *distinct* score how much of either
class lies at or above it. Rows with equal scores enter together, so ties are right by construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError

Floats = NDArray[np.float64]

_ROUNDING = 1e-6  # a weighted mean of ones can be a little above 1, and float32 knows seven digits


@dataclass(frozen=True, eq=False)
class RocCurve:
    """True positive rate against false positive rate, from the strictest threshold (∞: nothing flagged) down.

    Attributes
    ----------
    fpr, tpr
        False and true positive rate, the points of the curve.
    thresholds
        Rows that score at least this much are flagged there.

    Examples
    --------
    >>> roc_curve(np.array([False, False, True, True]), np.array([1, 2, 2, 3])).thresholds.tolist()
    [inf, 3.0, 2.0, 1.0]
    """

    fpr: Floats
    tpr: Floats
    thresholds: Floats

    @property
    def auc(self) -> float:
        """The area below: the probability that a positive row scores above a negative one, ties as half."""
        return float(np.sum(np.diff(self.fpr) * (self.tpr[1:] + self.tpr[:-1])) / 2)

    def thinned(self, points: int) -> RocCurve:
        """At most that many points of the curve, evenly along its length, both ends kept; for drawing."""
        kept = _spread(self.fpr, self.tpr, points)
        return RocCurve(self.fpr[kept], self.tpr[kept], self.thresholds[kept])


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision against rising recall; it starts at (recall 0, precision 1), where nothing is flagged.

    Attributes
    ----------
    recall, precision
        The points of the curve.
    thresholds
        Rows that score at least this much are flagged there.

    Examples
    --------
    >>> curve = precision_recall_curve(np.array([False, False, True, True]), np.array([1, 2, 2, 3]))
    >>> round(curve.average_precision, 3)
    0.833
    """

    recall: Floats
    precision: Floats
    thresholds: Floats

    @property
    def average_precision(self) -> float:
        """The precision averaged over the steps in recall (no interpolation, which would flatter)."""
        return float(np.sum(np.diff(self.recall) * self.precision[1:]))

    def thinned(self, points: int) -> PrecisionRecallCurve:
        """At most that many points of the curve, evenly along its length, both ends kept; for drawing."""
        kept = _spread(self.recall, self.precision, points)
        return PrecisionRecallCurve(self.recall[kept], self.precision[kept], self.thresholds[kept])


@dataclass(frozen=True, eq=False)
class CostCurve:
    """The least normalised expected cost at each *probability cost*, over all thresholds (Drummond and Holte).

    The probability cost is the share of the worst possible cost that missed positives would make up,
    p·C(miss) / (p·C(miss) + (1 − p)·C(false alarm)); cost 1 means that every row is wrong. Flagging nothing or
    everything costs min(x, 1 − x), and a model is of use where its curve lies below that.

    Attributes
    ----------
    probability_cost
        The axis, from 0 to 1.
    expected_cost
        The least cost at each of its points.
    thresholds
        The threshold to use there.

    Examples
    --------
    >>> roc = roc_curve(np.array([False, False, True, True]), np.array([1, 2, 2, 3]))
    >>> cost_curve(roc, points=3).expected_cost.tolist()
    [0.0, 0.25, 0.0]
    """

    probability_cost: Floats
    expected_cost: Floats
    thresholds: Floats  # the one to use at each probability cost


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """In each bin of the predicted probability: its mean, the share of rows that were positive, and the rows.

    Attributes
    ----------
    predicted
        The mean predicted probability of each bin.
    observed
        The share of its rows that were positive.
    count
        Its rows.

    Examples
    --------
    >>> curve = calibration_curve(np.array([False, True, True, True]), np.array([0.2, 0.2, 0.9, 0.9]), bins=2)
    >>> round(curve.expected_calibration_error, 3)
    0.2
    """

    predicted: Floats
    observed: Floats
    count: NDArray[np.int64]

    @property
    def expected_calibration_error(self) -> float:
        """The mean gap between predicted and observed, bins counting by their rows."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.count))


def roc_curve(positive: NDArray[np.bool_], score: NDArray[Any], weights: Floats | None = None) -> RocCurve:
    """The ROC curve of scores.

    Parameters
    ----------
    positive
        One per row: is it positive?
    score
        The higher, the more likely positive.
    weights
        What each row counts for; one by default.

    Returns
    -------
    RocCurve
        From the strictest threshold down.

    Examples
    --------
    >>> curve = roc_curve(np.array([False, False, True, True]), np.array([1, 2, 2, 3]))
    >>> curve.fpr.tolist(), curve.tpr.tolist(), curve.auc
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], 0.875)
    """
    thresholds, hits, alarms = _sweep(positive, score, weights)
    return RocCurve(alarms / alarms[-1], hits / hits[-1], thresholds)


def precision_recall_curve(
    positive: NDArray[np.bool_], score: NDArray[Any], weights: Floats | None = None
) -> PrecisionRecallCurve:
    """The precision-recall curve of scores.

    Parameters
    ----------
    positive
        One per row: is it positive?
    score
        The higher, the more likely positive.
    weights
        What each row counts for; one by default.

    Returns
    -------
    PrecisionRecallCurve
        From the strictest threshold down.

    Examples
    --------
    >>> curve = precision_recall_curve(np.array([False, False, True, True]), np.array([1, 2, 2, 3]))
    >>> curve.recall.tolist(), curve.precision.round(3).tolist()
    ([0.0, 0.5, 1.0, 1.0], [1.0, 1.0, 0.667, 0.5])
    """
    thresholds, hits, alarms = _sweep(positive, score, weights)
    flagged = hits + alarms
    precision = np.divide(hits, flagged, out=np.ones_like(hits), where=flagged > 0)
    return PrecisionRecallCurve(hits / hits[-1], precision, thresholds)


def cost_curve(roc: RocCurve, points: int = 101) -> CostCurve:
    """The lower envelope of the cost lines of a ROC curve's points, on an even grid of probability costs.

    Parameters
    ----------
    roc
        The curve whose thresholds are tried.
    points
        How many probability costs.

    Returns
    -------
    CostCurve
        The least cost at each of them.

    Examples
    --------
    >>> useless = roc_curve(np.array([True, False]), np.array([0.5, 0.5]))
    >>> cost_curve(useless, points=5).expected_cost.tolist()
    [0.0, 0.25, 0.5, 0.25, 0.0]
    """
    grid = np.linspace(0, 1, points)
    costs, best = np.empty(points), np.empty(points, dtype=np.intp)
    for at, x in enumerate(grid):
        lines = (1 - roc.tpr) * x + roc.fpr * (1 - x)
        best[at] = lines.argmin()
        costs[at] = lines[best[at]]
    return CostCurve(grid, costs, roc.thresholds[best])


def calibration_curve(
    positive: NDArray[np.bool_],
    probability: NDArray[Any],
    bins: int = 10,
    strategy: Literal["quantile", "uniform"] = "quantile",
) -> CalibrationCurve:
    """How often rows with a predicted probability near p were positive, in bins of equal size or equal width.

    Equal probabilities share a bin, and empty bins are left out.

    Parameters
    ----------
    positive
        One per row: was it positive?
    probability
        The predicted probability that it is.
    bins
        How many bins there are at most.
    strategy
        Bins of equally many rows (`"quantile"`) or of equal width (`"uniform"`).

    Returns
    -------
    CalibrationCurve
        Means, shares and rows of the bins.

    Examples
    --------
    >>> curve = calibration_curve(np.array([False, True, True, True]), np.array([0.2, 0.2, 0.9, 0.9]), bins=2)
    >>> curve.predicted.tolist(), curve.observed.tolist(), curve.count.tolist()
    ([0.2, 0.9], [0.5, 1.0], [2, 2])
    """
    shares = np.asarray(probability, dtype=np.float64)
    if shares.size == 0 or not (shares.min() >= -_ROUNDING and shares.max() <= 1 + _ROUNDING):
        raise UsageError("a calibration curve needs at least one row, and probabilities between 0 and 1")
    shares = shares.clip(0, 1)
    if bins < 1:
        raise UsageError(f"a calibration curve needs at least one bin, and {bins} were asked for")
    inner = np.linspace(0, 1, bins + 1)[1:-1]
    edges = np.quantile(shares, inner) if strategy == "quantile" else inner
    place = np.searchsorted(edges, shares)
    count = np.bincount(place, minlength=bins)
    full = count > 0
    predicted = np.bincount(place, weights=shares, minlength=bins)[full] / count[full]
    observed = np.bincount(place, weights=positive, minlength=bins)[full] / count[full]
    return CalibrationCurve(predicted, observed, count[full])


def _sweep(positive: NDArray[np.bool_], score: NDArray[Any], weights: Floats | None) -> tuple[Floats, Floats, Floats]:
    """The distinct scores from ∞ down, and the weight of positive and of negative rows at or above each."""
    given, scores = np.asarray(positive), np.asarray(score, dtype=np.float64)
    if given.dtype.kind not in "biuf" or not np.isin(given, (0, 1)).all():
        raise UsageError("which rows are positive is given as true and false, or 1 and 0", hint="such as y == 'yes'")
    if given.shape != scores.shape:
        raise UsageError(f"there are {len(given)} rows and {len(scores)} scores")
    truth = given.astype(bool)
    counted = np.ones(len(truth)) if weights is None else np.asarray(weights, dtype=np.float64)
    if np.isnan(scores).any():
        raise UsageError(f"{int(np.isnan(scores).sum())} of {len(scores)} scores are not numbers")
    if not (counted[truth].any() and counted[~truth].any()):
        found = "positive" if counted[truth].any() else "negative"
        raise UsageError(
            f"the curve needs positive and negative rows; all {len(truth)} are {found}",
            code="one_class",
            hint="Take rows of both classes, such as more folds together.",
        )
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last_of_ties = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    hits = np.cumsum(np.where(truth, counted, 0.0)[order])[last_of_ties]
    alarms = np.cumsum(np.where(truth, 0.0, counted)[order])[last_of_ties]
    return np.r_[np.inf, ranked[last_of_ties]], np.r_[0.0, hits], np.r_[0.0, alarms]


def _spread(x: Floats, y: Floats, points: int) -> NDArray[np.intp]:
    """Indices of at most `points` points, evenly spaced along the line through all of them."""
    if points < 2:
        raise UsageError(f"a curve needs at least two points, and {points} were asked for")
    if len(x) <= points:
        return np.arange(len(x))
    length = np.r_[0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y)))]
    picked = np.searchsorted(length, np.linspace(0, length[-1], points))
    picked[-1] = len(x) - 1
    return np.unique(picked)
