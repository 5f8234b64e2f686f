"""The figure of all held-out rows and its interval: one way for the leaderboard, for validations and for the proof.

The figure is that of the rows (`all_rows`), the interval that of `row_interval`: by how much rows differ, groups or
stretches of time where they hang together, and how much the figure hangs on the training rows. The last shows in the
models without two folds (`training_overlap`); where there are none, the correction of Nadeau and Bengio stands for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.inference.by_rows.row_intervals import row_interval
from venire.inference.by_rows.training_overlaps import NATURES, SMOOTH, overlap_in_order, training_overlap
from venire.inference.intervals import Interval
from venire.metrics.all_rows import AllRows, Rates, all_rows
from venire.metrics.predictions import Predictions
from venire.metrics.scores import Metric

Codes = NDArray[np.intp]
WithoutTwo = Sequence[tuple[Codes, Predictions]]  # of each fold: which predictions, and the same by models without it


@dataclass(frozen=True)
class Figure:
    """A loss of all held-out rows with its interval; NaN where it is undefined.

    Attributes
    ----------
    value
        The loss.
    interval
        Its interval.

    Examples
    --------
    >>> from venire.data.table import Task
    >>> from venire.metrics import Output, metric
    >>> y, at = np.linspace(0, 9, 40), np.arange(40)
    >>> said = Predictions(None, (y + np.tile([-1.0, 1.0], 20))[:, None], Output.VALUES)
    >>> rmse = metric("rmse", Task.REGRESSION)
    >>> found = row_figure(rmse, y, said, rows=at, fold_of=at % 5, folds=5, test_over_train=1 / 4)
    >>> found.value, found.interval.low <= found.value < found.interval.high
    (1.0, True)
    """

    value: float
    interval: Interval


def row_figure(
    metric: Metric,
    y: NDArray[Any],
    predicted: Predictions,
    *,
    rows: Codes,
    fold_of: Codes,
    folds: int,
    test_over_train: float,
    without_two: WithoutTwo | None = None,
    groups: Codes | None = None,
    in_order: bool = False,
    level: float = 0.95,
) -> Figure:
    """The figure of rows that were predicted fold by fold, possibly more than once.

    Parameters
    ----------
    metric
        The loss.
    y
        The actual class codes or numbers, one per prediction.
    predicted
        What was predicted.
    rows
        Which row each prediction is about: a row that is predicted in several repeats stays one row, and so do copies
        of one row that are given one number.
    fold_of
        The fold of each prediction; folds of a further repeat have further numbers.
    folds
        How many folds a repeat has.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.
    without_two
        For every fold of the first repeat, the predictions of the other folds by models that left it out too.
    groups
        Of every row of the table, what it hangs together with.
    in_order
        Whether every model was trained on earlier rows only.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Figure
        The loss and its interval.

    Examples
    --------
    >>> from venire.data.table import Task
    >>> from venire.metrics import Output, metric
    >>> y = np.tile([0, 1], 50)
    >>> said = Predictions(np.where(np.arange(100) < 10, 1 - y, y), None, Output.LABELS)
    >>> error, at = metric("error", Task.CLASSIFICATION), np.arange(100)
    >>> found = row_figure(error, y, said, rows=at, fold_of=at % 10, folds=10, test_over_train=1 / 9)
    >>> found.value, round(found.interval.low, 2), round(found.interval.high, 2)
    (0.1, 0.04, 0.21)
    """
    found = all_rows(metric, y, predicted, fold_of)
    unique, first, where = np.unique(rows, return_index=True, return_inverse=True)
    share = len(unique) / len(rows)
    influence = np.asarray(share * np.bincount(where, found.influence), dtype=np.float64)
    repeated = int(fold_of.max()) >= folds
    alike = None if groups is None else groups[unique]
    # A pair counts for both of its rows, so the sums of the folds of an AUC always differ by more.
    if alike is None and metric.name != "auc" and not repeated and _folds_differ(fold_of[first], influence):
        alike = fold_of[first]
    ends = row_interval(
        found.base,
        influence,
        counted=share * found.counted,
        unseen=found.unseen,
        bounds=found.bounds,
        overlap=overlap_in_order()
        if in_order
        else _overlap(metric, y, predicted, found, rows, fold_of, folds * test_over_train, without_two),
        groups=alike,
        rates=_once(found.rates, share),
        level=level,
    )
    if found.power == 2 and ends.defined:
        ends = Interval(sqrt(max(ends.low, 0.0)), sqrt(max(ends.high, 0.0)), level)
    if ends.defined and ends.width <= 0:  # an interval of one point is none
        ends = Interval(np.nan, np.nan, level)
    return Figure(found.value, ends)


def _overlap(
    metric: Metric,
    y: NDArray[Any],
    predicted: Predictions,
    found: AllRows,
    rows: Codes,
    fold_of: Codes,
    usual: float,
    without_two: WithoutTwo | None,
) -> float:
    """By how much the variance grows because training sets overlap: by models without two folds if there are."""
    if without_two is None or np.isnan(found.base):
        return 1 + usual
    changes, shifts, noise = (np.full(len(without_two), np.nan) for _ in range(3))
    for fold, (others, said) in enumerate(without_two):
        before = all_rows(metric, y[others], _some(predicted, others), fold_of[others])
        after = all_rows(metric, y[others], said, fold_of[others])
        moved = _by_row(rows[others], after.influence - before.influence)
        shifts[fold] = after.base - before.base
        changes[fold] = float(np.square(moved).mean())
        noise[fold] = float(np.var(moved)) / len(moved)
    first = fold_of < len(without_two)  # of the first repeat
    nature = NATURES.get(metric.name, SMOOTH)
    influence = _by_row(rows[first], found.influence[first])
    return training_overlap(influence, changes, shifts, noise, usual=1 + usual, nature=nature)


def _by_row(rows: Codes, influence: NDArray[np.float64]) -> NDArray[np.float64]:
    """The influence of every row once, that of its copies joined."""
    unique, where = np.unique(rows, return_inverse=True)
    if len(unique) == len(rows):
        return influence
    return np.asarray(len(unique) / len(rows) * np.bincount(where, influence), dtype=np.float64)


def _once(rates: Rates | None, share: float) -> Rates | None:
    """The rates with every row counted once, however often it was tested."""
    if rates is None or share == 1:
        return rates
    wrong, right = (tuple(share * count for count in counts) for counts in (rates.wrong, rates.right))
    return Rates(wrong, right, rates.hits_twice)


def _some(predicted: Predictions, at: Codes) -> Predictions:
    labels = None if predicted.labels is None else predicted.labels[at]
    return Predictions(labels, None if predicted.outputs is None else predicted.outputs[at], predicted.output)


def stretches(time: NDArray[Any]) -> Codes:
    """Neighbours in time as groups of the square root of all rows, of five rows at least.

    Parameters
    ----------
    time
        When each row was.

    Returns
    -------
    ndarray
        The group of each row, in the order of the rows; groups count from the earliest.

    Examples
    --------
    >>> stretches(np.array([3.0, 1.0, 2.0, 9.0, 8.0, 7.0]))
    array([0, 0, 0, 1, 0, 0])
    """
    place = np.empty(len(time), dtype=np.intp)
    place[np.argsort(time, kind="stable")] = np.arange(len(time))
    return np.asarray(place // max(5, round(sqrt(len(time)))))


def _folds_differ(fold_of: Codes, influence: NDArray[np.float64]) -> bool:
    """Whether folds differ by more than independent rows would let them in 99 of 100 cases: a chi-square test."""
    sizes, sums = np.bincount(fold_of), np.bincount(fold_of, influence)
    variance = float(np.square(influence).mean())
    if variance == 0 or np.count_nonzero(sizes) < 3:
        return False
    df = np.count_nonzero(sizes) - 1
    return bool((np.square(sums) / np.maximum(sizes, 1)).sum() / variance > special.chdtri(df, 0.01))
