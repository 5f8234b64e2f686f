"""Random forests and extra-trees for classes and for numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from venire.ensembles.forest.base import FOREST_CONSTRAINTS, ForestClassifierBase
from venire.ensembles.forest.regressor import ForestRegressorBase
from venire.models.input import CategoricalFeatures
from venire.models.tree.base import CLASS_CRITERIA, NUMBER_CRITERIA
from venire.sklearn_private import StrOptions

CLASSIFIER_CONSTRAINTS: dict[str, list[Any]] = {
    **FOREST_CONSTRAINTS,
    "criterion": [CLASS_CRITERIA],
    "class_weight": [dict, list, StrOptions({"balanced", "balanced_subsample"}), None],
    "costs": ["array-like", None],
    "voting": [StrOptions({"soft", "hard"})],
}
REGRESSOR_CONSTRAINTS: dict[str, list[Any]] = {**FOREST_CONSTRAINTS, "criterion": [NUMBER_CRITERIA]}


class RandomForestClassifier(ForestClassifierBase):
    """A random forest for classes: trees on bootstrap samples that look at q random columns at each node.

    Parameters
    ----------
    n_estimators
        How many trees.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        Of every tree, as of `DecisionTreeClassifier`.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, categorical, categorical_features, max_bins, monotonic_cst
        Of every tree, as of `DecisionTreeClassifier`.
    max_features
        q; by default ⌊log₂ m⌋ + 1. 1 is totally random, None (all m) is bagging.
    constant_columns
        Whether a column that is constant in a node counts towards its q: `"count"`, as in scikit-learn, or
        `"skip"`, which looks at q columns that vary, helps where many columns are rarely set, and costs time.
    bootstrap
        True, False, or `"balanced"`: as many rows of every class as the smallest class has.
    max_samples
        The size of a sample, as a number or a share of the rows, also above 1; with `"balanced"`, per class. With
        `bootstrap=False` the sample is drawn without replacement.
    voting
        `"soft"` averages the trees' shares, `"hard"` counts their votes.
    combinations
        Forest-RC. A number F: each of the q candidates of a node is a linear combination of F random numeric
        columns, on their standardised scale, with coefficients drawn from [−1, 1]; missing values count as the
        mean.
    oob_score
        Estimate the accuracy from the trees that left a row out; or a function of (y, prediction) to measure it by.
    n_jobs
        Threads. They change nothing but the time.
    random_state
        A seed or a random generator; None for another result each time.
    verbose
        Taken because scikit-learn's forests take it; nothing is printed.
    warm_start
        Go on with the trees of the last `fit`.
    class_weight
        A dict of weights by class (of several targets, a list of them), or `"balanced"`; multiplies the example
        weights. `"balanced_subsample"` is taken for `"balanced"`: the weights are those of all rows.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.

    Attributes
    ----------
    oob_score_, oob_decision_function_
        With `oob_score=True`; NaN for a row every tree saw.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.93
    True
    >>> forest.predict_path(X, [1, 10, 50]).shape
    (3, 150)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CLASSIFIER_CONSTRAINTS

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "log2+1",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        voting: str = "soft",
        combinations: int | None = None,
        constant_columns: str = "count",
        categorical: str = "subset",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_bins: int = 255,
        monotonic_cst: ArrayLike | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.costs = costs
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.voting = voting
        self.combinations = combinations
        self.constant_columns = constant_columns
        self.categorical = categorical
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst


class ExtraTreesClassifier(ForestClassifierBase):
    """Extremely randomised trees for classes: one random cut for each of q random columns, the best of them is taken.

    A cut is drawn evenly between the smallest and the largest value in the node. There is no bootstrap by default.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf
        As of `RandomForestClassifier`.
    min_weight_fraction_leaf, max_features, max_leaf_nodes, min_impurity_decrease, bootstrap
        As of `RandomForestClassifier`.
    oob_score, n_jobs, random_state, verbose, warm_start, class_weight, costs, ccp_alpha
        As of `RandomForestClassifier`.
    max_samples, voting, combinations, constant_columns
        As of `RandomForestClassifier`.
    categorical, categorical_features, max_bins, monotonic_cst
        As of `RandomForestClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(n_estimators=20, random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _random_cuts: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CLASSIFIER_CONSTRAINTS

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "log2+1",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        voting: str = "soft",
        combinations: int | None = None,
        constant_columns: str = "count",
        categorical: str = "subset",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_bins: int = 255,
        monotonic_cst: ArrayLike | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.costs = costs
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.voting = voting
        self.combinations = combinations
        self.constant_columns = constant_columns
        self.categorical = categorical
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst


class RandomForestRegressor(ForestRegressorBase):
    """A random forest for numbers.

    Parameters
    ----------
    criterion
        As of `DecisionTreeRegressor`.
    n_estimators, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As of `RandomForestClassifier`.
    max_features, max_leaf_nodes, min_impurity_decrease, bootstrap, oob_score, n_jobs
        As of `RandomForestClassifier`.
    random_state, verbose, warm_start, ccp_alpha, max_samples, combinations, constant_columns
        As of `RandomForestClassifier`.
    categorical, categorical_features, max_bins, monotonic_cst
        As of `RandomForestClassifier`.

    Attributes
    ----------
    oob_score_, oob_prediction_
        R² and the predictions by the trees that left a row out, with `oob_score=True`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> bool(forest.oob_score_ > 0.35)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = REGRESSOR_CONSTRAINTS

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "variance",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "log2+1",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        combinations: int | None = None,
        constant_columns: str = "count",
        categorical: str = "subset",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_bins: int = 255,
        monotonic_cst: ArrayLike | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.combinations = combinations
        self.constant_columns = constant_columns
        self.categorical = categorical
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst


class ExtraTreesRegressor(ForestRegressorBase):
    """Extremely randomised trees for numbers; see `ExtraTreesClassifier`.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf
        As of `RandomForestRegressor`.
    min_weight_fraction_leaf, max_features, max_leaf_nodes, min_impurity_decrease, bootstrap
        As of `RandomForestRegressor`.
    oob_score, n_jobs, random_state, verbose, warm_start, ccp_alpha, max_samples
        As of `RandomForestRegressor`.
    combinations, constant_columns, categorical, categorical_features, max_bins, monotonic_cst
        As of `RandomForestRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreesRegressor(n_estimators=20, random_state=0).fit(X, y).predict(X[:1]).shape
    (1,)
    """

    _random_cuts: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = REGRESSOR_CONSTRAINTS

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "variance",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "log2+1",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        combinations: int | None = None,
        constant_columns: str = "count",
        categorical: str = "subset",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_bins: int = 255,
        monotonic_cst: ArrayLike | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.combinations = combinations
        self.constant_columns = constant_columns
        self.categorical = categorical
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst
