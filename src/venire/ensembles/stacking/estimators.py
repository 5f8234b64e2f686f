"""Stacking: a second-level learner on what members say of rows they were not fitted on."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if

from venire.combine import average
from venire.ensembles.base import MetaClassifier, MetaRegressor
from venire.ensembles.members import fit_classifier, fit_member, probabilities, values, votes
from venire.ensembles.rows import checked, checked_weights, row_count
from venire.ensembles.stacking.base import CONSTRAINTS, STACKED, StackingBase, gram_of
from venire.ensembles.stacking.label_indicator import (
    is_indicator,
    label_outputs,
    refuse_what_is_for_classes,
    way_to_ask,
)
from venire.ensembles.stacking.rounds import round_outputs
from venire.errors import UsageError
from venire.models.tree.base import several_classes
from venire.sklearn_private import StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import either, labels, maybe, optional, whole

Floats = NDArray[np.float64]


def _scores_rows(stack: Any) -> bool:
    """Whether the second level, fitted or not, has a decision function; its own error says if not."""
    final = stack._second_level()
    return callable((stack._default_final() if final is None else final).decision_function)


class StackingClassifier(MetaClassifier, StackingBase):
    """Stacking for classes: members of any kind, ensembles included, and a second-level learner over them.

    `y` may be an indicator of labels, `[row, label]`, where members and `final_estimator` take one.

    Parameters
    ----------
    estimators
        The members: classifiers, or (name, classifier) pairs.
    final_estimator
        The second level, a logistic regression by default; `"weights"` gives every member (or round) one weight
        instead, none negative, in sum one, so that the average has the least Brier score: see `weights_`.
    cv
        Where the second level's training rows come from: a number of folds (every row is predicted by members that
        have not seen it), a share to hold out (members learn on one part, the second level on the other), a
        splitter, or `"prefit"` for members that are already fitted on other rows.
    features
        The members' class `"probabilities"`, or their `"labels"` as indicators.
    stack_method
        The same choice by scikit-learn's name: `"predict_proba"`, `"predict"` (labels as indicators), or
        `"decision_function"` for scores; `"auto"` is what `features` says, and a whole vote of a member without
        probabilities.
    passthrough
        Keep the original columns beside them (a frame stays a frame); `second_level(X)` shows them.
    refit
        Fit the members on all rows afterwards; False keeps those of the hold-out's training part.
    rounds_of
        Names of members that are a bagging, a forest or an AdaBoost and whose single rounds shall be features one
        by one.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    n_jobs
        How many members are fitted at once; it changes nothing but the time.
    random_state
        Of the held-out rows.
    verbose
        Taken because scikit-learn's takes it; nothing is printed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("near", KNeighborsClassifier(7))]
    >>> stack = StackingClassifier(members, final_estimator="weights", random_state=0).fit(X, y)
    >>> stack.score(X, y) > 0.95, bool(abs(stack.weights_.sum() - 1) < 1e-12)
    (True, True)
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        **STACKED,
        "classes_": either(labels("classes"), several_classes),
        "_label_count": optional(maybe(whole(low=1))),
    }
    _label_count: int | None = None  # of a target of several labels at once
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CONSTRAINTS,
        "features": [StrOptions({"probabilities", "labels"})],
        "stack_method": [StrOptions({"auto", "predict_proba", "decision_function", "predict"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
    }

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = 5,
        features: str = "probabilities",
        passthrough: bool = False,
        refit: bool = True,
        rounds_of: Any = None,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        stack_method: str = "auto",
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.features = features
        self.stack_method = stack_method
        self.verbose = verbose
        self.passthrough = passthrough
        self.refit = refit
        self.rounds_of = rounds_of
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the members, then the second level on what they say of rows they have not seen."""
        self._refuse_unrouted(fit_params)
        self._check_wishes()
        self._label_count = None
        if is_indicator(y):
            return self._fit_labels(X, np.asarray(y), sample_weight, fit_params)
        known = self._classes_of_fitted() if self._prefit() else None
        X, y, weights = self._read_classes(X, y, sample_weight, known)
        self._stack(X, y, weights, fit_params, classes=True)
        return self

    def _fit_labels(self, X: Any, y: NDArray[Any], sample_weight: Any, fit_params: dict[str, Any]) -> Self:
        refuse_what_is_for_classes(self)
        X = checked(self, X, reset=True)
        check_consistent_length(X, y)
        self._label_count = y.shape[1]
        several: Any = [np.array([0, 1])] * y.shape[1]
        self.classes_, self._costs = several, None
        self._stack(X, y, checked_weights(sample_weight, row_count(X)), fit_params, classes=False)
        return self

    def _default_final(self) -> Any:
        return LogisticRegression(max_iter=1000)

    def _fit_one(self, name: str, member: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
        if self._label_count is not None:
            return fit_member(name, member, X, y, params)
        return fit_classifier(name, member, X, y, params)

    @property
    def _takes_labels(self) -> bool:
        """Whether the second level sees the labels that members say."""
        return self.stack_method == "predict" or (self.stack_method == "auto" and self.features == "labels")

    @property
    def _takes_scores(self) -> bool:
        """Whether it sees their decision scores."""
        return self.stack_method == "decision_function"

    def _check_wishes(self) -> None:
        super()._check_wishes()
        if self._takes_scores and isinstance(self.final_estimator, str):
            raise UsageError("final_estimator='weights' averages probabilities, and stack_method asks for scores")
        for name, member in self._members():
            if self.stack_method != "auto" and not hasattr(member, self.stack_method):
                raise UsageError(
                    f"Underlying estimator {name} does not implement the method {self.stack_method}.",
                    hint="stack_method='auto' asks each member for what it has",
                )

    def _asked(self, member: Any) -> str:
        if self.stack_method != "auto":
            return self.stack_method
        if self._label_count is not None:
            return way_to_ask(member)
        return "predict" if self._takes_labels or not hasattr(member, "predict_proba") else "predict_proba"

    def _say(self, member: Any, X: Any) -> Floats:
        if self._label_count is not None:
            return label_outputs(member, X, self._asked(member))[None]
        if is_regressor(member):
            return values(member, X)[None]
        if self._takes_scores:
            return np.asarray(member.decision_function(X), dtype=np.float64).reshape(row_count(X), -1)[None]
        return (votes if self._takes_labels else probabilities)(member, X, self.classes_)[None]

    def _columns(self, predicted: Floats) -> Floats:
        return predicted if self._takes_scores or self._label_count is not None else super()._columns(predicted)

    def _member_widths(self) -> list[int]:
        if self._label_count is not None:
            return [self._label_count] * len(self.estimators_)
        each = len(self.classes_) if len(self.classes_) > 2 else 1
        return [
            (1 if is_regressor(member) else each) * rounds
            for member, rounds in zip(self.estimators_, self._rounds, strict=True)
        ]

    def _say_rounds(self, member: Any, X: Any) -> Floats:
        predicted = round_outputs(member, X, self.classes_)
        if self._takes_labels:
            predicted = np.eye(predicted.shape[2])[predicted.argmax(axis=2)]
        return predicted

    def _gram(self, predicted: Floats, y: NDArray[Any], weights: Floats | None) -> Floats:
        truth = np.eye(len(self.classes_))[self._codes(y)]
        return gram_of(predicted, truth, weights)

    def predict_proba(self, X: Any) -> Floats:
        """What the second level makes of the members."""
        X = self._rows(X)
        predicted = self._member_outputs(X)
        if self._label_count is not None:
            return label_outputs(self.final_estimator_, self._features(predicted, X), "predict_proba")
        if self.weights_ is not None:
            return average(np.concatenate(predicted), self.weights_)
        return probabilities(self.final_estimator_, self._features(predicted, X), self.classes_)

    def predict(self, X: Any, **predict_params: Any) -> NDArray[Any]:
        """The likeliest class of each row, or with `costs` the one of least expected cost; of labels, an indicator.

        Parameters beside the rows are those of the second level's `predict`, which then has the last word.
        """
        last = bool(predict_params) or self._label_count is not None
        return self._final("predict", X, predict_params) if last else super().predict(X)

    @available_if(_scores_rows)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def decision_function(self, X: Any) -> Floats:
        """The scores of the second level."""
        return np.asarray(self._final("decision_function", X, {}), dtype=np.float64)


class StackingRegressor(MetaRegressor, StackingBase):
    """Stacking for numbers.

    Parameters
    ----------
    estimators
        The members: regressors, or (name, regressor) pairs.
    final_estimator
        The second level, a ridge regression by default; `"weights"` as of `StackingClassifier`, for the least
        squared error.
    cv, passthrough, refit, rounds_of, n_jobs, random_state, verbose
        As of `StackingClassifier`.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from venire.data.generators import linear_sinusoid
    >>> X, y = linear_sinusoid(200, np.random.default_rng(0))
    >>> members = [("line", LinearRegression()), ("near", KNeighborsRegressor())]
    >>> StackingRegressor(members, final_estimator="weights").fit(X, y).weights_.round(2)
    array([0., 1.])
    """

    _members_are: ClassVar[str | None] = "regressor"
    _fitted_constraints: ClassVar[Fitted] = {**FEATURES, **STACKED}
    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = 5,
        passthrough: bool = False,
        refit: bool = True,
        rounds_of: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.verbose = verbose
        self.passthrough = passthrough
        self.refit = refit
        self.rounds_of = rounds_of
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the members, then the second level on what they say of rows they have not seen."""
        self._refuse_unrouted(fit_params)
        self._check_wishes()
        X, y, weights = self._read(X, y, sample_weight)
        self._stack(X, y, weights, fit_params, classes=False)
        return self

    def _default_final(self) -> Any:
        return RidgeCV()

    def _fit_one(self, name: str, member: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
        return fit_member(name, member, X, y, params)

    def _say(self, member: Any, X: Any) -> Floats:
        return values(member, X)[None]

    def _say_rounds(self, member: Any, X: Any) -> Floats:
        return round_outputs(member, X, None)

    def _gram(self, predicted: Floats, y: NDArray[Any], weights: Floats | None) -> Floats:
        return gram_of(predicted, y[:, None], weights)

    def _member_widths(self) -> list[int]:
        return list(self._rounds)

    def predict(self, X: Any, **predict_params: Any) -> Any:
        """What the second level makes of the members; further parameters are those of its `predict`."""
        if predict_params:
            return self._final("predict", X, predict_params)
        X = self._rows(X)
        predicted = self._member_outputs(X)
        if self.weights_ is not None:
            return average(np.concatenate(predicted), self.weights_)[:, 0]
        return np.asarray(self.final_estimator_.predict(self._features(predicted, X)), dtype=np.float64)
