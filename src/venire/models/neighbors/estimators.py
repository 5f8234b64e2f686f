"""k nearest neighbours for classes and for numbers: weighted votes, mixed columns, every k from one search.

`neighbors_search` has the distance. Example weights are weights of votes: a row of weight 2 is one neighbour with two
votes. Rows of weight 0 have no vote and are not neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from venire.combine.least_cost import decisive_costs
from venire.errors import DataError, UsageError
from venire.models.classes import class_codes
from venire.models.drawn_rows import drawn_rows
from venire.models.few_rows import require_fitted
from venire.models.input import LAYOUT, CategoricalFeatures, Layout, highest_codes, read_fit, read_predict
from venire.models.neighbors.distance_weights import called, means_by_distance
from venire.models.neighbors.search import Found, Search
from venire.models.neighbors.sparse_search import SparseSearch
from venire.models.sparse import by_rows, is_sparse
from venire.models.tree.base import ClassesMixin, several_classes
from venire.models.tree.growth import combined_weights, thread_count
from venire.models.tree.targets import one_target
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import CLASSES, FEATURES, CheckedState, Fitted
from venire.states.constraints import Sizes, array, either, labels, maybe, of_type, optional, require, sequence, whole

Floats = NDArray[np.float64]
DistanceWeights = str | Callable[[Floats], ArrayLike]

CONSTRAINTS: dict[str, list[Any]] = {
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "weights": [StrOptions({"uniform", "distance"}), callable],
    "scale": [StrOptions({"auto", "none", "spread", "range"})],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "max_rows": [Interval(Integral, 1, None, closed="left"), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


_LEARNED: Fitted = {
    **FEATURES,
    "_layout": LAYOUT,
    "n_samples_fit_": whole(low=1),
    "_kept": array("i8", "rows", low=0),
    "_search": of_type(Search, SparseSearch),
    "_votes": array("f8", "rows", low=0),
}


class _Neighbors(CheckedState, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Reading rows, searching, and the running sums that give every k."""

    n_neighbors: int
    weights: DistanceWeights
    scale: str
    categorical_features: CategoricalFeatures
    max_rows: int | None
    random_state: Any
    n_jobs: int | None
    _fitted_constraints: ClassVar[Fitted] = {**_LEARNED, "_values": array("f8", "rows", "outputs")}
    _layout: Layout
    _search: Search | SparseSearch
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
        if is_sparse(matrix):
            self._search = SparseSearch(matrix.tocsr()[counted], self.scale)
        else:
            self._search = Search(matrix[counted], self._layout.categorical, self.scale)
        self._values = values[counted]
        self._votes = np.ones(len(counted)) if votes is None else votes[counted]

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[Floats, NDArray[np.int64]]:
        """Distances and numbers of the nearest training rows, nearest first, ties in row order: [row, neighbour]."""
        found = self._near(X, n_neighbors or self.n_neighbors)
        return found.distances, self._kept[found.rows]

    def _near(self, X: Any, k: int) -> Found:
        require_fitted(self, "_search")
        matrix, threads, search = (
            read_predict(self, X, self._layout, sparse=True),
            thread_count(self.n_jobs),
            self._search,
        )
        if isinstance(search, SparseSearch):
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
        return self._means(self._search.nearest_others(max(counts), thread_count(self.n_jobs)), counts)

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


class KNeighborsClassifier(ClassesMixin, _Neighbors):
    """The (weighted) majority of the k nearest rows; of several targets, of each.

    Parameters
    ----------
    n_neighbors
        k, and the longest path of `predict_path` unless another is given.
    weights
        `"uniform"`, `"distance"` (1 / distance) or a function of an array of distances.
    scale
        What numeric columns are divided by: `"none"`, `"spread"` (standard deviation), `"range"`, or `"auto"`: the
        range if there are categorical columns, nothing otherwise.
    categorical_features
        Mask, column numbers or names of columns that hold codes; columns of a frame that are categories or strings
        by type are always included.
    class_weight
        A dict, or `"balanced"`; multiplies the example weights, which are weights of votes.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    max_rows
        Of more rows so many are kept, drawn at random: neighbours are then sought among these alone.
    random_state
        Seed of that draw.
    n_jobs
        Threads. They change nothing but the time.

    Examples
    --------
    Votes for every k come from one search, and so do those of every training row with itself left out:

    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0.0], [1.0], [2.0], [3.5]], ["a", "a", "b", "b"])
    >>> model.predict_path([[1.6]]).ravel().tolist()
    ['b', 'a', 'a']
    >>> model.loo_predict_path()[0].tolist()
    ['a', 'a', 'a', 'b']
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **_LEARNED,
        **CLASSES,
        "classes_": either(labels("classes"), several_classes),
        "_widths": optional(maybe(sequence(whole(low=1), kind=tuple))),
        "_values": array("f8", "rows", "classes"),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
    }

    classes_: Any  # an array; of several targets, a list of arrays
    _widths: tuple[int, ...] | None = None

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: DistanceWeights = "uniform",
        scale: str = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        max_rows: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.scale = scale
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.costs = costs
        self.max_rows = max_rows
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows and the weights of their votes."""
        self._validate_params()
        matrix, y, self._layout = read_fit(
            self, X, y, self.categorical_features, numeric_target=False, several=True, sparse=True
        )
        y = one_target(y)
        votes = combined_weights(sample_weight, self.class_weight, matrix, y)
        if y.ndim == 1:
            self.classes_, codes = class_codes(y)
            self._costs = decisive_costs(self.costs, self.classes_)
            values, self._widths = np.eye(len(self.classes_))[codes], None
        else:
            if self.costs is not None:
                raise UsageError("costs are for one target", hint="fit one estimator for each target")
            self._costs = None
            self.classes_, each = map(list, zip(*map(class_codes, y.T), strict=True))
            values = np.hstack([np.eye(len(known))[codes] for known, codes in zip(self.classes_, each, strict=True)])
            self._widths = tuple(map(len, self.classes_))
        self._learn(matrix, values, votes)
        return self

    @property
    def n_classes_(self) -> Any:
        """The number of classes; of several targets, a list."""
        return [len(known) for known in self.classes_] if self._widths is not None else len(self.classes_)

    def predict_proba(self, X: Any) -> Any:
        """The classes' shares of the votes of the k nearest rows; of several targets, a list of them."""
        return self._by_target(self._paths(X, [self.n_neighbors])[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with most votes (ties go to the first), or with `costs` the one of least expected cost."""
        return self._labels(self._paths(X, [self.n_neighbors])[0])

    def predict_proba_path(self, X: Any, n_neighbors: Iterable[int] | None = None) -> Any:
        """Shares of the votes for k = 1, 2, …, `n_neighbors` (or the given ones), from one search: [k, row, class]."""
        return self._by_target(self._paths(X, n_neighbors))

    def predict_path(self, X: Any, n_neighbors: Iterable[int] | None = None) -> NDArray[Any]:
        """Classes for k = 1, 2, …, `n_neighbors` (or the given ones), from one search: [k, row]."""
        return self._labels(self._paths(X, n_neighbors))

    def loo_predict_proba_path(self, n_neighbors: Iterable[int] | None = None) -> Any:
        """Shares for every training row of positive weight by all others, for every k: [k, row, class].

        Equal to fitting without the row, as long as the scale does not depend on it (`scale="none"`).
        """
        return self._by_target(self._left_out_paths(n_neighbors))

    def loo_predict_path(self, n_neighbors: Iterable[int] | None = None) -> NDArray[Any]:
        """Classes for every training row of positive weight by all others, for every k: [k, row]."""
        return self._labels(self._left_out_paths(n_neighbors))


class KNeighborsRegressor(RegressorMixin, _Neighbors):  # type: ignore[misc]  # scikit-learn has no types
    """The (weighted) mean of the k nearest rows; of several targets, of each.

    Parameters
    ----------
    n_neighbors, weights, scale, categorical_features, max_rows, random_state, n_jobs
        As of `KNeighborsClassifier`.

    Examples
    --------
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 8.0])
    >>> model.predict_path([[2.5]]).tolist(), model.loo_predict_path([1])[0].tolist()
    ([[8.0], [4.5]], [1.0, 0.0, 1.0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: DistanceWeights = "uniform",
        scale: str = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_rows: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.scale = scale
        self.categorical_features = categorical_features
        self.max_rows = max_rows
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows and the weights of their values."""
        self._validate_params()
        matrix, y, self._layout = read_fit(
            self, X, y, self.categorical_features, numeric_target=True, several=True, sparse=True
        )
        values = np.asarray(one_target(y), dtype=np.float64)
        self._learn(matrix, values.reshape(len(values), -1), combined_weights(sample_weight, None, matrix, y))
        return self

    def _one_or_all(self, means: Floats) -> Floats:
        return means[..., 0] if means.shape[-1] == 1 else means

    def predict(self, X: Any) -> Floats:
        """The mean of the k nearest rows."""
        return self._one_or_all(self._paths(X, [self.n_neighbors])[0])

    def predict_path(self, X: Any, n_neighbors: Iterable[int] | None = None) -> Floats:
        """Means for k = 1, 2, …, `n_neighbors` (or the given ones), from one search: [k, row]."""
        return self._one_or_all(self._paths(X, n_neighbors))

    def loo_predict_path(self, n_neighbors: Iterable[int] | None = None) -> Floats:
        """Means for every training row of positive weight by all others, for every k: [k, row]."""
        return self._one_or_all(self._left_out_paths(n_neighbors))
