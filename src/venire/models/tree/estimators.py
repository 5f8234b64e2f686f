"""Decision trees for classes and for numbers, grown by the compiled core.

The parameters carry scikit-learn's names. What scikit-learn does not have: many-way categorical splits, `gain_ratio`
and `error`, a random pick among the N best splits, missing values everywhere, every pruning level from one growth.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import RegressorMixin, clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_array, check_is_fitted

from venire.models.input import CategoricalFeatures, column_names, read_fit
from venire.models.sparse import coded
from venire.models.tree.arrays import TreeArrays, parents_of, paths_up, read_arrays
from venire.models.tree.base import (
    CLASS_CRITERIA,
    NUMBER_CRITERIA,
    TREE_CLASSES,
    TREE_CONSTRAINTS,
    ClassesMixin,
    TreeEnsembleBase,
    check_poisson,
    logarithms,
    number_problem,
)
from venire.models.tree.growth import Growth, Problem, resolve_max_features, shared_settings, thread_count
from venire.models.tree.targets import one_target
from venire.models.tree.view import Rule, TreeNode, read_nodes, to_rules, to_text
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import Fitted


class _SingleTree(TreeEnsembleBase):
    """What both trees share: one growth, its pruning levels, its text."""

    _takes_several: ClassVar[bool] = True

    def _grow(self, matrix: NDArray[Any], problem: Problem) -> None:
        rows, columns = matrix.shape
        growth = Growth(**shared_settings(self, rows, columns))
        bins = self._edges(matrix) if growth.streams(matrix, problem) else self._bins(matrix, problem)
        self._forest = growth.grow(bins, matrix, problem)

    def get_depth(self) -> int:
        """The length of the longest way from the root to a leaf."""
        check_is_fitted(self, "_forest")
        return self._forest.sizes(0)[2]

    @property
    def max_features_(self) -> int:
        """How many columns a node looks at."""
        check_is_fitted(self, "_forest")
        return resolve_max_features(self.max_features, self.n_features_in_)

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self, "_forest")
        return self._forest.sizes(0)[1]

    @property
    def nodes_(self) -> tuple[TreeNode, ...]:
        """All nodes as plain data; node 0 is the root."""
        check_is_fitted(self, "_forest")
        return read_nodes(self._forest, 0, self._layout, self._names())

    @property
    def tree_(self) -> TreeArrays:
        """The tree as scikit-learn's arrays, read-only and made anew each time; not of splits by categories."""
        check_is_fitted(self, "_forest")
        return read_arrays(self._forest, 0, self.n_features_in_, self._widths)

    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.int32]:
        """The number of the node in which each row ends: [row]."""
        return super().apply(X)[:, 0]

    def decision_path(self, X: Any, check_input: bool = True) -> csr_matrix:
        """Which nodes each row passes: a sparse matrix [row, node], 1 where it does."""
        return paths_up(self.apply(X), parents_of(self._forest, 0))

    def _names(self, given: Sequence[str] | None = None) -> list[str]:
        return column_names(self) if given is None else [str(name) for name in given]

    def _outcomes(self) -> list[Any] | None:
        self._refuse_several("text of a tree")
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
        threads = thread_count(self.n_jobs)
        asked = levels.tolist()
        if self._takes_codes(matrix):
            rows = coded(self._forest, matrix, threads)
            found = self._forest.levels_coded(*rows, by="pruning", levels=asked, threads=threads)
        else:
            found = self._forest.levels(matrix, asked, threads=threads)
        return found[place]


class DecisionTreeClassifier(ClassesMixin, _SingleTree):
    """A decision tree for classes.

    Missing values go the way that parts the training rows best; where a node has seen none, they follow the heavier
    branch (of a many-way split: they stop, and get the node's own shares). Categories not seen while fitting count as
    missing.

    Parameters
    ----------
    criterion
        `"gini"`, `"entropy"` (`"log_loss"`), `"gain_ratio"` (a numeric cut is chosen by gain, features are compared
        by gain ratio) or `"error"`.
    splitter
        `"best"`, `"random"`, or a whole number N: a random pick among the N best splits.
    max_depth
        The most splits one below the other; None for no limit.
    min_samples_split, min_samples_leaf
        The fewest rows of a node that is split, and of each side: a number, or a share of all rows.
    min_weight_fraction_leaf
        The least share of the total weight on each side of a split.
    max_features
        How many columns a node looks at, drawn at random: a number, a share, `"sqrt"`, `"log2"`, `"log2+1"`; None
        for all.
    random_state
        Of random columns and splits: a seed or a random generator; None for another result each time.
    max_leaf_nodes
        Grow the best nodes first, up to so many leaves.
    min_impurity_decrease
        Split only where the impurity falls by at least this much, weighted by the node's share of rows.
    class_weight
        A dict of weights by class (of several targets, a list of them), or `"balanced"`; multiplies the example
        weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    ccp_alpha
        Minimal cost-complexity pruning: what a leaf costs.
    categorical
        `"subset"` parts the categories in two, `"multiway"` gives every category a branch.
    categorical_features
        Mask, column numbers or names of columns that hold codes; columns of a frame that are categories or strings
        by type are always included.
    max_bins
        Numeric columns with more distinct values than this are cut into as many ranges of equal weight.
    n_jobs
        Threads. They change nothing but the time.
    monotonic_cst
        Taken as None alone, and refused otherwise: gradient boosting grows monotone trees (`monotone`).

    Examples
    --------
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> print(tree.export_text(feature_names=["size"], decimals=1), end="")
    |--- size <= 2.5
    |   |--- class: a (2)
    |--- size > 2.5
    |   |--- class: b (2)
    """

    _fitted_constraints: ClassVar[Fitted] = TREE_CLASSES
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TREE_CONSTRAINTS,
        "criterion": [CLASS_CRITERIA],
        "splitter": [StrOptions({"best", "random"}), Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, list, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
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
        costs: ArrayLike | None = None,
        ccp_alpha: float = 0.0,
        categorical: str = "subset",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_bins: int = 255,
        n_jobs: int | None = None,
        monotonic_cst: ArrayLike | None = None,
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
        self.costs = costs
        self.ccp_alpha = ccp_alpha
        self.categorical = categorical
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.monotonic_cst = monotonic_cst

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree on the rows of X and their classes."""
        self._validate_params()
        matrix, y, self._layout = read_fit(
            self, X, y, self.categorical_features, numeric_target=False, several=True, sparse=True
        )
        self._grow(matrix, self._problem(one_target(y), matrix, sample_weight, self.class_weight))
        return self

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """The shares of the classes in the leaf of each row; of several targets, a list with those of each."""
        return self._by_target(self._average(X, [1])[0])

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of the shares; minus infinity for a class that is not there."""
        return logarithms(self.predict_proba(X))

    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """The heaviest class in the leaf of each row (ties go to the first), or with `costs` the cheapest answer."""
        return self._labels(self._average(X, [1])[0])

    def predict_proba_path(self, X: Any, ccp_alphas: ArrayLike | None = None) -> Any:
        """Shares at every pruning level (or the given ones), from this one tree: [level, row, class]."""
        return self._by_target(self._levels(X, ccp_alphas))

    def predict_path(self, X: Any, ccp_alphas: ArrayLike | None = None) -> NDArray[Any]:
        """Classes at every pruning level (or the given ones), from this one tree: [level, row]."""
        return self._labels(self._levels(X, ccp_alphas))


class DecisionTreeRegressor(RegressorMixin, _SingleTree):  # type: ignore[misc]  # scikit-learn has no types
    """A decision tree for numbers.

    Parameters
    ----------
    criterion
        `"variance"` (`"squared_error"`, `"friedman_mse"`), leaves predict means; `"absolute"` (`"absolute_error"`),
        medians; or `"poisson"`, half the Poisson deviance of counts, means.
    splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As of `DecisionTreeClassifier`.
    max_features, random_state, max_leaf_nodes, min_impurity_decrease, ccp_alpha
        As of `DecisionTreeClassifier`.
    categorical, categorical_features, max_bins, n_jobs, monotonic_cst
        As of `DecisionTreeClassifier`.

    Examples
    --------
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
        monotonic_cst: ArrayLike | None = None,
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
        self.monotonic_cst = monotonic_cst

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree on the rows of X and their targets."""
        self._validate_params()
        if self.criterion == "poisson":
            check_poisson(check_array(y, ensure_2d=False))
        matrix, y, self._layout = read_fit(
            self, X, y, self.categorical_features, numeric_target=True, several=True, sparse=True
        )
        self._grow(matrix, number_problem(self, one_target(y), matrix, sample_weight))
        return self

    def predict(self, X: Any, check_input: bool = True) -> NDArray[np.float64]:
        """The mean (or median) of the leaf of each row; [row, target] of several targets."""
        return self._one_or_all(self._average(X, [1])[0])

    def predict_path(self, X: Any, ccp_alphas: ArrayLike | None = None) -> NDArray[np.float64]:
        """Predictions at every pruning level (or the given ones), from this one tree: [level, row]."""
        return self._one_or_all(self._levels(X, ccp_alphas))
