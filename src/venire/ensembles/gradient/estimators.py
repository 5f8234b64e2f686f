"""Gradient boosting for classes and for numbers: leaf-wise trees on gradient statistics, grown by the compiled core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from venire.ensembles.gradient.accepted import Monitor, check_classes, refuse_or_warn
from venire.ensembles.gradient.base import GradientBoostingBase
from venire.ensembles.gradient.first_scores import constant_numbers, constant_shares
from venire.ensembles.gradient.losses import (
    CLASS_LOSSES,
    NUMBER_LOSSES,
    OTHER_NAMES,
    OwnLoss,
    check_target,
    mean_of,
    shares_of,
)
from venire.ensembles.gradient.settings import BOOSTING_CONSTRAINTS, Floats, Goal, strata_of
from venire.ensembles.gradient.stopping import BOOSTED
from venire.models.input import CategoricalFeatures, read_fit
from venire.models.tree.base import TREE_CLASSES, ClassesMixin, logarithms
from venire.models.tree.growth import Problem, combined_weights
from venire.sklearn_private import HasMethods, Interval, StrOptions
from venire.states.checked import Fitted


class GradientBoostingClassifier(ClassesMixin, GradientBoostingBase):
    """Gradient boosting for classes: logistic loss for two, multinomial (one tree a class and round) for more.

    Missing values go the way that gains most; where a node has seen none, they follow the heavier branch. Categories
    not seen while fitting count as missing. Every number of rounds up to the last can be read off one fit:
    `staged_predict`, `staged_predict_proba`, `predict_path`.

    Parameters
    ----------
    loss
        `"log_loss"` (logistic for two classes, multinomial for more), or for two classes `"exponential"`, that of
        AdaBoost.
    n_estimators
        Rounds.
    learning_rate
        What each tree counts for. With K > 2 classes steps are as long as LightGBM's, (K − 1) / K of scikit-learn's
        at the same rate.
    max_leaf_nodes, max_depth
        The size of a tree; it grows leaf by leaf, the greatest gain first.
    min_samples_leaf, min_samples_split
        The fewest rows of a leaf, and of a node that is split; numbers or shares of the rows. Both left open: leaves
        of 20 rows, of a tenth of a table of fewer than 40 rows, which leaves of 20 could not split at all. With
        `min_samples_split` alone, it is the only limit.
    min_weight_fraction_leaf
        The smallest share of the weight in a leaf; under `"log_loss"` and `"exponential"`, of the rows.
    min_impurity_decrease
        The least decrease of the mean squared error of the residuals, over all rows. Other losses than squares are
        measured by their second-order expansion. The same limit as `min_split_gain`, in other units.
    min_hessian_leaf
        The least sum of hessians in a leaf, which is p (1 − p) a row for two classes (LightGBM's
        `min_sum_hessian_in_leaf`, XGBoost's `min_child_weight`).
    rows_by_hessian
        Ask `min_samples_leaf` of the hessian as well as of the rows: each side of a split must hold as large a
        share of its node's hessian as so many rows are of the node's. It keeps leaves of rows that are all but
        certain from long steps. LightGBM asks it of the hessian alone, scikit-learn of the rows alone (False).
    max_bins
        Numeric columns with more distinct values are cut into as many ranges of equal weight.
    l2_regularization, l1_regularization, min_split_gain
        λ, the l1 penalty of leaf values, and γ: a split must gain more than γ, where a tree of T leaves w pays γ T
        + ½ λ ‖w‖² + l1 ‖w‖₁. Where a split groups a column of more than four categories, λ is larger by 10.
    subsample, colsample
        The share of rows drawn for each round, and of columns for each tree.
    max_features
        Columns drawn for every node, as of forests; None: all.
    gradient_sampling
        (a, b): each round takes the share a of rows with the largest gradients, and a share b drawn from the
        others, which then count for all the others (GOSS). Faster on large tables, for a little accuracy.
    gradient_levels
        Each tree is grown on gradients rounded up or down at random, so that they are right on average, to
        multiples of the largest over half the levels, and on hessians to multiples of the largest over all levels
        (LightGBM's quantised training, `use_quantized_grad`, has 4 levels). It is no faster. What it adds is
        chance: near ties between splits fall differently in every round, which helps where the rounds are too few
        for the table and may cost elsewhere. None: not rounded.
    monotone
        −1, 0 or 1 a column, or a dictionary by name: predictions must not rise (−1) or fall (1) with it. With more
        than two classes there is no one direction, so it is refused.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    categorical_features
        Mask, column numbers or names of columns that hold codes; columns of a frame that are categories or strings
        by type are always included.
    early_stopping
        A number of rounds: stop when the loss of a held-out part (`validation_fraction` of the rows) has not
        improved for so many, and keep the rounds up to the best. `stopping_` reports it.
    n_iter_no_change, tol
        scikit-learn's early stopping, in place of ours: stop when the loss of the held-out part fell by less than
        `tol` in so many rounds, and keep all rounds.
    validation_fraction
        The share of rows held out for early stopping.
    init
        What scores start from: None for the best constant, `"zero"`, or an estimator that is fitted first.
    warm_start
        Go on from the rounds of the last `fit`, on the same table. Fits with more and more `n_estimators` give the
        model of one fit.
    criterion
        Without effect: trees are grown on gradients. Giving it warns, as in scikit-learn.
    ccp_alpha
        0: boosted trees are not pruned afterwards. Use `min_split_gain`.
    keep_losses
        Keep `train_score_` and, with `subsample` below 1, `oob_scores_`, `oob_improvement_` and `oob_score_`.
        `"auto"`: up to 10,000 rows, and with `verbose`.
    verbose
        1: print the loss of some rounds; 2: of all.
    random_state
        A seed or a random generator; None for another result each time.
    n_jobs
        Threads. They change nothing but the time.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> boost = GradientBoostingClassifier(n_estimators=20).fit(X, y)
    >>> boost.score(X, y) > 0.95
    True
    >>> boost.predict_path(X, [1, 10, 20]).shape
    (3, 150)
    """

    _fitted_constraints: ClassVar[Fitted] = {**TREE_CLASSES, **BOOSTED}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BOOSTING_CONSTRAINTS,
        "loss": [StrOptions(set(CLASS_LOSSES))],
        "init": [StrOptions({"zero"}), None, HasMethods(["fit", "predict_proba"])],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
    }

    def __init__(
        self,
        *,
        loss: str = "log_loss",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float | None = None,
        min_samples_split: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_hessian_leaf: float = 1e-3,
        rows_by_hessian: bool = True,
        max_bins: int = 255,
        l2_regularization: float = 0.0,
        l1_regularization: float = 0.0,
        min_split_gain: float = 0.0,
        subsample: float = 1.0,
        colsample: float = 1.0,
        max_features: Any = None,
        gradient_sampling: tuple[float, float] | None = None,
        gradient_levels: int | None = None,
        monotone: Any = None,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        early_stopping: int | None = None,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        validation_fraction: float = 0.1,
        init: Any = None,
        warm_start: bool = False,
        criterion: Any = None,
        ccp_alpha: float = 0.0,
        keep_losses: bool | str = "auto",
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_hessian_leaf = min_hessian_leaf
        self.rows_by_hessian = rows_by_hessian
        self.max_bins = max_bins
        self.l2_regularization = l2_regularization
        self.l1_regularization = l1_regularization
        self.min_split_gain = min_split_gain
        self.subsample = subsample
        self.colsample = colsample
        self.max_features = max_features
        self.gradient_sampling = gradient_sampling
        self.gradient_levels = gradient_levels
        self.monotone = monotone
        self.class_weight = class_weight
        self.costs = costs
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.init = init
        self.warm_start = warm_start
        self.criterion = criterion
        self.ccp_alpha = ccp_alpha
        self.keep_losses = keep_losses
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Monitor | None = None) -> Self:
        """Boost.

        `monitor(i, model, known)` is asked after round i, counted from 0; True ends the rounds. `known` has `X`, `y`
        (class codes, or the numbers), `sample_weight`, `i`, and in `raw_predictions` the scores [row, output]. The
        model itself has no trees before the end.
        """
        self._validate_params()
        refuse_or_warn(self)
        matrix, y, self._layout = read_fit(self, X, y, self.categorical_features, numeric_target=False, sparse=True)
        problem = self._problem(y, matrix, sample_weight, self.class_weight)
        check_classes(self, problem)
        goal = self._goal(problem)
        del problem, y  # four bytes a row each, which nobody looks at any more
        self._boost(X, matrix, goal, monitor)
        return self

    def _goal(self, problem: Problem) -> Goal:
        loss, outputs = self._loss_of(problem.classes), 1 if problem.classes == 2 else problem.classes
        return Goal(loss, outputs, np.asarray(problem.labels, float), problem.weights, strata=strata_of(self, problem))

    def _loss_name(self) -> str:
        return self._loss_of(self.n_classes_)

    def _loss_of(self, classes: int) -> str:
        if self.loss == "exponential":
            return "exponential"
        return "logistic" if classes == 2 else "multinomial"

    def _constant(self) -> Any:
        return constant_shares(self._shares(np.array([self._start]))[0], self.classes_, self.n_features_in_)

    def _shares(self, scores: Floats) -> Floats:
        return shares_of(2 * scores if self.loss == "exponential" else scores)

    def decision_function(self, X: Any) -> Floats:
        """Scores before they become probabilities: log-odds of the second class, or one score a class."""
        scores = self._last_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities in the order of `classes_`."""
        return self._shares(self._last_scores(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities; minus infinity for 0."""
        return np.asarray(logarithms(self.predict_proba(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row, or with `costs` the one of least expected cost."""
        return self._labels(self.predict_proba(X))

    def shares_and_labels(self, X: Any) -> tuple[Floats, NDArray[Any]]:
        """What `predict_proba` and `predict` say, of one look at the rows."""
        shares = self.predict_proba(X)
        return shares, self._labels(shares)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Scores after 1, 2, … rounds, [row, score]."""
        return self._staged_scores(X)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Class probabilities after 1, 2, … rounds."""
        return (self._shares(scores) for scores in self._staged_scores(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Labels after 1, 2, … rounds."""
        return (self._labels(shares) for shares in self.staged_predict_proba(X))

    def predict_proba_path(self, X: Any, n_rounds: Sequence[int] | None = None) -> Floats:
        """Class probabilities after so many rounds (by default all numbers): [place, row, class]."""
        return self._shares(self._scores(X, self._rounds(n_rounds)))

    def predict_path(self, X: Any, n_rounds: Sequence[int] | None = None) -> NDArray[Any]:
        """Labels after so many rounds (by default all numbers): [place, row]."""
        return self._labels(self.predict_proba_path(X, n_rounds))


class GradientBoostingRegressor(RegressorMixin, GradientBoostingBase):  # type: ignore[misc]  # base without types
    """Gradient boosting for numbers.

    Parameters
    ----------
    loss
        `"squared"` (or `"squared_error"`), `"absolute"` (`"absolute_error"`), `"huber"`, `"quantile"`, `"poisson"`,
        `"gamma"`, or a function of one's own that takes (y, scores) and returns (gradients, hessians), one number a
        row each. Its scores start at 0 and are what `predict` gives.
    alpha
        Which quantile; for `"huber"`, the share of residuals that counts as squares.
    n_estimators, learning_rate, max_leaf_nodes, max_depth, min_samples_leaf, min_samples_split
        As of `GradientBoostingClassifier`.
    min_weight_fraction_leaf, min_impurity_decrease, max_features, min_hessian_leaf
        As of `GradientBoostingClassifier`.
    rows_by_hessian, max_bins, l2_regularization, l1_regularization, min_split_gain
        As of `GradientBoostingClassifier`.
    subsample, colsample, gradient_sampling, gradient_levels, monotone, categorical_features
        As of `GradientBoostingClassifier`.
    early_stopping, n_iter_no_change, tol, validation_fraction, init, warm_start
        As of `GradientBoostingClassifier`.
    criterion, ccp_alpha, keep_losses, verbose, random_state, n_jobs
        As of `GradientBoostingClassifier`.

    Examples
    --------
    >>> from venire.data.generators import linear_sinusoid
    >>> X, y = linear_sinusoid(500, np.random.default_rng(0))
    >>> boost = GradientBoostingRegressor(n_estimators=100).fit(X, y)
    >>> boost.score(X, y) > 0.99
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BOOSTING_CONSTRAINTS,
        "init": [StrOptions({"zero"}), None, HasMethods(["fit", "predict"])],
        "loss": [StrOptions({*NUMBER_LOSSES, *OTHER_NAMES}), callable],
        "alpha": [Interval(Real, 0.0, 1.0, closed="neither")],
    }

    def __init__(
        self,
        *,
        loss: str | OwnLoss = "squared",
        alpha: float = 0.9,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: float | None = None,
        min_samples_split: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_hessian_leaf: float = 1e-3,
        rows_by_hessian: bool = True,
        max_bins: int = 255,
        l2_regularization: float = 0.0,
        l1_regularization: float = 0.0,
        min_split_gain: float = 0.0,
        subsample: float = 1.0,
        colsample: float = 1.0,
        max_features: Any = None,
        gradient_sampling: tuple[float, float] | None = None,
        gradient_levels: int | None = None,
        monotone: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        early_stopping: int | None = None,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        validation_fraction: float = 0.1,
        init: Any = None,
        warm_start: bool = False,
        criterion: Any = None,
        ccp_alpha: float = 0.0,
        keep_losses: bool | str = "auto",
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_hessian_leaf = min_hessian_leaf
        self.rows_by_hessian = rows_by_hessian
        self.max_bins = max_bins
        self.l2_regularization = l2_regularization
        self.l1_regularization = l1_regularization
        self.min_split_gain = min_split_gain
        self.subsample = subsample
        self.colsample = colsample
        self.max_features = max_features
        self.gradient_sampling = gradient_sampling
        self.gradient_levels = gradient_levels
        self.monotone = monotone
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.init = init
        self.warm_start = warm_start
        self.criterion = criterion
        self.ccp_alpha = ccp_alpha
        self.keep_losses = keep_losses
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Monitor | None = None) -> Self:
        """Boost.

        `monitor(i, model, known)` is asked after round i, counted from 0; True ends the rounds. `known` has `X`, `y`
        (class codes, or the numbers), `sample_weight`, `i`, and in `raw_predictions` the scores [row, output]. The
        model itself has no trees before the end.
        """
        self._validate_params()
        refuse_or_warn(self)
        matrix, y, self._layout = read_fit(self, X, y, self.categorical_features, numeric_target=True, sparse=True)
        target = np.ascontiguousarray(y, dtype=np.float64)
        weights = combined_weights(sample_weight, None, matrix, target)
        self._boost(X, matrix, self._goal(Problem(0, None, target, weights)), monitor)
        return self

    def _goal(self, problem: Problem) -> Goal:
        assert problem.y is not None  # a regressor's problem has numbers
        own = None if isinstance(self.loss, str) else self.loss
        name = self._loss_name()
        check_target(name, problem.y if problem.weights is None else problem.y[problem.weights > 0])
        return Goal(name, 1, problem.y, problem.weights, float(self.alpha), own)

    def _constant(self) -> Any:
        return constant_numbers(float(self._means(np.array(self._start))[0]), self.n_features_in_)

    def _means(self, scores: Floats) -> Floats:
        return mean_of(self._loss_name(), scores)

    def _loss_name(self) -> str:
        return OTHER_NAMES.get(self.loss, self.loss) if isinstance(self.loss, str) else "own"

    def predict(self, X: Any) -> Floats:
        """The predicted number of each row."""
        return self._means(self._last_scores(X)[:, 0])

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Predictions after 1, 2, … rounds."""
        return (self._means(scores[:, 0]) for scores in self._staged_scores(X))

    def predict_path(self, X: Any, n_rounds: Sequence[int] | None = None) -> Floats:
        """Predictions after so many rounds (by default all numbers): [place, row]."""
        return self._means(self._scores(X, self._rounds(n_rounds))[..., 0])
