"""Areas under ROC curves: their variance and their difference by DeLong's method, in time n log n (Sun and Xu, 2014).

The area is the share of pairs (positive row, negative row) in the right order, ties counting half. Each positive row
has a *placement*, the share of negative rows below it, and each negative row the share of positive ones above it. The
variance of the area is that of the two mean placements. Placements come from mid-ranks, so no pair is ever looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from venire.errors import UsageError
from venire.inference.comparisons import Comparison
from venire.inference.estimates import Estimate
from venire.inference.intervals import Interval, Student, tail
from venire.metrics.ranks import mean_ranks

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Areas:
    """The areas of several scores on the same rows, and their covariance.

    Both are NaN when a class is missing, the covariance also when one has a single row: it shows no spread.

    Attributes
    ----------
    area
        The area under each ROC curve, `[score]`.
    covariance
        Of the areas, `[score, score]`.

    Examples
    --------
    >>> both = areas([0, 0, 1, 1], [[0.1, 0.4, 0.35, 0.8], [0.2, 0.1, 0.7, 0.9]])
    >>> both.area.tolist(), both.covariance.round(3).tolist()
    ([0.75, 1.0], [[0.125, 0.0], [0.0, 0.0]])
    """

    area: Floats  # [score]
    covariance: Floats  # [score, score]


def areas(y: ArrayLike, scores: ArrayLike) -> Areas:
    """The areas under the ROC curves of one or several scores, and their covariance.

    Parameters
    ----------
    y
        True (or 1) for positive rows.
    scores
        The higher, the more likely positive: `[row]`, or `[score, row]` for several scores.

    Returns
    -------
    Areas
        The areas and their covariance.

    Examples
    --------
    >>> found = areas([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> found.area.tolist()
    [0.75]
    """
    positive = np.asarray(y).astype(bool)
    table = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    if table.ndim != 2 or positive.shape != (table.shape[1],):
        raise UsageError(f"the scores have the shape {table.shape}, and there are {positive.size} labels")
    if np.isnan(table).any():
        raise UsageError("a score is not a number", hint="leave out rows without a score")
    hits, others = int(positive.sum()), int((~positive).sum())
    if not hits or not others:
        return Areas(np.full(len(table), nan), np.full((len(table), len(table)), nan))
    all_ranks = mean_ranks(table)
    above = (all_ranks[:, positive] - mean_ranks(table[:, positive])) / others  # placements of the positive
    below = 1 - (all_ranks[:, ~positive] - mean_ranks(table[:, ~positive])) / hits
    return Areas(above.mean(axis=1), _covariance(above) / hits + _covariance(below) / others)


def delong(y: ArrayLike, first: ArrayLike, second: ArrayLike, *, rope: float = 0.0) -> Comparison:
    """Two fixed models by their AUC on the same test rows; the difference is in 1 − AUC, so below zero is better.

    It speaks of the two models as they are, not of how they would come out of other training rows.

    Parameters
    ----------
    y
        True (or 1) for positive rows.
    first, second
        The scores of the two models on the same rows.
    rope
        Differences of at most this much do not matter.

    Returns
    -------
    Comparison
        The posterior of the difference, with the p-value of DeLong's test.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> good, poor = y + rng.normal(0, 0.8, 200), y + rng.normal(0, 3, 200)
    >>> result = delong(y, good, poor)
    >>> result.p_better > 0.999, result.p_value < 0.001
    (True, True)
    """
    found = areas(y, [np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    c = found.covariance
    scale = sqrt(max(float(c[0, 0] + c[1, 1] - 2 * c[0, 1]), 0.0)) if not np.isnan(c).any() else nan
    gap = float(found.area[1] - found.area[0])
    p_value = nan if np.isnan(scale) else two_sided(gap, scale)
    return Comparison(Student(gap, scale, inf if scale == scale else 0), rope, "delong", p_value)


def delong_interval(
    folds: Sequence[tuple[ArrayLike, ArrayLike]], *, test_over_train: float = 0.0, level: float = 0.95
) -> Estimate:
    """The mean over folds of 1 − AUC, from each fold's labels and scores, with DeLong's variance of each fold.

    Folds without both classes are left out, and those with a single row of one have no say in the variance. One fold is
    one test set. With `test_over_train` = 0 the interval speaks of the fitted models on new rows; with n_test / n_train
    it is widened as by Nadeau and Bengio, to speak of models trained on other rows too.

    Parameters
    ----------
    folds
        Labels and scores of each fold.
    test_over_train
        Rows tested over rows trained on, or 0.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Estimate
        1 − AUC and its interval.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(100) % 2
    >>> e = delong_interval([(y, y + rng.normal(0, 1, 100)), (y, y + rng.normal(0, 1, 100))])
    >>> bool(e.low < 1 - 0.76 < e.high)
    True
    """
    found = [areas(y, score) for y, score in folds]
    found = [one for one in found if not np.isnan(one.area[0])]
    j = len(found)
    value = 1 - float(np.mean([one.area[0] for one in found])) if j else nan
    variances = [float(one.covariance[0, 0]) for one in found if not np.isnan(one.covariance[0, 0])]
    within = float(np.mean(variances)) if variances else nan
    reach = float(special.ndtri(1 - tail(level))) * sqrt(within * (1 / j + test_over_train)) if j else nan
    rows = sum(np.size(y) for y, _ in folds)
    who = "of models trained on other rows too" if test_over_train else "of these models"
    return Estimate(
        value,
        Interval(value - reach, value + reach, level).within(0.0, 1.0),
        "delong",
        f"the expected 1 − AUC {who} on new rows",
        f"{rows} rows in {j} fold{'s' if j != 1 else ''} with both classes",
    )


def two_sided(gap: float, scale: float) -> float:
    """The two-sided p-value of a normal statistic; 1 for no gap without any spread."""
    if scale == 0:
        return float(gap == 0)
    return 2 * float(special.ndtr(-abs(gap) / scale))


def _covariance(placements: Floats) -> Floats:
    rows = placements.shape[1]
    if rows < 2:
        return np.full((len(placements), len(placements)), nan)
    centred = placements - placements.mean(axis=1, keepdims=True)
    return np.asarray(np.einsum("ir,jr->ij", centred, centred) / (rows - 1))
