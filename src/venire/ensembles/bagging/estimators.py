"""Bagging: the same learner (or several in turn) on many random parts of the rows and columns, then a vote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if

from venire.ensembles.bagging.base import BAGGED, CONSTRAINTS, BaggingBase
from venire.ensembles.bagging.metadata import answering
from venire.ensembles.base import MetaClassifier, MetaRegressor
from venire.ensembles.members import (
    fit_classifier,
    fit_member,
    log_probabilities,
    probabilities,
    values,
    votes,
)
from venire.errors import UsageError
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import array, either, of_type, optional

Floats = NDArray[np.float64]


def _scores_rows(bag: Any) -> bool:
    return all(callable(member.decision_function) for _, member in bag._members())


def _scores_of(member: Any, X: Any, metadata: dict[str, Any]) -> Floats:
    if not hasattr(member, "decision_function"):
        raise UsageError(
            f"a member ({type(member).__name__}) has no decision function: its sample had one class",
            hint="predict_proba takes such members, or draw larger samples (max_samples)",
        )
    return np.asarray(member.decision_function(X, **metadata), dtype=np.float64)


class BaggingClassifier(MetaClassifier, BaggingBase):
    """Bagging for classes.

    Example and class weights are the chances of the rows to be drawn, so they work for any learner; without replacement
    they are handed to the members. A sample in which a single class is left gives a member that always says that class.

    Parameters
    ----------
    estimator
        A learner, or a list of learners (or of (name, learner) pairs) that take turns; by default a tree.
    n_estimators
        How many members.
    max_samples
        How many rows are drawn: a number, or a share of the rows that may exceed 1; None for as many as there are.
    max_features
        How many columns are drawn for each member: a number or a share.
    bootstrap
        Draw rows with replacement.
    bootstrap_features
        Draw columns with replacement.
    voting
        `"average"` (of the members' probabilities) or `"crisp"` (one vote each).
    threshold
        With two classes: say `classes_[1]` when more than this share of the votes (or of the probability) speaks
        for it; by default the largest share wins.
    oob_score
        Estimate the accuracy from the members that left a row out.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    n_jobs
        How many members are fitted at once; it changes nothing but the time.
    random_state
        A seed or a random generator; None for another result each time.
    warm_start
        Keep the members of the last `fit`, and fit the further ones that `n_estimators` asks for.
    verbose
        Taken because scikit-learn's takes it; nothing is printed.

    Attributes
    ----------
    oob_score_
        The accuracy on rows left out, with `oob_score=True`.
    oob_decision_function_, oob_prediction_, oob_count_
        What the members that left out a row say of it, and how many they are; NaN and 0 for a row that none left
        out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bag = BaggingClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> bag.oob_score_ > 0.92, len(bag.estimators_samples_[0]), len(bag.left_out_[0]) < 70
    (True, 150, True)
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        **BAGGED,
        "oob_decision_function_": optional(array("f8", "rows", "classes", gaps=True)),
        "oob_prediction_": optional(of_type(np.ndarray)),
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CONSTRAINTS,
        "voting": [StrOptions({"average", "crisp"})],
        "threshold": [Interval(Real, 0, 1, closed="left"), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
    }
    _fit_one: ClassVar[Callable[..., Any]] = staticmethod(fit_classifier)
    _callers: ClassVar[tuple[str, ...]] = ("predict", "predict_proba", "predict_log_proba", "decision_function")

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float | None = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        voting: str = "average",
        threshold: float | None = None,
        oob_score: bool = False,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.voting = voting
        self.threshold = threshold
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def _default(self) -> Any:
        return DecisionTreeClassifier()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Draw the samples and fit one member on each."""
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        if self.threshold is not None and (len(self.classes_) > 2 or self.costs is not None):
            other = "costs" if self.costs is not None else f"{len(self.classes_)} classes"
            raise UsageError(
                f"threshold={self.threshold} together with {other}: a threshold decides between two classes",
                hint="leave the threshold out",
            )
        left_out_sums = self._fit_members(X, y, weights, fit_params)
        if self.oob_score:
            self._keep_left_out(left_out_sums, y)
        return self

    def _keep_left_out(self, left_out_sums: Floats | None, y: NDArray[Any]) -> None:
        shares, known = self._left_out_average(left_out_sums, len(y))
        if left_out_sums is None:
            shares = np.full((len(y), len(self.classes_)), np.nan)
        self.oob_decision_function_ = shares
        # A row that no member left out gets the prior: a label has no way to be missing.
        prior = np.bincount(self._codes(y), minlength=len(self.classes_)) / len(y)
        self.oob_prediction_ = self._decide(np.where(known[:, None], shares, prior))
        self.oob_score_ = accuracy_score(y[known], self.oob_prediction_[known]) if known.any() else np.nan

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    @property
    def _crisp(self) -> bool:
        return self.voting == "crisp"

    def _say(self, member: Any, X: Any, **metadata: Any) -> Floats:
        return (votes if self._crisp else probabilities)(member, X, self.classes_, **metadata)

    def _decide(self, shares: Floats) -> NDArray[Any]:
        if self.threshold is None or len(self.classes_) < 2:
            return super()._decide(shares)
        return np.asarray(self.classes_[(shares[:, 1] > self.threshold).astype(np.intp)])

    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """The likeliest class of each row, or with `costs` the one of least expected cost.

        With metadata routing on, parameters are handed on to the members, here and in the methods below.
        """
        return self._decide(self._average(X, "predict", params))

    def predict_proba(self, X: Any, **params: Any) -> Floats:
        """The average of the members' probabilities, or the shares of their votes."""
        return self._average(X, "predict_proba", params)

    def predict_log_proba(self, X: Any, **params: Any) -> Floats:
        """The logarithms of the probabilities, by the members' own where they give them; minus infinity for 0."""
        caller = "predict_log_proba"
        if any(answering(caller, member, crisp=self._crisp) != caller for _, member in self._members()):
            with np.errstate(divide="ignore"):
                logs: Floats = np.log(self._average(X, caller, params))
            return logs
        asked = self._asked(X, caller, params)
        found = [log_probabilities(member, part, self.classes_, **metadata) for member, part, metadata in asked]
        return np.asarray(np.logaddexp.reduce(found) - np.log(len(found)))

    @available_if(_scores_rows)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def decision_function(self, X: Any, **params: Any) -> Floats:
        """The average of the members' decision functions."""
        asked = self._asked(X, "decision_function", params)
        found = [_scores_of(member, part, metadata) for member, part, metadata in asked]
        return np.asarray(np.mean(found, axis=0))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The same with the first 1, 2, … members."""
        return self._staged_average(X)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The labels with the first 1, 2, … members."""
        return (self._decide(shares) for shares in self._staged_average(X))


class BaggingRegressor(MetaRegressor, BaggingBase):
    """Bagging for numbers: the average of members fitted on random parts. `y` may have several columns, if members do.

    Parameters
    ----------
    estimator, n_estimators, max_samples, max_features, bootstrap, bootstrap_features
        As of `BaggingClassifier`.
    oob_score, n_jobs, random_state, warm_start, verbose
        As of `BaggingClassifier`.

    Attributes
    ----------
    oob_score_
        R² on rows left out, with `oob_score=True`.
    oob_prediction_, oob_count_
        What the members that left out a row say of it, and how many they are.

    Examples
    --------
    >>> from venire.data.generators import linear_sinusoid
    >>> X, y = linear_sinusoid(200, np.random.default_rng(0))
    >>> bag = BaggingRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    >>> bool(bag.oob_score_ > 0.97)
    True
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **BAGGED,
        "oob_prediction_": optional(either(*(array("f8", *shape, gaps=True) for shape in (("rows",), ("rows", None))))),
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS
    _takes_several_targets: ClassVar[bool] = True
    _fit_one: ClassVar[Callable[..., Any]] = staticmethod(fit_member)

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float | None = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def _default(self) -> Any:
        return DecisionTreeRegressor()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Draw the samples and fit one member on each."""
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        left_out_sums = self._fit_members(X, y, weights, fit_params)
        if self.oob_score:
            average, known = self._left_out_average(left_out_sums, len(y))
            self.oob_prediction_ = _one_or_all(average)
            self.oob_score_ = r2_score(y[known], self.oob_prediction_[known]) if known.sum() > 1 else np.nan
        return self

    def _say(self, member: Any, X: Any, **metadata: Any) -> Floats:
        return values(member, X, **metadata)

    def predict(self, X: Any, **params: Any) -> Floats:
        """The average of what the members predict; with metadata routing on, parameters are handed on to them."""
        return _one_or_all(self._average(X, "predict", params))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The same with the first 1, 2, … members."""
        return (_one_or_all(average) for average in self._staged_average(X))


def _one_or_all(average: Floats) -> Floats:
    """A number a row where there is one target, else a column for each."""
    return average[:, 0] if average.shape[1] == 1 else average
