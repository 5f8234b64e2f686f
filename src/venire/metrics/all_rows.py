"""The figure of all held-out rows together, and what each row has to do with it.

Losses that are a mean over rows stay the mean of the folds' means. The others are no mean of folds: an RMSE of six rows
is smaller on average than that of sixty, an F1 of three positives is another quantity than that of thirty, and a fold
without a positive has no AUC. Those are figures of all rows: squares, counts and pairs are added up over the folds
(pairs within a fold only, because scores of two models do not compare), and the ratio is taken once.

Beside the figure stands the influence of every row: by how much the figure would move, times the number of rows, if the
row counted for more. The spread of the influences is the spread of the figure, however it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from venire.metrics.formulas import LOG_LOSS_FLOOR
from venire.metrics.predictions import Output, Predictions, joined
from venire.metrics.scores import Metric

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

# Losses whose figure of all rows is no mean of those of folds.
OF_ALL_ROWS = ("auc", "balanced_error", "f1", "r2")
# A residual without a bound may be larger than any seen: half a row is allowed for of the largest and so many times as
# much more as the few largest exceed the next, which is much where tails are long.
_DIGITS = 12  # of figures by folds, which are sums in any order
_LARGEST, _BEYOND, _LARGER_AT_LEAST = 5, 1.0, 1.2
_LOST_AT_LEAST, _LOST_MORE = (
    0.15,
    1.5,
)  # of its pairs, by the worst row there might be: as much more than the worst seen
_TWICE_AT_MOST = 0.75  # of few rows chance may say that pairs are all there is


@dataclass(frozen=True)
class Rates:
    """The shares of rows that a figure is the mean of, or that an F1 follows from.

    Attributes
    ----------
    wrong, right
        Of each share, the rows counted as wrong and the others.
    hits_twice
        The rows right count twice: 1 − F1 is wrong / (wrong + 2 right).
    """

    wrong: tuple[float, ...]
    right: tuple[float, ...]
    hits_twice: bool = False


@dataclass(frozen=True, eq=False)
class AllRows:
    """A figure of all rows, on the scale on which rows add up: squares for an RMSE.

    Attributes
    ----------
    base
        The figure on that scale; NaN where it is undefined.
    influence
        Of every row, in the order of the rows given; their mean is 0.
    counted
        How many rows the figure is a share of: all, those of the rarest class, …
    unseen
        The loss of the best and of the worst row there might be; half a row of each is allowed for.
    bounds
        No figure lies outside, on that scale.
    power
        The figure people are shown is `base` to the power of 1 / power.
    rates
        The shares of rows that the figure is made of; None where it is not.
    twice
        The share of the influences' squares that is there twice: a pair of rows counts for both of them.
    """

    base: float
    influence: Floats
    counted: float
    unseen: tuple[float, float]
    bounds: tuple[float, float]
    power: int = 1
    rates: Rates | None = None
    twice: float = 0.0

    @property
    def value(self) -> float:
        """The figure as the metric defines it."""
        return float(max(self.base, 0.0) ** (1 / self.power)) if self.power > 1 else self.base

    @property
    def shown_influence(self) -> Floats:
        """Of every row on the figure that people are shown."""
        value = self.value
        slope = 1.0 if self.power == 1 or value == 0 else value ** (1 - self.power) / self.power
        return np.asarray(slope * self.influence)

    def by_fold(self, fold_of: NDArray[np.generic], folds: int) -> Floats:
        """The figure as a mean of folds: what every fold's rows make of it, also where a fold alone has no figure.

        Parameters
        ----------
        fold_of
            The fold of each row: 0, 1, 2, …
        folds
            How many there are.
        """
        moved = np.bincount(fold_of.astype(np.intp), self.shown_influence, minlength=folds)
        parts = self.value + folds / len(self.influence) * moved
        scale = float(np.abs(parts).max()) or 1.0
        return np.asarray(np.round(parts / scale, _DIGITS) * scale)  # models that err alike are alike to the last bit


def all_rows(metric: Metric, y: NDArray[np.generic], predicted: Predictions, fold_of: NDArray[np.generic]) -> AllRows:
    """The figure of held-out rows that were predicted fold by fold, by a metric.

    Parameters
    ----------
    metric
        The loss.
    y
        The actual class codes or numbers.
    predicted
        What was predicted of these rows.
    fold_of
        The fold of each row.

    Returns
    -------
    AllRows
        The figure, and each row's influence on it.

    Examples
    --------
    >>> from venire.data.table import Task
    >>> from venire.metrics import metric
    >>> values = Predictions(None, np.array([[1.0], [2.0], [4.0], [4.0]]), Output.VALUES)
    >>> y, folds = np.array([1.0, 2.0, 2.0, 4.0]), np.array([0, 0, 1, 1])
    >>> all_rows(metric("rmse", Task.REGRESSION), y, values, folds).value
    1.0
    """
    given = predicted.labels if metric.needs is Output.LABELS else predicted.outputs
    folds = _numbered(fold_of)
    if given is None or not metric.accepts(predicted.output) or not len(y):
        return _undefined(metric, len(y))
    return _FIGURES[metric.name](metric, y, predicted, folds)


def of_folds(metric: Metric) -> bool:
    """Whether the figure of all rows is the mean of those of folds.

    >>> from venire.data.table import Task
    >>> from venire.metrics import metric
    >>> [of_folds(metric(name, Task.REGRESSION)) for name in ("mae", "rmse")]
    [True, False]
    """
    return metric.power == 1 and metric.name not in OF_ALL_ROWS


def value_of(metric: Metric, truth: Sequence[NDArray[np.generic]], said: Sequence[Predictions]) -> float:
    """The figure of all rows, from what was said of each fold.

    Parameters
    ----------
    metric
        The loss.
    truth
        Of each fold, the actual class codes or numbers.
    said
        Of each fold, what was predicted.

    Returns
    -------
    float
        The loss; NaN where it is undefined.

    Examples
    --------
    >>> from venire.data.table import Task
    >>> from venire.metrics import metric
    >>> folds = [Predictions(None, np.array([[x], [x]]), Output.VALUES) for x in (1.0, 3.0)]
    >>> value_of(metric("mae", Task.REGRESSION), [np.array([0.0, 1.0]), np.array([3.0, 2.0])], folds)
    0.5
    """
    fold_of = np.repeat(np.arange(len(truth)), [len(y) for y in truth])
    return all_rows(metric, np.concatenate(truth), joined(said), fold_of).value


def _numbered(fold_of: NDArray[np.generic]) -> Codes:
    """The folds that there are as 0, 1, 2, …"""
    if fold_of.dtype.kind == "i" and len(fold_of) and fold_of.min() >= 0 and fold_of.max() <= len(fold_of):
        there = np.bincount(fold_of) > 0
        return np.asarray((np.cumsum(there) - 1)[fold_of], dtype=np.intp)
    return np.asarray(np.unique(fold_of, return_inverse=True)[1], dtype=np.intp)


def _undefined(metric: Metric, rows: int) -> AllRows:
    return AllRows(nan, np.zeros(rows), 0.0, (nan, nan), metric.bounds)


def _mean(losses: Floats, folds: Codes, unseen: tuple[float, float], bounds: tuple[float, float]) -> AllRows:
    """A mean of fold means, in which a row of a small fold counts for a little more."""
    sizes = np.bincount(folds)
    weight = len(losses) / (len(sizes) * sizes[folds])
    base = float(np.mean(np.bincount(folds, losses) / sizes))
    return AllRows(base, weight * (losses - base), len(losses), unseen, bounds)


def _error(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    return _mean(np.asarray(predicted.labels != y, dtype=np.float64), folds, (0.0, 1.0), metric.bounds)


def _cost(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    costs = np.asarray(metric.costs, dtype=np.float64)
    return _mean(costs[y.astype(np.intp), predicted.labels], folds, metric.bounds, metric.bounds)


def _log_loss(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    """A row of another class than those seen would have cost what the model's own confidence says."""
    shares = np.clip(np.asarray(predicted.outputs, dtype=np.float64), LOG_LOSS_FLOOR, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    own, others = _own_and_others(-np.log(shares), shares, y)
    return _mean(own, folds, (0.0, others), (0.0, -float(np.log(LOG_LOSS_FLOOR))))


def _brier(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    shares = np.asarray(predicted.outputs, dtype=np.float64)
    squares = np.square(shares)
    losses = squares.sum(axis=1, keepdims=True) - squares + np.square(1 - shares)  # [row, class], were it that class
    own, others = _own_and_others(losses / (2 if shares.shape[1] == 2 else 1), shares, y)
    return _mean(own, folds, (0.0, others), metric.bounds)


def _own_and_others(losses: Floats, shares: Floats, y: NDArray[np.generic]) -> tuple[Floats, float]:
    """The loss of every row, and what a row would cost that is of another class than the model takes it for.

    By the model's own probabilities such rows are among those it is unsure of, and cheap; a model that is too sure of
    itself meets them anywhere. It is the mean of the two.
    """
    own = losses[np.arange(len(y)), y.astype(np.intp)]
    other = np.ones_like(losses)
    other[np.arange(len(y)), shares.argmax(axis=1)] = 0.0
    anywhere = float((losses * other).sum() / other.sum()) if other.any() else float(losses.max())
    unsure = other * shares
    return own, (anywhere + float((losses * unsure).sum() / unsure.sum())) / 2 if unsure.any() else anywhere


def _balanced_error(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    wrong = np.asarray(predicted.labels != y, dtype=np.float64)
    rates = np.bincount(codes, wrong) / counts
    influence = len(y) / len(classes) * (wrong - rates[codes]) / counts[codes]
    lost = np.bincount(codes, wrong)
    parts = Rates(tuple(map(float, lost)), tuple(map(float, counts - lost)))
    least = float(len(classes) * counts.min())
    return AllRows(float(rates.mean()), influence, least, (0.0, 1.0), metric.bounds, rates=parts)


def _f1(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    assert predicted.labels is not None
    known = [metric.positive] if metric.positive is not None else sorted({*np.unique(y), *np.unique(predicted.labels)})
    if metric.positive is not None and not (y == metric.positive).any():
        return _undefined(metric, len(y))
    bases, influence, counted = [], np.zeros(len(y)), inf
    for code in known:
        wrong = np.asarray((predicted.labels == code) != (y == code), dtype=np.float64)
        place = np.asarray(predicted.labels == code, dtype=np.float64) + np.asarray(y == code, dtype=np.float64)
        base = float(wrong.sum() / place.sum())
        bases.append(base)
        influence += (wrong - base * place) * len(y) / place.sum() / len(known)
        counted = min(counted, float(place.sum()) * len(known))
    parts = None
    if metric.positive is not None:
        hits = float(((predicted.labels == metric.positive) & (y == metric.positive)).sum())
        parts = Rates((float(wrong.sum()),), (hits,), hits_twice=True)
    return AllRows(float(np.mean(bases)), influence, counted, (0.0, 1.0), metric.bounds, rates=parts)


def _auc(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    outputs = np.asarray(predicted.outputs, dtype=np.float64)
    if outputs.shape[1] == 2 and predicted.output is Output.SCORES:
        outputs = np.stack([outputs[:, 0], outputs[:, 1] - outputs[:, 0]], axis=1)
    chosen = [(outputs[:, -1], y == 1)] if outputs.shape[1] <= 2 else [
        (outputs[:, code], y == code) for code in range(outputs.shape[1])
    ]  # fmt: skip
    each = [found for found in (_lost_pairs(score, own, folds) for score, own in chosen) if found is not None]
    if not each:
        return _undefined(metric, len(y))
    influence = np.mean([one.influence for one in each], axis=0)
    counted = len(each) * min(one.scarcer for one in each)
    base = float(np.mean([one.base for one in each]))
    squares = float(np.square(influence).sum())
    # Of several classes the pairs of one have little to do with those of another.
    twice = sum(one.twice for one in each) / len(each) ** 2 / squares if squares else 0.0
    # A row about which the scores say nothing loses half of its pairs; where nearly all are in order no row is so bad.
    worst = min(0.5, max(_LOST_AT_LEAST, _LOST_MORE * max(one.largest for one in each)))
    return AllRows(base, influence, counted, (0.0, max(worst, base)), metric.bounds, twice=min(twice, _TWICE_AT_MOST))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The share of pairs in the wrong order, and what every row has to do with it."""

    base: float
    influence: Floats
    scarcer: float  # rows of the scarcer side
    largest: float  # the largest share of its pairs that a row loses
    twice: float  # of the sum of the squares of the influences: what a pair alone makes of it, which both rows have


def _lost_pairs(score: Floats, own: NDArray[np.bool_], folds: Codes) -> _Pairs | None:
    """The pairs within folds."""
    count = int(folds.max()) + 1
    ours, theirs = np.bincount(folds, own, minlength=count), np.bincount(folds, ~own, minlength=count)
    against = np.where(own, theirs[folds], ours[folds])
    pairs = float(against[own].sum())
    if not pairs or np.isnan(score).any():
        return None
    beaten, tied = _above(score, ~own, folds)
    lost = np.where(own, beaten, ours[folds] - _above(score, own, folds)[0])
    base = float(lost[own].sum() / pairs)
    paired = against > 0
    scarcer = float(min((paired & own).sum(), (paired & ~own).sum()))
    # Of a pair that is lost, tied or won, 1, ½ or 0 less the mean, squared. In one fold all rows meet the same others,
    # whose part is no spread between them.
    alone = (pairs * base * (1 - base) - float(tied[own].sum()) / 4) * (1 - 1 / np.count_nonzero(ours * theirs))
    largest = float((lost[paired] / against[paired]).max())
    return _Pairs(
        base, (lost - base * against) * len(score) / pairs, scarcer, largest, alone * (len(score) / pairs) ** 2
    )


def _above(score: Floats, others: NDArray[np.bool_], folds: Codes) -> tuple[Floats, Floats]:
    """For every row, how many of the others in its fold have a higher score, a tie being half of one; and the ties."""
    order = np.lexsort((score, folds))
    sorted_folds, sorted_scores = folds[order], score[order]
    passed = np.concatenate([[0.0], np.cumsum(others[order], dtype=np.float64)])
    new_fold = np.r_[True, sorted_folds[1:] != sorted_folds[:-1]]
    tied = np.flatnonzero(new_fold | np.r_[True, sorted_scores[1:] != sorted_scores[:-1]])
    sizes = np.diff(np.r_[tied, len(score)])
    ends = np.flatnonzero(new_fold)
    last = np.repeat(np.r_[ends[1:], len(score)], np.diff(np.r_[ends, len(score)]))  # where each row's fold ends
    higher, same = np.empty(len(score)), np.empty(len(score))
    same[order] = np.repeat(passed[tied + sizes] - passed[tied], sizes)
    higher[order] = passed[last] - (np.repeat(passed[tied], sizes) + np.repeat(passed[tied + sizes], sizes)) / 2
    return higher, same


def _mae(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    size = np.abs(_residuals(y, predicted))
    found = _mean(size, folds, (nan, nan), metric.bounds)
    return AllRows(found.base, found.influence, found.counted, (found.base, _unseen(size)), metric.bounds)


def _rmse(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    squares = np.square(_residuals(y, predicted))
    base = float(squares.mean())
    return AllRows(base, squares - base, len(y), (base, _unseen(np.sqrt(squares)) ** 2), metric.bounds, 2)


def _r2(metric: Metric, y: NDArray[np.generic], predicted: Predictions, folds: Codes) -> AllRows:
    squares = np.square(_residuals(y, predicted))
    values = y.astype(np.float64)
    spread = np.square(values - values.mean())
    if np.ptp(values) == 0 or not spread.mean():
        return _undefined(metric, len(y))
    base = float(squares.mean() / spread.mean())
    influence = (squares - base * spread) / spread.mean()
    # A target far out is far from its mean, too: it adds to what there is to explain.
    worst = base + max(0.0, 1 - base) * _unseen(np.sqrt(squares)) ** 2 / float(spread.mean())
    return AllRows(base, influence, len(y), (base, worst), metric.bounds)


def _unseen(sizes: Floats) -> float:
    """How large a residual may be that was not seen."""
    ordered = np.sort(sizes)
    largest = float(ordered[-1])
    few = min(_LARGEST, len(ordered) - 1)
    beyond = float((ordered[-few:] - ordered[-few - 1]).mean()) if few else 0.0
    return max(_LARGER_AT_LEAST * largest, largest + _BEYOND * beyond)


def _residuals(y: NDArray[np.generic], predicted: Predictions) -> Floats:
    return np.asarray(predicted.values.astype(np.float64) - y.astype(np.float64))


_FIGURES: dict[str, Callable[[Metric, NDArray[np.generic], Predictions, Codes], AllRows]] = {
    "error": _error,
    "balanced_error": _balanced_error,
    "log_loss": _log_loss,
    "brier": _brier,
    "auc": _auc,
    "f1": _f1,
    "cost": _cost,
    "rmse": _rmse,
    "mae": _mae,
    "r2": _r2,
}
