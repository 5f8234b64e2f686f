"""Stacking: a second-level learner on what members say of rows they were not fitted on."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.utils._param_validation import StrOptions

from venire.combine import average, residual_gram, stack_weights
from venire.ensembles.base import MetaClassifier, MetaRegressor
from venire.ensembles.heldout import Parts, held_out, parts_of
from venire.ensembles.members import fit_classifier, fit_member, probabilities, values, votes, weight_params
from venire.ensembles.named import NamedMembers
from venire.ensembles.rounds import round_outputs
from venire.ensembles.rows import beside, take_rows
from venire.errors import UsageError

Floats = NDArray[np.float64]

_CONSTRAINTS: dict[str, Any] = {
    "estimators": "no_validation",  # looked at by `named`
    "final_estimator": "no_validation",  # an estimator, "weights" or None
    "cv": "no_validation",  # looked at by `parts_of`
    "passthrough": ["boolean"],
    "refit": ["boolean"],
    "rounds_of": ["array-like", None],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
}


class _Stacking(NamedMembers):
    """What stacking of classes and of numbers share."""

    final_estimator: Any
    cv: Any
    passthrough: bool
    refit: bool
    rounds_of: Any
    random_state: Any
    final_estimator_: Any
    weights_: Floats | None

    def _say(self, member: Any, X: Any) -> Floats:
        """What a member says, [1, row, output]."""
        raise NotImplementedError

    def _say_rounds(self, member: Any, X: Any) -> Floats:
        """What the single rounds of a member say, [round, row, output]."""
        raise NotImplementedError

    def _default_final(self) -> Any:
        raise NotImplementedError

    def _fit_one(self, name: str, member: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _check_wishes(self) -> None:
        self._check_parameters()
        names = [name for name, _ in self._members()]
        strange = [name for name in self._expanded() if name not in names]
        if strange:
            raise UsageError(f"rounds_of names {strange[0]!r}, which is no member", hint=f"members: {', '.join(names)}")
        if isinstance(self.final_estimator, str) and self.final_estimator != "weights":
            raise UsageError(f"final_estimator={self.final_estimator!r} is neither an estimator nor 'weights'")
        if isinstance(self.final_estimator, str) and self.passthrough:
            raise UsageError(
                "final_estimator='weights' weighs members and has no place for the original attributes",
                hint="leave passthrough out, or give an estimator",
            )

    def _expanded(self) -> tuple[str, ...]:
        return () if self.rounds_of is None else tuple(self.rounds_of)

    def _ask(self, name: str, member: Any, X: Any) -> Floats:
        return (self._say_rounds if name in self._expanded() else self._say)(member, X)

    def _prefit(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _stack(self, X: Any, y: NDArray[Any], weights: Floats | None, params: dict[str, Any], classes: bool) -> None:
        """Fit members and second level."""
        routed = self._routed(weights, params)
        if self._prefit():
            self._keep(self._given_fitted())
            said = [self._ask(name, m, X) for (name, _), m in zip(self._members(), self.estimators_, strict=True)]
            rows = np.arange(len(y))
        else:
            parts = parts_of(self.cv, X, y, classes=classes, random_state=self.random_state)
            rows = parts.rows
            said = self._fit_levels(X, y, parts, routed)
        self._rounds = [len(one) for one in said]
        held = X if len(rows) == len(y) and (rows == np.arange(len(y))).all() else take_rows(X, rows)
        self._fit_final(said, held, y[rows], None if weights is None else weights[rows])

    def _fit_levels(self, X: Any, y: NDArray[Any], parts: Parts, routed: dict[str, dict[str, Any]]) -> list[Floats]:
        if not (self.refit or parts.holdout):
            raise UsageError("refit=False keeps the members of the one training part, and cross-validation has many")
        members = self._members()
        said, by_part = held_out(members, X, y, parts, routed, self._fit_one, self._ask, self.n_jobs)
        fitted = [of_member[0] for of_member in by_part]
        if self.refit:
            fitted = self._fit_all(X, y, routed, self._fit_one)
        self._keep(fitted)
        # After fitting on all rows an ensemble may have stopped earlier: only rounds that are there can be features.
        counts = [
            len(self._ask(name, member, take_rows(X, np.arange(1)))) if name in self._expanded() else 1
            for (name, _), member in zip(members, fitted, strict=True)
        ]
        return [one[:count] for one, count in zip(said, counts, strict=True)]

    def _fit_final(self, said: list[Floats], X: Any, y: NDArray[Any], weights: Floats | None) -> None:
        if isinstance(self.final_estimator, str):
            self.weights_ = stack_weights(self._gram(np.concatenate(said), y, weights))
            self.final_estimator_ = None
            return
        self.weights_ = None
        final = self._default_final() if self.final_estimator is None else clone(self.final_estimator)
        features = self._features(said, X)
        params = weight_params("final_estimator", final, weights)
        self.final_estimator_ = self._fit_one("final_estimator", final, features, y, params)

    def _gram(self, said: Floats, y: NDArray[Any], weights: Floats | None) -> Floats:
        raise NotImplementedError

    def _columns(self, said: Floats) -> Floats:
        """One round's outputs as features: with two classes one column says it all."""
        return said[:, 1:] if said.shape[1] == 2 else said

    def _features(self, said: list[Floats], X: Any) -> Any:
        columns = [self._columns(one) for rounds in said for one in rounds]
        features = np.hstack(columns)
        return beside(X, features, self._feature_names(said)) if self.passthrough else features

    def _feature_names(self, said: list[Floats]) -> list[str]:
        found = []
        for (name, _), rounds in zip(self._members(), said, strict=True):
            for t, one in enumerate(rounds):
                width = self._columns(one).shape[1]
                stem = f"{name}_{t + 1}" if name in self._expanded() else name
                found += [stem] if width == 1 else [f"{stem}_{j}" for j in range(width)]
        return found

    def _heard(self, X: Any) -> list[Floats]:
        named = zip(self._members(), self.estimators_, self._rounds, strict=True)
        return [self._ask(name, member, X)[:rounds] for (name, _), member, rounds in named]

    def second_level(self, X: Any) -> Any:
        """The features that the second level sees of these rows."""
        X = self._rows(X)
        return self._features(self._heard(X), X)


class StackingClassifier(MetaClassifier, _Stacking):
    """Stacking for classes: members of any kind, ensembles included, and a second-level learner over them.

    `cv` says where the second level's training rows come from: a number of folds (every row is predicted by members
    that have not seen it), a share to hold out (members learn on one part, the second level on the other), a splitter,
    or `"prefit"` for members that are already fitted on other rows. Afterwards the members are fitted on all rows;
    `refit=False` keeps those of the hold-out's training part.

    `features` are the members' class `"probabilities"`, or their `"labels"` as indicators. `passthrough=True` keeps the
    original attributes beside them (a frame stays a frame); `second_level(X)` shows them. `rounds_of` names members
    that are a bagging, a forest or an AdaBoost and whose single rounds shall be features one by one.

    `final_estimator` is a logistic regression by default; `"weights"` gives every member (or round) one weight instead,
    none negative, in sum one, so that the average has the least Brier score: see `weights_`.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("near", KNeighborsClassifier(7))]
    >>> stack = StackingClassifier(members, final_estimator="weights", random_state=0).fit(X, y)
    >>> stack.score(X, y) > 0.95, bool(abs(stack.weights_.sum() - 1) < 1e-12)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_CONSTRAINTS,
        "features": [StrOptions({"probabilities", "labels"})],
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
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.features = features
        self.passthrough = passthrough
        self.refit = refit
        self.rounds_of = rounds_of
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the members, then the second level on what they say of rows they have not seen."""
        self._check_wishes()
        known = self._classes_of_fitted() if self._prefit() else None
        X, y, weights = self._read_classes(X, y, sample_weight, known)
        self._stack(X, y, weights, fit_params, classes=True)
        return self

    def _default_final(self) -> Any:
        return LogisticRegression(max_iter=1000)

    def _fit_one(self, name: str, member: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
        return fit_classifier(name, member, X, y, params)

    def _say(self, member: Any, X: Any) -> Floats:
        return (votes if self.features == "labels" else probabilities)(member, X, self.classes_)[None]

    def _say_rounds(self, member: Any, X: Any) -> Floats:
        said = round_outputs(member, X, self.classes_)
        if self.features == "labels":
            said = np.eye(said.shape[2])[said.argmax(axis=2)]
        return said

    def _gram(self, said: Floats, y: NDArray[Any], weights: Floats | None) -> Floats:
        truth = np.eye(len(self.classes_))[self._codes(y)]
        return _gram_of(said, truth, weights)

    def predict_proba(self, X: Any) -> Floats:
        """What the second level makes of the members."""
        X = self._rows(X)
        said = self._heard(X)
        if self.weights_ is not None:
            return average(np.concatenate(said), self.weights_)
        return probabilities(self.final_estimator_, self._features(said, X), self.classes_)


class StackingRegressor(MetaRegressor, _Stacking):
    """Stacking for numbers; the parameters are those of `StackingClassifier`. The second level is a ridge by default.

    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from venire.data.generators import linear_sinusoid
    >>> X, y = linear_sinusoid(200, np.random.default_rng(0))
    >>> members = [("line", LinearRegression()), ("near", KNeighborsRegressor())]
    >>> StackingRegressor(members, final_estimator="weights").fit(X, y).weights_.round(2)
    array([0., 1.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = _CONSTRAINTS

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
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.passthrough = passthrough
        self.refit = refit
        self.rounds_of = rounds_of
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the members, then the second level on what they say of rows they have not seen."""
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

    def _gram(self, said: Floats, y: NDArray[Any], weights: Floats | None) -> Floats:
        return _gram_of(said, y[:, None], weights)

    def predict(self, X: Any) -> Floats:
        """What the second level makes of the members."""
        X = self._rows(X)
        said = self._heard(X)
        if self.weights_ is not None:
            return average(np.concatenate(said), self.weights_)[:, 0]
        return np.asarray(self.final_estimator_.predict(self._features(said, X)), dtype=np.float64)


def _gram_of(said: Floats, truth: Floats, weights: Floats | None) -> Floats:
    """The Gram matrix of the weighted residuals; every output of a row counts as a row of its own."""
    scale = np.ones((1, len(truth), 1)) if weights is None else np.sqrt(weights)[None, :, None]
    flat = (said * scale).reshape(len(said), -1, 1)
    return residual_gram(flat, (truth * scale[0]).ravel(), 0)
