"""The k nearest rows of a sparse table, without making it dense: products of sparse matrices, and then the truth.

|a − b|² = |a|² + |b|² − 2ab finds who may be near, a block of queries at a time; it loses digits where rows are nearly
equal. So every row that lies within the rounding of the k-th is a candidate, and the distances of candidates are taken
anew from the differences of their cells. Neighbours are then ordered by (distance, row number), as in a dense table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from venire.errors import DataError, UsageError
from venire.models.neighbors.search import Floats, Found
from venire.models.sparse import is_sparse, row_blocks
from venire.states.checked import Fitted, check_fields
from venire.states.constraints import array, require, whole

ROUNDING = 1e-10  # of |a|² + |b|², beyond which the product cannot be wrong
MOST_CELLS = 1 << 22  # of the candidates of one block; what is beyond it is looked at in parts

CELLS: Fitted = {
    "columns": whole(low=1),
    "start": array("i8", None, low=0),
    "places": array("i8", "cells", low=0),
    "cells": array("f8", "cells"),
}
SEARCHED: Fitted = {**CELLS, "scale": array("f8", "columns", low=0)}


class SparseSearch:
    """The training rows, ready to be searched."""

    def __init__(self, matrix: Any, scale: str) -> None:
        points = checked_cells(matrix)
        self.scale = sparse_scales(points, scale)
        self.points = self._scaled(points)
        self._lengths = _lengths(self.points)

    def __getstate__(self) -> dict[str, Any]:
        return {**stored_cells(self.points), "scale": self.scale}

    def __setstate__(self, state: dict[str, Any]) -> None:
        check_fields("SparseSearch", SEARCHED, state, _holds_together)
        self.scale = state["scale"]
        self.points = _matrix_of(state)
        self._lengths = _lengths(self.points)

    def nearest(self, matrix: Any, k: int, threads: int) -> Found:
        """The k nearest training rows of new rows, sparse or dense; `threads` has no effect here."""
        queries = matrix if is_sparse(matrix) else sparse.csr_matrix(matrix)
        return self._look(self._scaled(checked_cells(queries)), k, skip_self=False)

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of every training row: what leaving one out needs."""
        return self._look(self.points, k, skip_self=True)

    def _scaled(self, points: Any) -> Any:
        if not (self.scale != 1.0).any():
            return points
        return sparse.csr_matrix(
            (points.data / self.scale[points.indices], points.indices, points.indptr), points.shape
        )

    def _look(self, queries: Any, k: int, *, skip_self: bool) -> Found:
        count = queries.shape[0]
        found = Found(np.empty((count, k), dtype=np.int64), np.empty((count, k)))
        turned, lengths = self.points.T.tocsr(), _lengths(queries)
        for block in row_blocks(count, self.points.shape[0], 8):
            part = queries[block]
            sums = lengths[block, None] + self._lengths
            about = sums - 2 * (part @ turned).toarray()
            if skip_self:
                about[np.arange(len(about)), np.arange(block.start, block.start + len(about))] = np.inf
            slack = ROUNDING * sums
            border = np.partition(about + slack, k - 1, axis=1)[:, k - 1 : k]
            query, row = np.nonzero(~(about - slack > border))  # and what overflows, of which nothing is known yet
            keep_first(found, block.start, query, row, self._apart(part, query, row), k)
        return found

    def _apart(self, part: Any, query: NDArray[np.intp], row: NDArray[np.intp]) -> Floats:
        """The distances of pairs, from the differences of their cells."""
        cells = np.diff(part.indptr)[query] + np.diff(self.points.indptr)[row]
        cuts = np.flatnonzero(np.diff(np.cumsum(cells) // MOST_CELLS)) + 1
        squared = [
            _lengths(self.points[r] - part[q]) for q, r in zip(np.split(query, cuts), np.split(row, cuts), strict=True)
        ]
        return np.sqrt(np.concatenate(squared))


def keep_first(found: Found, first: int, query: NDArray[np.intp], row: NDArray[np.intp], apart: Floats, k: int) -> None:
    """Write the first k of each query by (distance, row number)."""
    order = np.lexsort((row, apart, query))
    starts = np.searchsorted(query[order], np.arange(query[-1] + 1))
    nearest = order[starts[:, None] + np.arange(k)]
    found.rows[first : first + len(starts)] = row[nearest]
    found.distances[first : first + len(starts)] = apart[nearest]


def checked_cells(matrix: Any) -> Any:
    """The matrix by rows, in doubles, each cell once and in order; nothing may be missing."""
    points = sparse.csr_matrix(matrix, dtype=np.float64, copy=True)
    points.sum_duplicates()
    if np.isnan(points.data).any():
        raise DataError(
            "a sparse matrix holds NaN, and missing values have no place among its zeros",
            code="missing_values",
            hint="fill the gaps, or make the matrix dense",
        )
    return points


def _lengths(points: Any) -> Floats:
    """The squared length of each row, cells added in their order."""
    rows = np.repeat(np.arange(points.shape[0]), np.diff(points.indptr))
    return np.bincount(rows, weights=points.data * points.data, minlength=points.shape[0]).astype(np.float64)


def sparse_scales(points: Any, scale: str) -> Floats:
    """What columns are divided by, zeros counted: nothing (`"auto"`, `"none"`), their spread, or their range.

    >>> sparse_scales(sparse.csr_matrix([[0.0, 2.0], [4.0, 2.0]]), "range").tolist()
    [4.0, 1.0]
    """
    if scale in ("auto", "none"):
        return np.ones(points.shape[1])
    if scale not in ("spread", "range"):
        raise UsageError(f"scale={scale!r} is not known", hint="'auto', 'none', 'spread' or 'range'")
    if scale == "range":
        width = np.asarray((points.max(axis=0) - points.min(axis=0)).todense()).ravel()
    else:
        mean = np.asarray(points.mean(axis=0)).ravel()
        off = np.bincount(points.indices, (points.data - mean[points.indices]) ** 2, minlength=points.shape[1])
        others = points.shape[0] - np.bincount(points.indices, minlength=points.shape[1])
        width = np.sqrt((off + others * mean**2) / points.shape[0])
    return np.where(width > 0, width, 1.0)


def stored_cells(points: Any) -> dict[str, Any]:
    """A matrix by rows as plain values."""
    starts, places = points.indptr.astype(np.int64), points.indices.astype(np.int64)
    return {"columns": points.shape[1], "start": starts, "places": places, "cells": points.data}


def taken_cells(state: dict[str, Any]) -> Any:
    """The matrix that was stored so, checked."""
    check_fields("cells", CELLS, state, _divided)
    return _matrix_of(state)


def _matrix_of(state: dict[str, Any]) -> Any:
    lists = (state["cells"], state["places"], state["start"])
    return sparse.csr_matrix(lists, shape=(len(state["start"]) - 1, state["columns"]))


def _divided(state: Any, sizes: Any) -> None:
    start, places = state["start"], state["places"]
    ends = bool(len(start)) and start[0] == 0 and start[-1] == len(places)
    require(ends and bool((np.diff(start) >= 0).all()), "start does not divide the cells among the rows")
    require(len(places) == 0 or int(places.max()) < state["columns"], "places lie beyond the columns")


def _holds_together(state: Any, sizes: Any) -> None:
    _divided(state, sizes)
    require(len(state["scale"]) == state["columns"], "scale has another number of columns")
