"""Single columns and the target: how much one column says alone, and whether its values mark groups of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.data.table import Kind, Table

Floats = NDArray[np.float64]

_BINS = 30
_ROWS_A_BIN = 10
_LEAVES = 0.03  # of the error of guessing: a column that leaves less predicts the target alone
_LEAVES_OF_SPREAD = 0.02  # of the variance of numbers
_NEIGHBOURS = 6  # values of a window: few enough for a curve to be straight in it
_USUAL = 0.2  # of the rows have one value: no group is so large among so many
_ENCODED_VALUES = 8  # or more of them that all hit the means of the target are no chance
_HITS, _HITS_SHARE = 1e-3, 0.6  # of the spread of the column; of the values that several rows have
_LARGEST_GROUP = 50.0  # rows on average: beyond, a value is a kind and not a case


@dataclass(frozen=True, slots=True)
class GroupEffect:
    """How alike rows with the same value are: the share of the target's variance between values, beyond a trend.

    Of numbers it is the lesser of two shares: of what the trend leaves among neighbours, and of all the target varies.
    """

    groups: int
    share: float
    p: float  # by chance alone


def alone(table: Table, fold: NDArray[np.int32]) -> dict[str, float | None]:
    """For every column: the share of the error of guessing that it leaves on held-out folds; None where that is much.

    A column predicts by its values (numbers cut into ranges of equal size, gaps a value of their own): the commonest
    class, or the mean, among rows of other folds; a number from a number by the line through the rows of other folds.
    """
    assert table.target is not None
    classes = len(table.target.classes)
    found: dict[str, float | None] = {}
    for j, column in enumerate(table.columns):
        values, numeric = table.X[:, j], column.kind is Kind.NUMERIC
        if classes:
            left, limit = _wrong(_ranges(values, numeric), fold, table.y, classes), _LEAVES
        elif numeric:
            left, limit = _off_the_line(values, fold, table.y), _LEAVES_OF_SPREAD
        else:
            left, limit = _unexplained(_ranges(values, numeric), fold, table.y), _LEAVES_OF_SPREAD
        found[column.name] = left if left <= limit else None
    return found


def encodes_target(table: Table, j: int) -> bool:
    """Whether the values of a column are the means of the target over the rows that have them, plain or shrunk.

    So a column looks in which a category was replaced by the mean of the answers of its rows, those that are predicted
    here among them. Encodings with shrinkage move the mean of n rows towards that of all, by k / (n + k).
    """
    if table.columns[j].kind is not Kind.NUMERIC:
        return False
    values = table.X[:, j]
    known = ~np.isnan(values)
    distinct, place, size = np.unique(values[known], return_inverse=True, return_counts=True)
    repeated = size >= 2
    rows = int(size[repeated].sum())
    if repeated.sum() < _ENCODED_VALUES or rows < known.sum() / 2 or not (distinct % 1 != 0).any():
        return False
    return any(_hit(distinct, place, size, target[known], float(target.mean())) for target in _as_numbers(table))


def _hit(distinct: Floats, place: NDArray[np.intp], size: NDArray[np.intp], y: Floats, overall: float) -> bool:
    """Whether most distinct values are the means of y, or these shrunk alike towards the mean of all."""
    means = np.bincount(place, weights=y) / size
    away = distinct - overall
    close = _HITS * float(np.ptp(distinct))
    far = np.abs(away) > close
    # Of two categories with the same mean and size one value is made, and it tells of twice the rows: hence the median.
    towards = max(0.0, float(np.median((size * (means - distinct))[far] / away[far]))) if far.any() else 0.0
    for k in (0.0, towards):
        shrunk = (size * means + k * overall) / (size + k)
        if (np.abs(shrunk - distinct) <= close)[size >= 2].mean() >= _HITS_SHARE:
            return True
    return False


def group_effect(table: Table, j: int) -> GroupEffect | None:
    """Whether rows with the same value of a column belong together; None where the column cannot mark groups.

    Numbers with a fraction are measurements and name no case: that some are written more finely than others can look
    like groups. So are numbers most of which are one and the same, such as an amount that is 0 for most rows. Values
    that have an order may follow a trend, which makes neighbouring values alike as well. So whole numbers are compared
    with their neighbours, and a trend, a curve or a threshold alone is no group.
    """
    values = table.X[:, j]
    known = ~np.isnan(values)
    ordered = table.columns[j].kind is Kind.NUMERIC
    if ordered and is_measurement(values[known]):
        return None
    _, place, size = np.unique(values[known], return_inverse=True, return_counts=True)
    groups, rows = len(size), int(known.sum())
    if groups < 20 or not 2.0 <= rows / groups <= _LARGEST_GROUP:
        return None
    effects = [_effect(target[known], place, size, ordered) for target in _as_numbers(table)]
    return min(effects, key=lambda effect: effect.p)


def is_measurement(numbers: Floats) -> bool:
    """Whether numbers measure something and name no case: they have fractions, or a usual value that many rows have.

    >>> is_measurement(np.array([1.5, 2.0])), is_measurement(np.array([0.0] * 9 + [2174.0] * 2))
    (True, True)
    >>> is_measurement(np.arange(40.0))
    False
    """
    if (numbers % 1 != 0).any():
        return True
    _, size = np.unique(numbers, return_counts=True)
    return bool(size.max(initial=0) > _USUAL * len(numbers))


def _as_numbers(table: Table) -> list[Floats]:
    assert table.target is not None
    classes = len(table.target.classes)
    if not classes:
        return [table.y]
    codes = range(1, 2) if classes == 2 else range(classes)
    return [(table.y == code).astype(np.float64) for code in codes]


def _effect(y: Floats, place: NDArray[np.intp], size: NDArray[np.intp], ordered: bool) -> GroupEffect:
    """How much of the spread lies between values, held against the spread within them (one-way analysis of variance).

    Where values have an order they are looked at a window at a time, each scaled by its own spread: see `_windows`.
    """
    window = _windows(len(size)) if ordered else np.zeros(len(size), dtype=np.intp)
    of_row = window[place]
    left = _off_the_trend(y, place, of_row) if ordered else y - y.mean()
    taken = 2.0 if ordered else 1.0  # degrees of freedom a window has lost: its level, and its line
    rows, values = np.bincount(of_row).astype(np.float64), np.bincount(window).astype(np.float64)
    means = np.bincount(place, weights=left) / size
    inside = np.bincount(of_row, weights=np.square(left - means[place]))
    total = np.bincount(of_row, weights=np.square(left))
    # Where nothing varies, nothing can be said: most windows of a rare class are so.
    use = (total > 1e-12 * np.square(y - y.mean()).sum()) & (rows > values) & (values > taken)
    if not use.any():
        return GroupEffect(len(size), 0.0, 1.0)
    spread = total[use] / (rows - taken)[use]
    between = float(((total - inside)[use] / spread).sum() / (values - taken)[use].sum())
    within = float((inside[use] / spread).sum() / (rows - values)[use].sum())
    share, p = 1.0, 0.0  # where rows of one value never differ
    if within > 0:
        used = size[use[window]].astype(np.float64)
        typical = (used.sum() - np.square(used).sum() / used.sum()) / (len(used) - 1)
        share = (between - within) / (between + (typical - 1) * within)
        p = float(special.fdtrc((values - taken)[use].sum(), (rows - values)[use].sum(), between / within))
    if ordered:
        apart = (total - inside)[use] / (values - taken)[use] - inside[use] / (rows - values)[use]
        share = min(share, _of_all(values[use] * apart, rows[use], float(y.var())))
    return GroupEffect(len(size), share, p)


def _of_all(apart: Floats, rows: Floats, variance: float) -> float:
    """The share of the target's variance that sets values apart from their neighbours, window by window.

    A curve is never quite straight in a window, and where there is little noise that is most of what is left there: it
    is little of what the target varies. And where the target jumps once, one window has it all: the one with most is
    left out, since groups are found in every window.
    """
    others = np.arange(len(apart)) != apart.argmax()
    return float(apart[others].sum() / (rows[others].sum() * variance)) if others.any() else 0.0


def _windows(values: int) -> NDArray[np.intp]:
    """Neighbouring values, a few to a window.

    A measurement that tells classes apart at a threshold has values of all one class on both sides and values in doubt
    between: the spread within a value is no common one, and against the common one every value in doubt looks like a
    group. So values are only compared with their neighbours, by the spread that they and their neighbours have.
    """
    window = np.arange(values) // _NEIGHBOURS
    return np.minimum(window, max(0, values // _NEIGHBOURS - 1))  # a rest joins the last whole one


def _off_the_trend(y: Floats, place: NDArray[np.intp], window: NDArray[np.intp]) -> Floats:
    """What is left of y beside a straight line through the rows of each window, over the rank of the value."""
    rows = np.bincount(window)
    x = place - (np.bincount(window, weights=place) / rows)[window]
    left = y - (np.bincount(window, weights=y) / rows)[window]
    steep, wide = np.bincount(window, weights=x * left), np.bincount(window, weights=x * x)
    slope = np.divide(steep, wide, out=np.zeros_like(steep), where=wide > 0)
    return np.asarray(left - slope[window] * x)


def _ranges(values: Floats, numeric: bool) -> NDArray[np.intp]:
    """A small whole number for every row: its value, or the range its value lies in."""
    known = ~np.isnan(values)
    distinct, place = np.unique(np.where(known, values, -np.inf), return_inverse=True)
    if not numeric or len(distinct) <= _BINS:
        return np.asarray(place, dtype=np.intp)
    bins = min(_BINS, max(2, int(known.sum()) // _ROWS_A_BIN))
    edges = np.unique(np.quantile(values[known], np.linspace(0, 1, bins + 1)[1:-1]))
    return np.where(known, 1 + np.searchsorted(edges, values, side="right"), 0)


def _wrong(place: NDArray[np.intp], fold: NDArray[np.int32], y: NDArray[np.intp], classes: int) -> float:
    """Rows wrong when a value names its commonest class in other folds, over those wrong by the commonest of all."""
    folds, values = int(fold.max()) + 1, int(place.max()) + 1
    counts = np.zeros((folds, values, classes))
    np.add.at(counts, (fold, place, y), 1.0)
    others = counts.sum(axis=0) - counts
    overall = others.sum(axis=1, keepdims=True)
    said = np.where(others.sum(axis=2, keepdims=True) > 0, others, overall).argmax(axis=2)
    wrong = float((said[fold, place] != y).sum())
    guessed = float((overall[:, 0].argmax(axis=1)[fold] != y).sum())
    return wrong / guessed if guessed else 1.0


def _off_the_line(values: Floats, fold: NDArray[np.int32], y: Floats) -> float:
    """The squared error of a line drawn from row to row of other folds, over that of their mean."""
    off = guessed = 0.0
    known = ~np.isnan(values)
    for held in np.unique(fold):
        test, rest = fold == held, (fold != held) & known
        mean = float(y[fold != held].mean())
        guessed += float(np.square(y[test] - mean).sum())
        said = np.full(int(test.sum()), mean)
        if rest.any():
            at, place, size = np.unique(values[rest], return_inverse=True, return_counts=True)
            heights = np.bincount(place, weights=y[rest]) / size
            said = np.where(known[test], np.interp(values[test], at, heights), mean)
        off += float(np.square(y[test] - said).sum())
    return off / guessed if guessed > 0 else 1.0


def _unexplained(place: NDArray[np.intp], fold: NDArray[np.int32], y: Floats) -> float:
    """The squared error of each value's mean in other folds, over that of the mean of all."""
    folds, values = int(fold.max()) + 1, int(place.max()) + 1
    totals, rows = np.zeros((folds, values)), np.zeros((folds, values))
    np.add.at(totals, (fold, place), y)
    np.add.at(rows, (fold, place), 1.0)
    others, there = totals.sum(axis=0) - totals, rows.sum(axis=0) - rows
    overall = others.sum(axis=1) / there.sum(axis=1)
    means = np.where(there > 0, others / np.maximum(there, 1), overall[:, None])
    guessed = float(np.square(y - overall[fold]).sum())
    return float(np.square(y - means[fold, place]).sum()) / guessed if guessed > 0 else 1.0
