"""Lists of near rows on one scale, from which the nearest on any similar scale are read off exactly.

Let G be squared distances on the common scale and D those on a trial's own, every column counting at least w times as
much there: D ≥ w G. The compiled core walks along a row's list in the order of G and stops as soon as w G exceeds the
k-th best D so far, so that what a trial finds does not depend on the common scale in any bit. Where a list is too short
for that, all rows are looked at.

The common scale divides a column by the largest spread it has in any training part: then w is 1, whatever single
values do to the spread of a column. It may look at all rows because it decides nothing but how soon a walk ends.
"""

from __future__ import annotations

from itertools import combinations
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from venire._core import listed_nearest, near_lists, scaled_rows
from venire.data.encode import OneHotScaled
from venire.data.table import Table
from venire.validation.plans.plan import Plan
from venire.validation.trials.family import Cancel

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
_LONGEST = 1000  # above, lists take more memory than they are worth
_PAIRS = 50  # folds; above, leaving out two of them is hardly different from leaving out one
_AT_ONCE = 2000  # rows between two looks at the clock
_CONSTANT = 1e-9  # a training part in which a column has so small a share of its variance is taken for constant in it


def pays(table: Table, plan: Plan, k: int) -> bool:
    """Whether lists can be kept and are worth it: numbers alone, no gap to be filled differently, shared folds."""
    plain = not table.categorical.any() and not np.isnan(table.X).any()
    shared = plan.folds > 2 and not plan.ordered and not plan.own_inner_folds
    return plain and shared and list_length(k, plan.folds) <= _LONGEST


def list_length(k: int, folds: int) -> int:
    """How many near rows are kept: two folds of them fall out in a trial, and the rest is reach.

    >>> list_length(29, 10)
    78
    """
    return int(1.2 * k * folds / (folds - 2)) + 35


class NearLists:
    """For every row, those nearest on the common scale, itself among them; made when first asked for.

    Several threads may ask at once: one makes what is missing, the others wait for it.
    """

    def __init__(self, table: Table, plan: Plan, k: int) -> None:
        self._x = np.ascontiguousarray(table.X)
        self._columns = np.ascontiguousarray(table.X.T)
        self._categorical = table.categorical
        encoder = OneHotScaled(categorical=table.categorical).fit(table.X)
        self._spread = common_spread(self._columns - encoder.mean_[:, None], plan, encoder.spread_)
        self._points = scaled_rows(self._x, origin=encoder.origin_, offset=encoder.offset_, spread=self._spread)
        self._norm = np.sqrt(np.square(self._points).sum(axis=1))
        self._length = min(table.rows, list_length(k, plan.folds))
        self._known = np.zeros(table.rows, dtype=bool)
        self._near = np.zeros((table.rows, self._length), dtype=np.int32)
        self._squared = np.zeros((table.rows, self._length), dtype=np.float32)
        self._making = Lock()

    def nearest(self, train: NDArray[np.bool_], counted: NDArray[np.bool_], rows: Rows, k: int, cancel: Cancel) -> Rows:
        """The k nearest, among those heard, of some rows on the training part's own scale, ties in row order."""
        self._make(rows, cancel)
        columns = np.take(self._columns, np.flatnonzero(train), axis=1)
        encoder = OneHotScaled(categorical=self._categorical).fit(columns.T)
        points = scaled_rows(self._x, origin=encoder.origin_, offset=encoder.offset_, spread=encoder.spread_)
        shrink = float((self._spread / encoder.spread_).min(initial=np.inf))
        found = np.empty((len(rows), k), dtype=np.int64)
        for first in range(0, len(rows), _AT_ONCE):
            cancel()
            part = slice(first, first + _AT_ONCE)
            found[part], _ = listed_nearest(
                points,
                near=self._near,
                squared=self._squared,
                norm=self._norm,
                counted=counted,
                rows=rows[part],
                shrink=shrink,
                k=k,
            )
        return found

    def _make(self, rows: Rows, cancel: Cancel) -> None:
        with self._making:
            missing = rows[~self._known[rows]]
            for first in range(0, len(missing), _AT_ONCE):
                cancel()
                part = missing[first : first + _AT_ONCE]
                self._near[part], self._squared[part] = near_lists(self._points, part, length=self._length)
                self._known[part] = True


def common_spread(centred: Floats, plan: Plan, spread: Floats) -> Floats:
    """The largest spread of each column [column, row] in any training part, about; that of all rows is given.

    Sums of the folds left out are taken from those of all rows: nothing here needs more than a few digits.
    """
    largest = spread.copy()
    scaled = centred / spread[:, None]
    for fold_of in plan.fold_of:
        each = [np.bincount(fold_of, values, minlength=plan.folds) for x in scaled for values in (x, x * x)]
        sums, squares = np.array(each[::2]), np.array(each[1::2])
        counts = np.bincount(fold_of, minlength=plan.folds).astype(np.float64)
        for left_out in _left_out(plan):
            rows = counts.sum() - counts[left_out].sum(axis=0)
            mean, square = (
                (each.sum(axis=1)[:, None] - each[:, left_out].sum(axis=1)) / rows for each in (sums, squares)
            )
            part = np.sqrt(np.maximum(square - mean**2, 0)).T * spread
            # A column that is constant in a training part is divided by 1 there.
            part[part <= np.sqrt(_CONSTANT) * spread] = 1.0
            largest = np.maximum(largest, part.max(axis=0))
    return largest


def _left_out(plan: Plan) -> list[NDArray[np.intp]]:
    """The folds that trials leave out, [how many, trial]: one, and in two layers two."""
    found = [np.arange(plan.folds)[None]]
    if plan.layers > 1 and plan.folds <= _PAIRS:
        found.append(np.array(list(combinations(range(plan.folds), 2))).T)
    return found
