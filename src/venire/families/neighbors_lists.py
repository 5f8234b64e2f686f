"""Lists of near rows on one scale, from which the nearest on any similar scale are read off exactly.

Let G be squared distances on the common scale and D those on a trial's own, column j counting wⱼ times as much. Then
w₋ G ≤ D ≤ w₊ G. The k rows nearest by G have D ≤ w₊ Gₖ, so every row among the k nearest by D has G ≤ ρ Gₖ, where
ρ = w₊ / w₋. A list that reaches that far holds them all, and what the trial finds does not depend on the common scale
in any bit. Where a list does not reach, all rows are looked at.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from venire._core import nearest
from venire.data.encode import OneHotScaled
from venire.data.table import Table
from venire.validation.family import Cancel
from venire.validation.plan import Plan

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
_ROWS = 4000  # below, looking at all rows in every trial is as fast
_AT_ONCE = 1000
_SLACK = 1e-9  # what rounding may do to a squared distance of scaled rows


def pays(table: Table, plan: Plan) -> bool:
    """Whether lists can be kept and are worth it: many rows, numbers alone, no gap to be filled differently."""
    plain = not table.categorical.any() and not np.isnan(table.X).any()
    return plain and table.rows >= _ROWS and plan.blocks > 2 and not plan.ordered and not plan.nested


def list_length(k: int, blocks: int) -> int:
    """How many near rows are kept: two blocks of them fall out in a trial, and the rest is reach.

    >>> list_length(29, 10)
    63
    """
    return int(1.2 * k * blocks / (blocks - 2)) + 20


class NearLists:
    """For every row, those nearest on the scale of all rows, itself among them; made on demand, block by block."""

    def __init__(self, table: Table, k: int, blocks: int) -> None:
        self._encoder = OneHotScaled(categorical=table.categorical).fit(table.X)
        self._points = self._encoder.transform(table.X)
        self._length = min(table.rows, list_length(k, blocks))
        self._search = NearestNeighbors(n_neighbors=self._length, algorithm="brute").fit(self._points)
        self._known = np.zeros(table.rows, dtype=bool)
        self._rows = np.empty((table.rows, self._length), dtype=np.int32)
        self._squares = np.empty((table.rows, self._length), dtype=np.float64)

    def nearest(
        self, points: Floats, encoder: OneHotScaled, heard: NDArray[np.bool_], rows: Rows, k: int, cancel: Cancel
    ) -> Rows:
        """The k nearest, among the rows heard, of some rows: by the distances of `points`, ties in row order."""
        self._make(rows[~self._known[rows]], cancel)
        weights = (self._encoder.spread_ / encoder.spread_) ** 2
        stretch = float(weights.max() / weights.min())
        columns = np.ascontiguousarray(points.T)
        found = np.empty((len(rows), k), dtype=np.intp)
        for first in range(0, len(rows), _AT_ONCE):
            cancel()
            part = rows[first : first + _AT_ONCE]
            found[first : first + _AT_ONCE] = self._some(columns, points, stretch, heard, part, k)
        return found

    def _make(self, rows: Rows, cancel: Cancel) -> None:
        for first in range(0, len(rows), _AT_ONCE):
            cancel()
            part = rows[first : first + _AT_ONCE]
            distances, found = self._search.kneighbors(self._points[part])
            self._rows[part] = found
            self._squares[part] = distances**2
            self._known[part] = True

    def _some(
        self, columns: Floats, points: Floats, stretch: float, heard: NDArray[np.bool_], rows: Rows, k: int
    ) -> Rows:
        near, squares = self._rows[rows], self._squares[rows]
        counted = heard[near]
        place = np.cumsum(counted, axis=1)
        enough = place[:, -1] >= k
        last = squares[np.arange(len(rows)), np.argmax(place >= k, axis=1)]
        reach = last * stretch * (1 + _SLACK) + _SLACK * (1 + (self._points[rows] ** 2).sum(axis=1))
        sure = enough & ((squares[:, -1] > reach) | (self._length == len(heard)))
        found = np.empty((len(rows), k), dtype=np.intp)
        if sure.any():
            within = counted[sure] & (squares[sure] <= reach[sure][:, None])
            found[sure] = _ordered(columns, rows[sure], near[sure], within, k)
        if not sure.all():
            found[~sure] = _among_all(points, heard, rows[~sure], k)
        return found


def _ordered(columns: Floats, rows: Rows, near: NDArray[np.int32], within: NDArray[np.bool_], k: int) -> Rows:
    """The first k of the candidates within reach, by (distance, row number)."""
    width = int(within.sum(axis=1).max())
    # In row order, so that a stable sort by distance leaves ties in it; what is out of reach goes to the end.
    candidates = np.where(within, near, columns.shape[1])
    candidates.sort(axis=1)
    candidates = candidates[:, :width]
    beyond = candidates == columns.shape[1]
    candidates[beyond] = 0
    squares = np.zeros(candidates.shape)
    for column in columns:  # one after the other: the core adds up distances in the same order
        off = column[candidates]
        off -= column[rows][:, None]
        off *= off
        squares += off
    squares[beyond] = np.inf
    order = np.argsort(squares, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(candidates, order, axis=1).astype(np.intp)


def _among_all(points: Floats, heard: NDArray[np.bool_], rows: Rows, k: int) -> Rows:
    chosen = np.flatnonzero(heard)
    numbers = np.zeros(points.shape[1], dtype=bool)
    among = np.ascontiguousarray(points[chosen])
    found, _ = nearest(among, np.ascontiguousarray(points[rows]), numbers, k=k, skip_self=False, threads=1)
    return np.asarray(chosen[found])
