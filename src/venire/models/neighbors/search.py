"""The k nearest training rows of any row: one documented distance for mixed columns, exact, ties in row order.

The squared distance of two rows is the sum, over the attributes that both have, of ((a − b) / scale)² for numbers and
of 0 (same) or 1 (different) for categories, times the number of attributes over the number both have. So a missing
value costs what the others cost on average, and two rows that share no attribute are infinitely far apart. Without
missing values and categories this is the Euclidean distance.

Neighbours are ordered by (distance, row number). All rows are looked at in the compiled core, except where a k-d tree
is surely faster: many rows, few numeric columns, nothing missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KDTree

from venire._core import nearest
from venire.states.checked import Fitted, check_fields
from venire.states.constraints import array

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

TREE_ROWS = 2000  # below, looking at all rows is as fast
TREE_COLUMNS = 8  # above, a k-d tree visits most of its leaves


@dataclass(frozen=True, slots=True)
class Found:
    """Neighbours of each query, nearest first: [query, neighbour]."""

    rows: Rows
    distances: Floats


SEARCHED: Fitted = {
    "points": array("f8", "rows", "columns", gaps=True),
    "categorical": array("?", "columns"),
    "scale": array("f8", "columns", low=0),
}


class Search:
    """The training rows, ready to be searched."""

    def __init__(self, matrix: NDArray[Any], categorical: NDArray[np.bool_], scale: str) -> None:
        self.categorical = categorical
        self.scale = scales(matrix, categorical, scale)
        self.points = self._scaled(matrix)
        self._tree = _tree_of(self.points, categorical)

    def __getstate__(self) -> dict[str, Any]:
        return {"categorical": self.categorical, "scale": self.scale, "points": self.points}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The search over stored points; the k-d tree is built again, for a stored one could not be checked."""
        check_fields("Search", SEARCHED, state)
        self.categorical, self.scale, self.points = state["categorical"], state["scale"], state["points"]
        self._tree = _tree_of(self.points, self.categorical)

    def nearest(self, matrix: NDArray[Any], k: int, threads: int) -> Found:
        """The k nearest training rows of new rows."""
        queries = self._scaled(matrix)
        if self._tree is None or np.isnan(queries).any():
            return self._look_at_all(queries, k, threads, skip_self=False)
        return self._ask_tree(queries, k, skip_self=False)

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of every training row: what leaving one out needs."""
        if self._tree is None:
            return self._look_at_all(self.points, k, threads, skip_self=True)
        return self._ask_tree(self.points, k, skip_self=True)

    def _scaled(self, matrix: NDArray[Any]) -> Floats:
        points = np.array(matrix, dtype=np.float64, order="C")
        points[:, self.categorical] = np.where(points[:, self.categorical] < 0, np.nan, points[:, self.categorical])
        if (self.scale != 1.0).any():
            points /= self.scale
        return points

    def _look_at_all(self, queries: Floats, k: int, threads: int, *, skip_self: bool) -> Found:
        rows, squared = nearest(self.points, queries, self.categorical, k=k, skip_self=skip_self, threads=threads)
        return Found(rows, np.sqrt(squared))

    def _ask_tree(self, queries: Floats, k: int, *, skip_self: bool) -> Found:
        """A k-d tree leaves open which of several equally far rows it returns: ask for one more, and settle ties."""
        assert self._tree is not None  # the callers looked
        asked = min(k + 1 + skip_self, len(self.points))
        distances, rows = self._tree.query(queries, asked)
        # Every row that may be among the k nearest lies within the last distance that counts.
        last = distances[:, min(k + skip_self, asked) - 1]
        tied = (distances[:, -1] <= last) & (asked < len(self.points))
        found = Found(np.empty((len(queries), k), dtype=np.int64), np.empty((len(queries), k)))
        for start in range(0, len(queries), 100_000):
            part = slice(start, start + 100_000)
            _settle(found, part, rows[part], distances[part], k, skip_self)
        for query in np.flatnonzero(tied):
            reach = last[query] * (1 + 1e-12)  # a hair more, lest rounding leave out what lies at the very edge
            near, far = self._tree.query_radius(queries[query : query + 1], reach, return_distance=True)
            one = slice(query, query + 1)
            _settle(found, one, near[0][None], far[0][None], k, skip_self)
        return found


def _tree_of(points: Floats, categorical: NDArray[np.bool_]) -> KDTree | None:
    """A k-d tree, where it is surely faster than looking at all points."""
    small = len(points) < TREE_ROWS or points.shape[1] > TREE_COLUMNS
    plain = not categorical.any() and not np.isnan(points).any()
    return KDTree(points) if plain and not small else None


def _settle(found: Found, part: slice, rows: Rows, distances: Floats, k: int, skip_self: bool) -> None:
    """Write the first k by (distance, row number), without the query itself."""
    if skip_self:
        own = rows == np.arange(part.start, part.start + len(rows))[:, None]
        distances = np.where(own, np.inf, distances)
    order = np.lexsort((rows, distances), axis=1)[:, :k]
    found.rows[part] = np.take_along_axis(rows, order, axis=1)
    found.distances[part] = np.take_along_axis(distances, order, axis=1)


def scales(matrix: NDArray[Any], categorical: NDArray[np.bool_], scale: str) -> Floats:
    """What numeric columns are divided by: nothing, their spread, or their range; 1 for categories and constants.

    `"auto"` is the range where there are categories (so that no number outweighs a category), and nothing otherwise.
    """
    found = np.ones(matrix.shape[1])
    if scale == "none" or (scale == "auto" and not categorical.any()):
        return found
    for j in np.flatnonzero(~categorical):
        column = matrix[:, j].astype(np.float64)
        column = column[~np.isnan(column)]
        if column.size:
            width = column.std() if scale == "spread" else np.ptp(column)
            found[j] = width if width > 0 else 1.0
    return found
