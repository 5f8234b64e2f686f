"""k nearest neighbours for classes and for numbers: weighted votes, mixed columns, every k from one search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from venire.combine.least_cost import decisive_costs
from venire.errors import UsageError
from venire.models.classes import class_codes
from venire.models.input import CategoricalFeatures, read_fit
from venire.models.neighbors.base import CONSTRAINTS, LEARNED, DistanceWeights, NeighborsBase
from venire.models.tree.base import ClassesMixin, several_classes
from venire.models.tree.growth import combined_weights
from venire.models.tree.targets import one_target
from venire.sklearn_private import StrOptions
from venire.states.checked import CLASSES, Fitted
from venire.states.constraints import array, either, labels, maybe, optional, sequence, whole

Floats = NDArray[np.float64]


class KNeighborsClassifier(ClassesMixin, NeighborsBase):
    """The (weighted) majority of the k nearest rows; of several targets, of each.

    Parameters
    ----------
    n_neighbors
        k, and the longest path of `predict_path` unless another is given.
    weights
        `"uniform"`, `"distance"` (1 / distance) or a function of an array of distances.
    algorithm, leaf_size
        Taken because scikit-learn's take them: the neighbours are the same, and the search chooses its way itself.
    p, metric, metric_params
        The distance: Minkowski's of power p (2: Euclidean, which alone takes categories and missing values), another
        of scikit-learn's by its name (`"manhattan"`, `"cosine"`, …), or a function of two rows; and its settings.
        Others than the Euclidean look at all rows, and are slower.
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
        **LEARNED,
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
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
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
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
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

    def shares_and_labels(self, X: Any) -> tuple[Any, NDArray[Any]]:
        """What `predict_proba` and `predict` say, of one search."""
        votes = self._paths(X, [self.n_neighbors])[0]
        return self._by_target(votes), self._labels(votes)

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


class KNeighborsRegressor(RegressorMixin, NeighborsBase):  # type: ignore[misc]  # scikit-learn has no types
    """The (weighted) mean of the k nearest rows; of several targets, of each.

    Parameters
    ----------
    n_neighbors, weights, algorithm, leaf_size, p, metric, metric_params
        As of `KNeighborsClassifier`.
    scale, categorical_features, max_rows, random_state, n_jobs
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
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        scale: str = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_rows: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
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
