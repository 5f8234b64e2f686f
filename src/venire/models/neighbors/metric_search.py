"""The k nearest rows by any distance that scikit-learn knows, of dense and sparse tables: all rows are looked at.

Distances come from `sklearn.metrics.pairwise_distances`, a block of queries at a time. Neighbours are ordered by
(distance, row number), so the answer does not depend on the blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import pairwise_distances

from venire.errors import DataError, UsageError
from venire.models.neighbors.search import Found
from venire.models.neighbors.search import scales as dense_scales
from venire.models.neighbors.sparse_search import checked_cells, keep_first, sparse_scales, stored_cells, taken_cells
from venire.models.sparse import is_sparse, row_blocks
from venire.states.checked import Fitted, check_fields
from venire.states.constraints import array, mapping, maybe, of_type, require, text

EUCLIDEAN = ("euclidean", "l2")
# Those that scikit-learn knows without a compiled search of ours; the last two take their weights from all rows.
METRICS = (
    *("minkowski", "euclidean", "l1", "l2", "manhattan", "cityblock", "cosine", "nan_euclidean", "haversine"),
    *("braycurtis", "canberra", "chebyshev", "correlation", "dice", "hamming", "jaccard", "rogerstanimoto"),
    *("russellrao", "sokalsneath", "sqeuclidean", "yule", "seuclidean", "mahalanobis"),
)
_FROM_ALL_ROWS = {"seuclidean": ("V",), "mahalanobis": ("VI", "V")}

SEARCHED: Fitted = {
    "points": maybe(array("f8", "rows", "columns", gaps=True)),
    "cells": maybe(of_type(dict)),
    "scale": array("f8", "columns", low=0),
    "metric": text(*METRICS),
    "settings": mapping(of_type(str), of_type(int, float, np.ndarray, list)),
}


def effective(metric: Any, p: float, metric_params: Mapping[str, Any] | None) -> tuple[Any, dict[str, Any]]:
    """The distance that is meant, and its settings: Minkowski's for p = 1, 2 and infinity have names of their own.

    >>> effective("minkowski", 2, None), effective("minkowski", 3, None), effective("cosine", 2, None)
    (('euclidean', {}), ('minkowski', {'p': 3.0}), ('cosine', {}))
    """
    settings = dict(metric_params or {})
    if metric != "minkowski":
        return metric, settings
    power = float(settings.pop("p", p))
    if settings:
        return metric, {"p": power, **settings}
    named = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
    return (named[power], {}) if power in named else (metric, {"p": power})


class MetricSearch:
    """The training rows, ready to be searched by one distance."""

    def __init__(self, matrix: Any, scale: str, metric: Any, settings: dict[str, Any]) -> None:
        for needed in _FROM_ALL_ROWS.get(metric if isinstance(metric, str) else "", ())[:1]:
            if not set(_FROM_ALL_ROWS[metric]) & set(settings):
                raise UsageError(
                    f"metric={metric!r} needs the spread of the columns",
                    hint=f"give it: metric_params={{{needed!r}: …}}",
                )
        self.metric, self.settings = metric, settings
        if is_sparse(matrix):
            points = checked_cells(matrix)
            self.scale = sparse_scales(points, scale)
        else:
            points = np.array(matrix, dtype=np.float64, order="C")
            self.scale = dense_scales(points, np.zeros(points.shape[1], dtype=bool), scale)
        self.points = self._scaled(points)
        if metric != "nan_euclidean" and not callable(metric) and _has_gaps(self.points):
            raise DataError(
                f"metric={metric!r} has no place for missing values",
                code="missing_values",
                hint="fill the gaps, or use metric='minkowski' or 'nan_euclidean'",
            )

    def __getstate__(self) -> dict[str, Any]:
        lists = stored_cells(self.points) if is_sparse(self.points) else None
        points = None if lists is not None else self.points
        kept = {"points": points, "cells": lists, "scale": self.scale}
        return {**kept, "metric": self.metric, "settings": self.settings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if not callable(state.get("metric")):  # a function can only come by a pickle, which runs what it holds anyway
            check_fields("MetricSearch", SEARCHED, state, _holds_together)
        self.points = taken_cells(state["cells"]) if state["points"] is None else state["points"]
        self.scale, self.metric, self.settings = state["scale"], state["metric"], state["settings"]

    def nearest(self, matrix: Any, k: int, threads: int) -> Found:
        """The k nearest training rows of new rows, sparse or dense."""
        points = checked_cells(matrix) if is_sparse(matrix) else np.array(matrix, dtype=np.float64, order="C")
        return self._look(self._scaled(points), k, threads, skip_self=False)

    def nearest_others(self, k: int, threads: int) -> Found:
        """The k nearest other rows of every training row: what leaving one out needs."""
        return self._look(self.points, k, threads, skip_self=True)

    def _scaled(self, points: Any) -> Any:
        if not (self.scale != 1.0).any():
            return points
        if is_sparse(points):
            cells = points.data / self.scale[points.indices]
            return sparse.csr_matrix((cells, points.indices, points.indptr), points.shape)
        return points / self.scale

    def _look(self, queries: Any, k: int, threads: int, *, skip_self: bool) -> Found:
        count = queries.shape[0]
        found = Found(np.empty((count, k), dtype=np.int64), np.empty((count, k)))
        for block in row_blocks(count, self.points.shape[0], 8):
            apart = self._apart(queries[block], threads)
            if skip_self:
                apart[np.arange(len(apart)), np.arange(block.start, block.start + len(apart))] = np.inf
            border = np.partition(apart, k - 1, axis=1)[:, k - 1 : k]
            query, row = np.nonzero(apart <= border)
            keep_first(found, block.start, query, row, apart[query, row], k)
        return found

    def _apart(self, queries: Any, threads: int) -> NDArray[np.float64]:
        """The distances of some queries to all rows."""
        points = self.points
        if is_sparse(queries) != is_sparse(points):
            queries = sparse.csr_matrix(queries) if is_sparse(points) else queries.toarray()
        try:
            found = pairwise_distances(queries, points, metric=self.metric, n_jobs=threads, **self.settings)
        except (TypeError, ValueError) as error:
            raise DataError(
                f"metric={self.metric!r}: {error}", code="metric", hint="metric='minkowski' takes any table"
            ) from None
        apart = np.asarray(found, dtype=np.float64)
        if np.isnan(apart).any():
            raise DataError(
                f"metric={self.metric!r} gives no number for some pairs of rows",
                code="metric",
                hint="is a row all zeros, constant, or missing? metric='minkowski' takes such rows",
            )
        return apart


def _has_gaps(points: Any) -> bool:
    return bool(np.isnan(points.data if is_sparse(points) else points).any())


def _holds_together(state: Mapping[str, Any], sizes: Any) -> None:
    require((state["points"] is None) != (state["cells"] is None), "points are either stored whole or by their cells")
    if state["cells"] is not None:
        columns = taken_cells(state["cells"]).shape[1]
        require(columns == len(state["scale"]), f"scale is of {len(state['scale'])} columns, and cells of {columns}")
