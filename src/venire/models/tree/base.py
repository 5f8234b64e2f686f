"""What every estimator on the tree core shares: constraints, reading input, binning, asking the grown trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from venire._core import Bins, Edges, Forest
from venire.combine.least_cost import decisive_costs
from venire.metrics.predictions import least_cost
from venire.models.classes import codes_among
from venire.models.input import LAYOUT, CategoricalFeatures, Layout, read_predict
from venire.models.tree.growth import Problem, combined_weights, thread_count
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import CLASSES, FEATURES, CheckedState, Fitted
from venire.states.constraints import Refused, Sizes, count, of_type, require

TREE_CONSTRAINTS: dict[str, list[Any]] = {
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(Real, 0.0, 1.0, closed="right")],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0.0, 1.0, closed="neither")],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Real, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2", "log2+1"}),
        None,
    ],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "categorical": [StrOptions({"subset", "multiway"})],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}
CLASS_CRITERIA = StrOptions({"gini", "entropy", "log_loss", "gain_ratio", "error"})
NUMBER_CRITERIA = StrOptions({"variance", "squared_error", "absolute", "absolute_error"})


class TreeEnsembleBase(CheckedState, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What every estimator on the tree core shares: reading input, binning, and asking the grown trees."""

    _fitted_constraints: ClassVar[Fitted] = {**FEATURES, "_layout": LAYOUT, "_forest": of_type(Forest)}
    _forest: Forest
    _layout: Layout
    n_features_in_: int
    categorical_features: CategoricalFeatures
    max_bins: int
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        require_outputs(state["_forest"], sizes["features"], sizes.get("classes", 1))

    def _bins(self, matrix: NDArray[Any], problem: Problem) -> Bins:
        threads = thread_count(self.n_jobs)
        return Bins.of(matrix, self._layout.categorical, problem.weights, max_bins=self.max_bins, threads=threads)

    def _edges(self, matrix: NDArray[Any]) -> Edges:
        threads = thread_count(self.n_jobs)
        return Edges.of(matrix, self._layout.categorical, None, max_bins=self.max_bins, threads=threads)

    def _read(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self, "_forest")
        return read_predict(self, X, self._layout)

    def _average(self, X: Any, counts: Sequence[int], *, votes: bool = False) -> NDArray[np.float64]:
        matrix = self._read(X)
        return self._forest.average(matrix, list(counts), votes=votes, threads=thread_count(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The number of the node in which each row ends: [row, tree]."""
        matrix = self._read(X)
        return self._forest.leaves(matrix, threads=thread_count(self.n_jobs))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of the whole decrease of impurity that each feature brought, averaged over trees."""
        check_is_fitted(self, "_forest")
        raw = np.maximum(self._forest.importances(), 0.0)
        totals = raw.sum(axis=1, keepdims=True)
        grown = totals[:, 0] > 0
        if not grown.any():
            return np.zeros(self.n_features_in_)
        mean = (raw[grown] / totals[grown]).mean(axis=0)
        return np.asarray(mean / mean.sum())

    def permutation_importances(
        self, X: Any, y: Any, *, n_repeats: int = 5, scoring: Any = None, random_state: Any = 0
    ) -> NDArray[np.float64]:
        """How much the score on (X, y) drops when a column is shuffled: [feature, repeat]."""
        from sklearn.inspection import permutation_importance  # loads scikit-learn's ensembles, which few need

        result = permutation_importance(
            self, X, y, n_repeats=n_repeats, scoring=scoring, random_state=random_state, n_jobs=1
        )
        return np.asarray(result.importances)


TREE_CLASSES: Fitted = {**TreeEnsembleBase._fitted_constraints, **CLASSES, "n_classes_": count("classes")}


def require_outputs(forest: Forest, features: int, outputs: int) -> None:
    """Refuse trees on other columns, or that say another number of things."""
    try:
        predicted = forest.average(np.zeros((1, features)), [1], votes=False, threads=1)
    except ValueError as error:
        raise Refused(f"_forest does not go with the other attributes: {error}") from None
    require(predicted.shape[-1] == outputs, f"_forest has {predicted.shape[-1]} outputs where {outputs} are needed")


class ClassesMixin(ClassifierMixin):  # type: ignore[misc]  # scikit-learn has no types
    """Reading a target of classes, and turning shares into labels."""

    classes_: NDArray[Any]
    n_classes_: int
    costs: Any
    _costs: NDArray[np.float64] | None

    def _problem(self, y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any, class_weight: Any) -> Problem:
        whole = y.dtype.kind in "iub"
        if not whole:
            check_classification_targets(y)
        self.classes_ = np.unique(y)
        if whole and 2 * len(self.classes_) > len(y):
            check_classification_targets(y)  # which warns of whole numbers that are hardly classes
        self.n_classes_ = len(self.classes_)
        self._costs = decisive_costs(self.costs, self.classes_)
        weights = combined_weights(sample_weight, class_weight, matrix, y)
        return Problem(self.n_classes_, codes_among(self.classes_, y), None, weights)

    def _labels(self, shares: NDArray[np.float64]) -> NDArray[Any]:
        """The classes that shares [..., class] speak for, at the least expected cost when there are costs."""
        if self._costs is None:
            return np.asarray(self.classes_[shares.argmax(axis=-1)])
        codes = least_cost(shares.reshape(-1, self.n_classes_), self._costs)
        return np.asarray(self.classes_[codes.reshape(shares.shape[:-1])])


def number_problem(y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any) -> Problem:
    """A target of numbers as the core takes it."""
    weights = combined_weights(sample_weight, None, matrix, y)
    return Problem(0, None, np.ascontiguousarray(y, dtype=np.float64), weights)
