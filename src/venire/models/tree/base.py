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
from venire.data.store.stored_matrix import is_stored
from venire.errors import DataError, UsageError
from venire.metrics.predictions import least_cost
from venire.models.classes import codes_among
from venire.models.few_rows import require_fitted
from venire.models.input import LAYOUT, CategoricalFeatures, Layout, read_predict
from venire.models.sparse import by_rows, coded, is_sparse, sparse_bins
from venire.models.stored_bins import stored_bins
from venire.models.tree.growth import Problem, TreeStream, combined_weights, thread_count
from venire.models.tree.targets import JOINT_CRITERIA, JOINT_NUMBERS, joint_classes, joint_numbers, parted
from venire.sklearn_private import Interval, RealNotInt, StrOptions
from venire.states.checked import CLASSES, FEATURES, CheckedState, Fitted
from venire.states.constraints import (
    Refused,
    Sizes,
    count,
    either,
    labels,
    maybe,
    of_type,
    optional,
    require,
    sequence,
    whole,
)

TREE_CONSTRAINTS: dict[str, list[Any]] = {
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
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
    "random_state": ["random_state", TreeStream],
    "n_jobs": [Integral, None],
    "monotonic_cst": ["array-like", None],
}
CLASS_CRITERIA = StrOptions({"gini", "entropy", "log_loss", "gain_ratio", "error"})
NUMBER_CRITERIA = StrOptions({"variance", "squared_error", "friedman_mse", "absolute", "absolute_error", "poisson"})


class TreeEnsembleBase(CheckedState, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What every estimator on the tree core shares: reading input, binning, and asking the grown trees."""

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        "_layout": LAYOUT,
        "_forest": of_type(Forest),
        "_widths": optional(maybe(sequence(whole(low=1), kind=tuple))),
    }
    _widths: tuple[int, ...] | None = None  # of several targets: how many columns of the core each has
    _forest: Forest
    _layout: Layout
    n_features_in_: int
    categorical_features: CategoricalFeatures
    max_bins: int
    n_jobs: int | None
    _takes_sparse: ClassVar[bool] = True
    _takes_several: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._takes_sparse and getattr(self, "combinations", None) is None
        one = getattr(self, "costs", None) is not None or getattr(self, "voting", "soft") == "hard"
        joint = getattr(self, "criterion", "") in (*JOINT_CRITERIA, *JOINT_NUMBERS)
        tags.target_tags.multi_output = self._takes_several and joint and not one
        return tags

    def _validate_params(self) -> None:
        super()._validate_params()
        if getattr(self, "monotonic_cst", None) is not None:
            raise UsageError(
                f"monotonic_cst: {type(self).__name__} grows no monotone trees",
                hint="GradientBoostingClassifier and GradientBoostingRegressor do (monotone)",
            )

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        widths = state.get("_widths")
        outputs = sizes.get("classes", 1) if widths is None else sum(widths)
        require_outputs(state["_forest"], sizes["features"], outputs)

    def _refuse_several(self, what: str) -> None:
        """An error where this is for models of one target alone."""
        if self._widths is not None:
            raise UsageError(
                f"{what} is for one target, and this model has {len(self._widths)}",
                code="several_targets",
                hint="fit one model for each target",
            )

    @property
    def n_outputs_(self) -> int:
        """The number of targets."""
        check_is_fitted(self, "_forest")
        return 1 if self._widths is None else len(self._widths)

    def _bins(self, matrix: NDArray[Any], problem: Problem) -> Bins:
        threads = thread_count(self.n_jobs)
        how: dict[str, Any] = {"max_bins": self.max_bins, "threads": threads}
        if is_stored(matrix):
            return stored_bins(matrix, self._layout.categorical, problem.weights, **how)
        make = sparse_bins if is_sparse(matrix) else Bins.of
        return make(matrix, self._layout.categorical, problem.weights, **how)

    def _edges(self, matrix: NDArray[Any]) -> Edges:
        threads = thread_count(self.n_jobs)
        return Edges.of(matrix, self._layout.categorical, None, max_bins=self.max_bins, threads=threads)

    def _read(self, X: Any) -> NDArray[Any]:
        require_fitted(self, "_forest")
        return read_predict(self, X, self._layout, sparse=self._takes_sparse)

    def _average(self, X: Any, counts: Sequence[int], *, votes: bool = False) -> NDArray[np.float64]:
        matrix = self._read(X)
        threads = thread_count(self.n_jobs)
        if self._takes_codes(matrix):
            return self._forest.average_coded(
                *coded(self._forest, matrix, threads), list(counts), votes=votes, threads=threads
            )
        return by_rows(
            matrix, lambda rows: self._forest.average(rows, list(counts), votes=votes, threads=threads), axis=1
        )

    def _takes_codes(self, matrix: Any) -> bool:
        """Whether rows of this matrix are coded by their stored cells; sums of columns need their numbers."""
        return is_sparse(matrix) and getattr(self, "combinations", None) is None

    def _one_or_all(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """[..., target] as [...] where there is one target."""
        return values[..., 0] if self._widths is None else values

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The number of the node in which each row ends: [row, tree]."""
        matrix, threads = self._read(X), thread_count(self.n_jobs)
        if self._takes_codes(matrix):
            return self._forest.leaves_coded(*coded(self._forest, matrix, threads), threads=threads)
        return by_rows(matrix, lambda rows: self._forest.leaves(rows, threads=threads), axis=0)

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


def several_classes(value: Any, sizes: Sizes) -> None:
    """A list with the classes of each target."""
    require(isinstance(value, list), "is no list of classes")
    for known in value:
        labels("classes")(known, {})


TREE_CLASSES: Fitted = {
    **TreeEnsembleBase._fitted_constraints,
    **CLASSES,
    "classes_": either(labels("classes"), several_classes),
    "n_classes_": either(count("classes"), sequence(whole(low=1))),
}


def require_outputs(forest: Forest, features: int, outputs: int) -> None:
    """Refuse trees on other columns, or that say another number of things."""
    try:
        predicted = forest.average(np.zeros((1, features)), [1], votes=False, threads=1)
    except ValueError as error:
        raise Refused(f"_forest does not go with the other attributes: {error}") from None
    require(predicted.shape[-1] == outputs, f"_forest has {predicted.shape[-1]} outputs where {outputs} are needed")


class ClassesMixin(ClassifierMixin):  # type: ignore[misc]  # scikit-learn has no types
    """Reading a target of classes, and turning shares into labels."""

    classes_: Any  # an array; of several targets, a list of arrays
    n_classes_: Any
    costs: Any
    criterion: Any  # a word; of boosting, None
    _widths: tuple[int, ...] | None
    _costs: NDArray[np.float64] | None

    def _problem(self, y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any, class_weight: Any) -> Problem:
        if y.ndim == 2:
            return self._joint_problem(y, matrix, sample_weight, class_weight)
        whole = y.dtype.kind in "iub"
        if not whole:
            check_classification_targets(y)
        self._speak_of(np.unique(y))
        if whole and 2 * len(self.classes_) > len(y):
            check_classification_targets(y)  # which warns of whole numbers that are hardly classes
        weights = combined_weights(sample_weight, class_weight, matrix, y)
        return Problem(self.n_classes_, codes_among(self.classes_, y), None, weights)

    def _speak_of(self, classes: NDArray[Any]) -> None:
        """The classes of one target, and what to decide among them by."""
        self._widths = None
        self.classes_, self.n_classes_ = classes, len(classes)
        self._costs = decisive_costs(self.costs, classes)

    def _joint_problem(self, y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any, class_weight: Any) -> Problem:
        check_classification_targets(y)
        if self.costs is not None or getattr(self, "voting", "soft") == "hard":
            raise UsageError("costs and votes are for one target", hint="fit one estimator for each target")
        self._costs = None
        self.classes_, problem = joint_classes(y, self.criterion, matrix, sample_weight, class_weight)
        self.n_classes_ = [len(known) for known in self.classes_]
        self._widths = tuple(self.n_classes_)
        return problem

    def _by_target(self, shares: NDArray[np.float64]) -> Any:
        """Shares [..., class]; of several targets, a list of them."""
        return shares if self._widths is None else parted(shares, self._widths)

    def _labels(self, shares: NDArray[np.float64]) -> NDArray[Any]:
        """The classes that shares [..., class] speak for, at the least expected cost when there are costs."""
        if self._widths is not None:
            each = zip(self.classes_, parted(shares, self._widths), strict=True)
            return np.stack([known[part.argmax(axis=-1)] for known, part in each], axis=-1)
        if self._costs is None:
            return np.asarray(self.classes_[shares.argmax(axis=-1)])
        codes = least_cost(shares.reshape(-1, self.n_classes_), self._costs)
        return np.asarray(self.classes_[codes.reshape(shares.shape[:-1])])


def logarithms(shares: Any) -> Any:
    """The logarithms of shares, or of a list of them; minus infinity for 0."""
    if isinstance(shares, list):
        return [logarithms(part) for part in shares]
    with np.errstate(divide="ignore"):
        return np.log(shares)


def number_problem(estimator: Any, y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any) -> Problem:
    """A target of numbers, or several of them, as the core takes it."""
    if y.ndim == 2:
        estimator._widths = (1,) * y.shape[1]
        return joint_numbers(y, estimator.criterion, matrix, sample_weight)
    estimator._widths = None
    if estimator.criterion == "poisson":
        check_poisson(y, "strictly positive")
    weights = combined_weights(sample_weight, None, matrix, y)
    return Problem(0, None, np.ascontiguousarray(y, dtype=np.float64), weights)


def check_poisson(y: NDArray[Any], how: str = "positive") -> None:
    """The Poisson deviance is of counts: none negative, not all 0."""
    if (y < 0).any():
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression.",
            code="target_range",
            hint="use criterion='squared_error'",
        )
    if not y.any():
        raise DataError(
            f"Sum of y is not {how} which is necessary for Poisson regression.",
            code="target_range",
            hint="use criterion='squared_error'",
        )
