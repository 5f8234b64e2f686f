"""What k nearest neighbours of classes and of numbers share: reading rows, searching, and the sums that give every k.

`search` has the distance. Example weights are weights of votes: a row of weight 2 is one neighbour with two votes. Rows
of weight 0 have no vote and are not neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from venire.errors import DataError, UsageError
from venire.models.drawn_rows import drawn_rows
from venire.models.few_rows import require_fitted
from venire.models.input import LAYOUT, CategoricalFeatures, Layout, highest_codes, read_predict
from venire.models.neighbors.distance_weights import called, means_by_distance
from venire.models.neighbors.metric_search import EUCLIDEAN, METRICS, MetricSearch, effective
from venire.models.neighbors.search import Found, Search
from venire.models.neighbors.sparse_search import SparseSearch
from venire.models.sparse import by_rows, is_sparse
from venire.models.tree.growth import thread_count
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import FEATURES, CheckedState, Fitted
from venire.states.constraints import Sizes, array, of_type, require, whole

Floats = NDArray[np.float64]
DistanceWeights = str | Callable[[Floats], ArrayLike]

CONSTRAINTS: dict[str, list[Any]] = {
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "weights": [StrOptions({"uniform", "distance"}), callable],
    "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
    "leaf_size": [Interval(Integral, 1, None, closed="left")],
    "p": [Interval(Real, 0, None, closed="right")],
    "metric": [StrOptions(set(METRICS)), callable],
    "metric_params": [dict, None],
    "scale": [StrOptions({"auto", "none", "spread", "range"})],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "max_rows": [Interval(Integral, 1, None, closed="left"), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


LEARNED: Fitted = {
    **FEATURES,
    "_layout": LAYOUT,
    "n_samples_fit_": whole(low=1),
    "_kept": array("i8", "rows", low=0),
    "_search": of_type(Search, SparseSearch, MetricSearch),
    "_votes": array("f8", "rows", low=0),
}


class NeighborsBase(CheckedState, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Reading rows, searching, and the running sums that give every k."""

    n_neighbors: int
    weights: DistanceWeights
    p: float
    metric: Any
    metric_params: dict[str, Any] | None
    scale: str
    categorical_features: CategoricalFeatures
    max_rows: int | None
    random_state: Any
    n_jobs: int | None
    _fitted_constraints: ClassVar[Fitted] = {**LEARNED, "_values": array("f8", "rows", "outputs")}
    _layout: Layout
    _search: Search | SparseSearch | MetricSearch
    _values: Floats  # [training row, output]: what a neighbour says
    _votes: Floats  # [training row]: how much its word weighs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        tags.target_tags.multi_output = getattr(self, "costs", None) is None
        return tags

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        kept, points = (sizes["rows"], sizes["features"]), state["_search"].points.shape
        require(points == kept, f"_search has points of shape {points}, and there are {kept[0]} rows of {kept[1]}")

    def _learn(self, matrix: Any, values: Floats, votes: Floats | None) -> None:
        counted = np.arange(matrix.shape[0]) if votes is None else np.flatnonzero(votes > 0)
        if not counted.size:
            raise DataError("no row has a positive weight", hint="give at least one row a weight above 0")
        counted = counted[drawn_rows(len(counted), self.max_rows, self.random_state)]
        if self.n_neighbors > len(counted):
            raise UsageError(
                f"n_neighbors = {self.n_neighbors}, n_samples = {len(counted)}: more neighbours than rows",
                hint="take fewer neighbours than there are rows",
            )
        self.n_samples_fit_ = matrix.shape[0]
        self._kept = counted
        self._search = self._searched(matrix.tocsr()[counted] if is_sparse(matrix) else matrix[counted])
        self._values = values[counted]
        self._votes = np.ones(len(counted)) if votes is None else votes[counted]

    def _searched(self, points: Any) -> Search | SparseSearch | MetricSearch:
        """The rows that are kept, ready to be searched by the distance that was asked for."""
        metric, settings = effective(self.metric, self.p, self.metric_params)
        if settings or callable(metric) or metric not in EUCLIDEAN:
            if self._layout.categorical.any():
                raise UsageError(
                    f"metric={self.metric!r} is a distance of numbers, and there are categorical columns",
                    hint="use metric='minkowski' with p=2, or encode the categories",
                )
            return MetricSearch(points, self.scale, metric, settings)
        if is_sparse(points):
            return SparseSearch(points, self.scale)
        return Search(points, self._layout.categorical, self.scale)

    @property
    def effective_metric_(self) -> Any:
        """The distance in use."""
        return effective(self.metric, self.p, self.metric_params)[0]

    @property
    def effective_metric_params_(self) -> dict[str, Any]:
        """Its settings."""
        return effective(self.metric, self.p, self.metric_params)[1]

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Distances and numbers of the nearest training rows, nearest first, ties in row order: [row, neighbour].

        Without X, the nearest other rows of each training row of positive weight; without distances, the numbers alone.
        """
        k = self.n_neighbors if n_neighbors is None else int(n_neighbors)
        found = self._near(X, k) if X is not None else self._near_others(k)
        return (found.distances, self._kept[found.rows]) if return_distance else self._kept[found.rows]

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> csr_matrix:
        """Who is near whom: a sparse matrix [row, training row] of ones, or with `mode="distance"` of distances."""
        if mode not in ("connectivity", "distance"):
            raise UsageError(f"mode={mode!r} is not known", hint='"connectivity" or "distance"')
        distances, rows = self.kneighbors(X, n_neighbors)
        values = np.ones(rows.size) if mode == "connectivity" else distances.ravel()
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        return csr_matrix((values, rows.ravel(), starts), shape=(len(rows), self.n_samples_fit_))

    @staticmethod
    def _within(k: int, most: int) -> None:
        if not 1 <= k <= most:
            raise UsageError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {most}",
                hint="ask for at least one neighbour, and for no more than there are",
            )

    def _near_others(self, k: int) -> Found:
        require_fitted(self, "_search")
        self._within(k, len(self._kept) - 1)
        return self._search.nearest_others(k, thread_count(self.n_jobs))

    def _near(self, X: Any, k: int) -> Found:
        require_fitted(self, "_search")
        matrix, threads, search = (
            read_predict(self, X, self._layout, sparse=True),
            thread_count(self.n_jobs),
            self._search,
        )
        self._within(k, len(self._kept))
        if isinstance(search, SparseSearch | MetricSearch):
            return search.nearest(matrix, k, threads)
        if not is_sparse(matrix):
            highest_codes(matrix, self._layout.categorical)
            return search.nearest(matrix, k, threads)
        rows = by_rows(matrix, lambda block: search.nearest(block, k, threads).rows, axis=0)
        return Found(rows, by_rows(matrix, lambda block: search.nearest(block, k, threads).distances, axis=0))

    def _counts(self, n_neighbors: Iterable[int] | None, most: int) -> list[int]:
        if n_neighbors is None:
            return list(range(1, min(self.n_neighbors, most) + 1))
        counts = [int(k) for k in n_neighbors]
        if not counts or min(counts) < 1 or max(counts) > most:
            raise UsageError(f"every k must lie in 1..{most}; got {counts}")
        return counts

    def _paths(self, X: Any, n_neighbors: Iterable[int] | None) -> Floats:
        require_fitted(self, "_search")
        counts = self._counts(n_neighbors, len(self._kept))
        return self._means(self._near(X, max(counts)), counts)

    def _left_out_paths(self, n_neighbors: Iterable[int] | None) -> Floats:
        check_is_fitted(self, "_search")
        if len(self._kept) < 2:
            raise UsageError("leaving one row out needs at least two rows")
        counts = self._counts(n_neighbors, len(self._kept) - 1)
        return self._means(self._near_others(max(counts)), counts)

    def _means(self, found: Found, counts: list[int]) -> Floats:
        """The weighted mean of what the first k neighbours say, for every k: [k, row, output]."""
        weights = self._votes[found.rows]
        out = np.empty((len(counts), len(weights), self._values.shape[1]))
        if isinstance(self.weights, str) and self.weights == "distance":
            return means_by_distance(found, self._values, weights, counts, out)
        if callable(self.weights):
            weights = weights * called(self.weights, found.distances)
        totals = np.cumsum(weights, axis=1)
        # A neighbourhood whose rows all weigh nothing is heard without distance weights.
        for c in range(out.shape[2]):
            sums = np.cumsum(weights * self._values[found.rows, c], axis=1)
            plain = None
            for place, k in enumerate(counts):
                counted = totals[:, k - 1] > 0
                np.divide(sums[:, k - 1], totals[:, k - 1], out=out[place, :, c], where=counted)
                if not counted.all():
                    plain = self._values[found.rows, c] if plain is None else plain
                    out[place, ~counted, c] = plain[~counted, :k].mean(axis=1)
        return out
