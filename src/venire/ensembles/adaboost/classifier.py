"""AdaBoost over any learner, by weights or by resampling; the arithmetic is in `adaboost_rounds`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from venire._core import Forest
from venire.ensembles.adaboost.native import native_trees
from venire.ensembles.adaboost.rounds import Rounds, boost
from venire.ensembles.bagging.draw import MOST_SEED
from venire.ensembles.base import MetaClassifier
from venire.ensembles.error_classes import NoWeights
from venire.ensembles.members import Named, default_tree, fit_classifier, probabilities, seeded, votes, weight_params
from venire.ensembles.rows import row_count, take_rows
from venire.errors import UsageError, VenireWarning
from venire.models.few_rows import require_fitted
from venire.models.sparse import coded, is_sparse
from venire.models.tree.growth import thread_count
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import array, flag, learner, of_type, sequence
from venire.wording import percent

Floats = NDArray[np.float64]
LEAST_TOTAL: Final = 1e-100  # of example weights; smaller ones are scaled, so that products with them are not 0


class AdaBoostClassifier(MetaClassifier):
    """AdaBoost: each round looks harder at the examples the round before got wrong.

    It stops after `n_estimators` rounds, after a round without error, and when a member is no better than guessing (ε ≥
    ½ for `algorithm="M1"`, ε ≥ 1 − 1/K for `"SAMME"`) as `when_weak` says. If no round is better than guessing, the
    first member stands alone, with a warning.

    A member without error counts as one with ε = 10⁻⁶. Class probabilities are proportional to exp(2 Σ α), summed over
    the members that say the class, which is what the exponential loss makes of them (Friedman, Hastie and Tibshirani);
    they tend to be too sure of themselves.

    Our own decision trees are grown by the compiled core, on bins that all rounds share. Example weights (times class
    weights) are the weights of the first round.

    Parameters
    ----------
    estimator
        Any classifier, a stump by default.
    n_estimators
        The most rounds.
    learning_rate
        What every α is multiplied by: less looks less hard at the errors of each round.
    resample
        Give members a sample drawn by the weights of the examples, which every learner can take, instead of the
        weights.
    when_weak
        What to do with a member that is no better than guessing: `"stop"`, `"reset"` the weights and go on, or
        `"invert"` and keep it with a negative weight.
    algorithm
        `"SAMME"`, or `"M1"`, which asks for less error than one half.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights. Under it every leaf of the default
        stump holds at least a hundredth of all weight; give a tree of your own its `min_weight_fraction_leaf`.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    random_state
        A seed or a random generator; None for another result each time.

    Attributes
    ----------
    rounds_
        The history: weights before the round, ε, α, outcome, member.
    estimators_, estimator_weights_
        The members kept, and their α.

    Examples
    --------
    >>> X, y = np.arange(10.0)[:, None], np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 1])
    >>> boost = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> [(round(r.error, 2), round(r.alpha, 2)) for r in boost.rounds_]
    [(0.3, 0.42), (0.21, 0.65), (0.18, 0.75)]
    >>> boost.score(X, y)
    1.0
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        "estimators_": sequence(learner, "members"),
        "estimator_weights_": array("f8", "members"),
        "rounds_": of_type(Rounds),
        "_native": flag,
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "resample": ["boolean"],
        "when_weak": [StrOptions({"stop", "reset", "invert"})],
        "algorithm": [StrOptions({"M1", "SAMME"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
        "random_state": ["random_state"],
    }
    _routes_to_members: ClassVar[bool] = False

    estimators_: list[Any]
    estimator_weights_: Floats
    rounds_: Rounds
    _native: bool

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        learning_rate: float = 1.0,
        resample: bool = False,
        when_weak: str = "stop",
        algorithm: str = "SAMME",
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.resample = resample
        self.when_weak = when_weak
        self.algorithm = algorithm
        self.class_weight = class_weight
        self.costs = costs
        self.random_state = random_state

    def _members(self) -> Named:
        stump = default_tree(self.class_weight, max_depth=1) if self.estimator is None else self.estimator
        return [("estimator", stump)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost: fit, judge and reweight, round by round."""
        self._check_parameters()
        X, y, given = self._read(X, y, sample_weight)
        total = float(len(y) if given is None else given.sum())
        if given is not None and total < LEAST_TOTAL:
            given, total = given * (len(y) / total), float(len(y))
        weights = np.full(len(y), 1.0 / total) if given is None else given / total
        native = None if self.resample else native_trees(self._members()[0][1], X, y, weights * total)
        seeds = check_random_state(self.random_state).randint(MOST_SEED, size=self.n_estimators).tolist()

        def grow(number: int, weights: Floats) -> tuple[Any, NDArray[np.bool_]]:
            if native is not None:
                return native.fit(weights * total, seeds[number])
            member = self._fit_round(X, y, weights, total, seeds[number])
            return member, np.asarray(member.predict(X)) != y

        boosted = boost(
            weights,
            self.n_estimators,
            grow,
            len(self.classes_),
            algorithm=self.algorithm,
            when_weak=self.when_weak,
            learning_rate=float(self.learning_rate),
        )
        self.estimators_, self.estimator_weights_, self.rounds_ = boosted.members, boosted.alphas, boosted.rounds
        self._native = native is not None
        if boosted.alone:
            warn_alone(boosted.rounds.errors[0], stacklevel=2)
        return self

    def _fit_round(self, X: Any, y: NDArray[Any], weights: Floats, total: float, seed: int) -> Any:
        name, member = self._members()[0]
        member = seeded(member, seed)
        if self.resample:
            rows = np.sort(np.random.default_rng(seed).choice(len(y), len(y), p=weights))
            return fit_classifier(name, member, take_rows(X, rows), y[rows], {})
        try:
            params = weight_params(name, member, weights * total)  # a penalty is meant for n rows, not for one
        except UsageError as error:
            raise NoWeights(
                f"{type(member).__name__} doesn't support sample_weight",
                code=error.code,
                hint="boost it by resampling instead: resample=True",
            ) from None
        return fit_classifier(name, member, X, y, params)

    def _staged_votes(self, X: Any) -> Iterator[Floats]:
        """The sum of α over the members that say each class, after 1, 2, … members."""
        X = self._rows(X)
        total = np.zeros((row_count(X), len(self.classes_)))
        for member, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            total = total + alpha * votes(member, X, self.classes_)
            yield total

    def _votes(self, X: Any) -> Floats:
        require_fitted(self, "estimators_")
        if not self._native:
            *_, total = self._staged_votes(X)
            return total
        # The same sums in the same order, by one walk through all members.
        trees = Forest.joined([member._forest for member in self.estimators_])
        matrix = self.estimators_[0]._read(self._rows(X))
        threads = thread_count(self.estimators_[0].n_jobs)
        weights = self.estimator_weights_.tolist()
        if is_sparse(matrix):
            rows = coded(trees, matrix, threads)
            return np.asarray(trees.votes_coded(*rows, weights, [len(weights)], threads=threads)[0])
        return np.asarray(trees.votes(matrix, weights, [len(weights)], threads=threads)[0])

    @property
    def estimator_(self) -> Any:
        """The learner that is boosted, as given or by default."""
        check_is_fitted(self)
        return self._members()[0][1]

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    @property
    def estimator_errors_(self) -> Floats:
        """ε of the members kept."""
        check_is_fitted(self, "estimators_")
        kept = [one.error for one in self.rounds_ if one.member is not None]
        return np.asarray(kept or self.rounds_.errors[:1])

    @property
    def feature_importances_(self) -> Floats:
        """The importances of the columns to the members, weighted by α."""
        check_is_fitted(self, "estimators_")
        if not all(hasattr(member, "feature_importances_") for member in self.estimators_):
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            )
        each = np.stack([member.feature_importances_ for member in self.estimators_])
        return np.asarray(np.average(each, axis=0, weights=self.estimator_weights_))

    def round_outputs(self, X: Any) -> Floats:
        """What every single member says, [member, row, class]."""
        X = self._rows(X)
        return np.stack([probabilities(member, X, self.classes_) for member in self.estimators_])

    def decision_function(self, X: Any) -> Floats:
        """With two classes, Σ α of the members that say the second less that of those that say the first.

        With more, 1 where all members say the class and −1 / (K − 1) where none does, by weight between; they sum
        to 0.
        """
        return _margin(self._votes(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """The same after 1, 2, … members."""
        return (_margin(total) for total in self._staged_votes(X))

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, proportional to exp(2 Σ α)."""
        return link(self._votes(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities; minus infinity for 0."""
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(self.predict_proba(X))
        return logs

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The same after 1, 2, … members."""
        return (link(total) for total in self._staged_votes(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The labels after 1, 2, … members."""
        return (self._decide(link(total)) for total in self._staged_votes(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after 1, 2, … members."""
        return (
            float(accuracy_score(y, predicted, sample_weight=sample_weight)) for predicted in self.staged_predict(X)
        )


def warn_alone(error: float, *, stacklevel: int) -> None:
    """Say that no member was better than guessing."""
    warnings.warn(
        f"no round of boosting was better than guessing (the first erred on {percent(error)} of the "
        "weight): the first member stands alone",
        VenireWarning,
        stacklevel=stacklevel + 1,
    )


def _margin(total: Floats) -> Floats:
    classes = total.shape[1]
    if classes == 2:
        return np.asarray(total[:, 1] - total[:, 0])
    every = total.sum(axis=1, keepdims=True)
    scale = np.abs(every)  # members of negative weight may have the upper hand: the order of classes stays
    return np.asarray((total - (every - total) / (classes - 1)) / np.where(scale > 0, scale, 1.0))


def link(total: Floats) -> Floats:
    """Class probabilities from the votes [row, class]: proportional to exp(2 Σ α)."""
    raised = np.exp(2 * (total - total.max(axis=1, keepdims=True)))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
