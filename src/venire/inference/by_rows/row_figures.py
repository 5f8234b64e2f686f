"""The figure of all held-out rows and its interval: one way for the leaderboard, for validations and for the proof.

The figure is that of the rows (`all_rows`), the interval that of `row_interval`: by how much rows differ, groups or
stretches of time where they hang together, and how much the figure hangs on the training rows. The last shows in the
models without two folds (`training_overlap`); where there are none, the correction of Nadeau and Bengio stands for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.inference.by_rows.called_shares import highest_f1_loss
from venire.inference.by_rows.row_intervals import row_interval
from venire.inference.by_rows.rows_tested import RowsTested
from venire.inference.by_rows.training_overlaps import NATURES, SMOOTH, Nature, overlap_in_order, training_overlap
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
    >>> found = row_figure(rmse, y, said, RowsTested(at, at % 5, folds=5, test_over_train=1 / 4))
    >>> found.value, found.interval.low <= found.value < found.interval.high
    (1.0, True)
    """

    value: float
    interval: Interval


def row_figure(
    metric: Metric,
    y: NDArray[Any],
    predicted: Predictions,
    tested: RowsTested,
    *,
    without_two: WithoutTwo | None = None,
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
    tested
        How the rows were tested.
    without_two
        For every fold of the first repeat, the predictions of the other folds by models that left it out too.
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
    >>> found = row_figure(error, y, said, RowsTested(at, at % 10, folds=10, test_over_train=1 / 9))
    >>> found.value, round(found.interval.low, 2), round(found.interval.high, 2)
    (0.1, 0.04, 0.21)
    """
    rows, fold_of, groups = tested.rows, tested.fold_of, tested.groups
    found = all_rows(metric, y, predicted, fold_of)
    unique, first, where = np.unique(rows, return_index=True, return_inverse=True)
    share = len(unique) / len(rows)
    influence = np.asarray(share * np.bincount(where, found.influence), dtype=np.float64)
    repeated = int(fold_of.max()) >= tested.folds
    alike = None if groups is None else groups[unique]
    # A pair counts for both of its rows, so the sums of the folds of an AUC always differ by more.
    if alike is None and metric.name != "auc" and not repeated and _folds_differ(fold_of[first], influence):
        alike = fold_of[first]
    between = partial(
        row_interval,
        found.base,
        influence,
        counted=share * found.counted,
        unseen=found.unseen,
        bounds=found.bounds,
        groups=alike,
        rates=_once(found.rates, share * _evenness(np.bincount(where))),
        twice=_twice(found, influence),
        level=level,
    )
    trained = None
    if tested.in_order:
        ends = between(overlap=overlap_in_order())
    else:
        trained = _trained(metric, y, predicted, found, tested, without_two)
        ends = between(overlap=trained.overlap())
    if found.power == 2 and ends.defined:
        ends = Interval(sqrt(max(ends.low, 0.0)), sqrt(max(ends.high, 0.0)), level)
    if trained is not None and trained.called and ends.defined:
        high = _highest(
            metric, y, predicted, trained.called, len(unique), between(overlap=trained.shared()).high, level
        )
        ends = Interval(ends.low, max(ends.high, high), level)
    if ends.defined and ends.width <= 0:  # an interval of one point is none
        ends = Interval(np.nan, np.nan, level)
    return Figure(found.value, ends)


@dataclass(frozen=True, eq=False)
class _Trained:
    """What models without two folds show of the luck with training rows; empty where there are none."""

    usual: float  # the factor without them
    nature: Nature = SMOOTH
    influence: NDArray[np.float64] = field(default_factory=partial(np.zeros, 0))
    changes: NDArray[np.float64] = field(default_factory=partial(np.zeros, 0))
    shifts: NDArray[np.float64] = field(default_factory=partial(np.zeros, 0))
    noise: NDArray[np.float64] = field(default_factory=partial(np.zeros, 0))
    twice: float = 0.0  # of the squares of the influence: what pairs make twice
    called: tuple[float, ...] = ()  # of an F1: by how much the share called positive changes without each fold

    def overlap(self) -> float:
        """By how much the variance grows."""
        if not len(self.shifts):
            return self.usual
        return training_overlap(
            self.influence,
            self.changes,
            self.shifts,
            self.noise,
            usual=self.usual,
            nature=self.nature,
            twice=self.twice,
        )

    def shared(self) -> float:
        """The same without what moves all rows together."""
        nothing = np.zeros(len(self.shifts))
        return training_overlap(self.influence, self.changes, nothing, nothing, usual=self.usual, nature=self.nature)


def _trained(
    metric: Metric,
    y: NDArray[Any],
    predicted: Predictions,
    found: AllRows,
    tested: RowsTested,
    without_two: WithoutTwo | None,
) -> _Trained:
    """What the models without two folds show, if there are any."""
    rows, fold_of, usual = tested.rows, tested.fold_of, tested.folds * tested.test_over_train
    if without_two is None or np.isnan(found.base):
        return _Trained(1 + usual)
    changes, shifts, noise = (np.full(len(without_two), np.nan) for _ in range(3))
    called = []
    for fold, (others, said) in enumerate(without_two):
        one = _some(predicted, others)
        before = all_rows(metric, y[others], one, fold_of[others])
        after = all_rows(metric, y[others], said, fold_of[others])
        moved = _by_row(rows[others], after.influence - before.influence)
        shifts[fold] = after.base - before.base
        changes[fold] = float(np.square(moved).mean())
        noise[fold] = float(np.var(moved)) / len(moved)
        if metric.name == "f1" and metric.positive is not None:
            called.append(_called(metric, said) - _called(metric, one))
    first = fold_of < len(without_two)  # of the first repeat
    influence = _by_row(rows[first], found.influence[first])
    nature = NATURES.get(metric.name, SMOOTH)
    return _Trained(1 + usual, nature, influence, changes, shifts, noise, found.twice, tuple(called))


def _called(metric: Metric, said: Predictions) -> float:
    return float(np.mean(said.labels == metric.positive))


def _highest(
    metric: Metric,
    y: NDArray[Any],
    predicted: Predictions,
    without: Sequence[float],
    rows: int,
    by_rows: float,
    level: float,
) -> float:
    """The upper end of 1 − F1 of all rows."""
    actual, called = y == metric.positive, predicted.labels == metric.positive
    return highest_f1_loss(
        by_rows,
        hits=float(np.mean(actual & called)),
        called=float(np.mean(called)),
        positive=float(np.mean(actual)),
        rows=rows,
        without=without,
        level=level,
    )


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


def _twice(found: AllRows, influence: NDArray[np.float64]) -> float:
    """What pairs make twice, of the squares of rows that may have been tested more than once."""
    squares = float(np.square(influence).sum()) / len(influence) ** 2
    alone = found.twice * float(np.square(found.influence).sum()) / len(found.influence) ** 2
    return min(alone / squares, found.twice) if squares else 0.0


def _evenness(times: NDArray[np.intp]) -> float:
    """As how many rows each counts where some are there more often than others: the rule of Kish for weights."""
    return float(times.sum()) ** 2 / (len(times) * float(np.square(times).sum()))


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
