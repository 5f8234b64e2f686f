"""Decision trees for classes and for numbers, grown by the compiled core.

The parameters carry scikit-learn's names. What scikit-learn does not have: many-way categorical splits, `gain_ratio` and
`error`, a random pick among the N best splits, missing values everywhere, and every pruning level from one growth.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.inspection import permutation_importance
from sklearn.utils import Bunch
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from venire._core import Bins, Forest
from venire.models.tree_growth import Growth, Problem, combined_weights, shared_settings, thread_count
from venire.models.tree_input import CategoricalFeatures, Layout, read_fit, read_predict
from venire.models.tree_view import Rule, TreeNode, read_nodes, to_rules, to_text

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


class TreeEnsembleBase(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What every estimator on the tree core shares: reading input, binning, and asking the grown trees."""

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

    def _bins(self, matrix: NDArray[Any], problem: Problem) -> Bins:
        threads = thread_count(self.n_jobs)
        return Bins.of(matrix, self._layout.categorical, problem.weights, max_bins=self.max_bins, threads=threads)

    def _read(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self, "_forest")
        return read_predict(self, X, self._layout)

    def _average(self, X: Any, counts: Sequence[int], *, votes: bool = False) -> NDArray[np.float64]:
        matrix = self._read(X)
        return self._forest.average(matrix, list(counts), votes=votes, threads=thread_count(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The number of the node in which each row ends (for forests, one column a tree)."""
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
        result = permutation_importance(
            self, X, y, n_repeats=n_repeats, scoring=scoring, random_state=random_state, n_jobs=1
        )
        return np.asarray(result.importances)


class ClassesMixin(ClassifierMixin):  # type: ignore[misc]  # scikit-learn has no types
    """Reading a target of classes, and turning shares into labels."""

    classes_: NDArray[Any]
    n_classes_: int

    def _problem(self, y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any, class_weight: Any) -> Problem:
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        weights = combined_weights(sample_weight, class_weight, matrix, y)
        return Problem(self.n_classes_, np.ascontiguousarray(labels, dtype=np.int32), None, weights)

    def _labels(self, shares: NDArray[np.float64]) -> NDArray[Any]:
        return np.asarray(self.classes_[shares.argmax(axis=-1)])


def number_problem(y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any) -> Problem:
    """A target of numbers as the core takes it."""
    weights = combined_weights(sample_weight, None, matrix, y)
    return Problem(0, None, np.ascontiguousarray(y, dtype=np.float64), weights)


class _SingleTree(TreeEnsembleBase):
    """What both trees share: one growth, its pruning levels, its text."""

    def _grow(self, matrix: NDArray[Any], problem: Problem) -> None:
        rows, columns = matrix.shape
        growth = Growth(**shared_settings(self, rows, columns))
        self._forest = growth.grow(self._bins(matrix, problem), matrix, problem)

    def get_depth(self) -> int:
        """The length of the longest way from the root to a leaf."""
        check_is_fitted(self, "_forest")
        return self._forest.sizes(0)[2]

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self, "_forest")
        return self._forest.sizes(0)[1]

    @property
    def nodes_(self) -> tuple[TreeNode, ...]:
        """All nodes as plain data; node 0 is the root."""
        check_is_fitted(self, "_forest")
        return read_nodes(self._forest, 0, self._layout, self._names())

    def _names(self, given: Sequence[str] | None = None) -> list[str]:
        if given is not None:
            return [str(name) for name in given]
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        return [f"x{j}" for j in range(self.n_features_in_)]

    def _outcomes(self) -> list[Any] | None:
        return list(self.classes_) if hasattr(self, "classes_") else None

    def export_text(
        self, *, feature_names: Sequence[str] | None = None, decimals: int = 2, max_depth: int | None = None
    ) -> str:
        """The tree as text: one line a branch, leaves with what they predict and how many rows they hold."""
        check_is_fitted(self, "_forest")
        nodes = read_nodes(self._forest, 0, self._layout, self._names(feature_names))
        outcomes = self._outcomes()
        labels = None if outcomes is None else [str(one) for one in outcomes]
        return to_text(nodes, labels, decimals=decimals, max_depth=max_depth)

    def rules(self, *, feature_names: Sequence[str] | None = None) -> list[Rule]:
        """The tree as rules, one a leaf."""
        check_is_fitted(self, "_forest")
        return to_rules(read_nodes(self._forest, 0, self._layout, self._names(feature_names)), self._outcomes())

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Every level of the nested sequence of pruned trees: `ccp_alphas`, and the impurity of the leaves of each.

        Level 0 is the tree as grown; the last one is the root alone.
        """
        full = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        alphas, impurities = full._forest.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def _levels(self, X: Any, ccp_alphas: ArrayLike | None) -> NDArray[np.float64]:
        matrix = self._read(X)
        if ccp_alphas is None:
            ccp_alphas = self._forest.pruning_path()[0]
        wanted = np.asarray(ccp_alphas, dtype=float).ravel()
        levels, place = np.unique(wanted, return_inverse=True)
        return self._forest.levels(matrix, levels.tolist(), threads=thread_count(self.n_jobs))[place]


class DecisionTreeClassifier(ClassesMixin, _SingleTree):
    """A decision tree for classes.

    Parameters that scikit-learn does not have or reads more narrowly:

    criterion : `"gini"`, `"entropy"` (`"log_loss"`), `"gain_ratio"` (a numeric cut is chosen by gain, features are
        compared by gain ratio) or `"error"`.
    splitter : `"best"`, `"random"`, or a whole number N: a random pick among the N best splits.
    categorical : `"subset"` parts the categories in two, `"multiway"` gives every category a branch.
    categorical_features : mask, column numbers or names of columns that hold codes; columns of a frame that are
        categories or strings by type are always included.
    max_bins : numeric columns with more distinct values than this are cut into as many ranges of equal weight.

    Missing values go the way that parts the training rows best; where a node has seen none, they follow the heavier
    branch (of a many-way split: they stop, and get the node's own shares). Categories not seen while fitting are missing values.

    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> print(tree.export_text(feature_names=["size"], decimals=1), end="")
    |--- size <= 2.5
    |   |--- class: a (2)
    |--- size > 2.5
    |   |--- class: b (2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TREE_CONSTRAINTS,
        "criterion": [CLASS_CRITERIA],
        "splitter": [StrOptions({"best", "random"}), Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str | int = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        categorical: str = "subset",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_bins: int = 255,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.categorical = categorical
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree on the rows of X and their classes."""
        self._validate_params()
        matrix, y, self._layout = read_fit(self, X, y, self.categorical_features, numeric_target=False)
        self._grow(matrix, self._problem(y, matrix, sample_weight, self.class_weight))
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The shares of the classes in the leaf of each row."""
        return self._average(X, [1])[0]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithms of the shares; minus infinity for a class that is not there."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The heaviest class in the leaf of each row; ties go to the first class."""
        return self._labels(self.predict_proba(X))

    def predict_proba_path(self, X: Any, ccp_alphas: ArrayLike | None = None) -> NDArray[np.float64]:
        """Shares at every pruning level (or the given ones), from this one tree: [level, row, class]."""
        return self._levels(X, ccp_alphas)

    def predict_path(self, X: Any, ccp_alphas: ArrayLike | None = None) -> NDArray[Any]:
        """Classes at every pruning level (or the given ones), from this one tree: [level, row]."""
        return self._labels(self._levels(X, ccp_alphas))


class DecisionTreeRegressor(RegressorMixin, _SingleTree):  # type: ignore[misc]  # scikit-learn has no types
    """A decision tree for numbers.

    criterion : `"variance"` (`"squared_error"`), leaves predict means; or `"absolute"` (`"absolute_error"`), medians.
    The other parameters are those of `DecisionTreeClassifier`.

    >>> tree = DecisionTreeRegressor(max_depth=1).fit([[1], [2], [3], [4]], [1.0, 1.0, 5.0, 7.0])
    >>> tree.predict([[0], [9]]).tolist()
    [1.0, 6.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TREE_CONSTRAINTS,
        "criterion": [NUMBER_CRITERIA],
        "splitter": [StrOptions({"best", "random"}), Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        criterion: str = "variance",
        splitter: str | int = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        categorical: str = "subset",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_bins: int = 255,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.categorical = categorical
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree on the rows of X and their targets."""
        self._validate_params()
        matrix, y, self._layout = read_fit(self, X, y, self.categorical_features, numeric_target=True)
        self._grow(matrix, number_problem(y, matrix, sample_weight))
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean (or median) of the leaf of each row."""
        return self._average(X, [1])[0, :, 0]

    def predict_path(self, X: Any, ccp_alphas: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predictions at every pruning level (or the given ones), from this one tree: [level, row]."""
        return self._levels(X, ccp_alphas)[:, :, 0]
