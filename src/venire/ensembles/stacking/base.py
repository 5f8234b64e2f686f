"""What stacking of classes and of numbers share: the members, what they say of unseen rows, and the second level."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from venire.combine import residual_gram, stack_weights
from venire.ensembles.held_out import Parts, held_out, parts_of
from venire.ensembles.members import weight_params
from venire.ensembles.rows import beside, take_rows
from venire.ensembles.transforming import MemberColumns, columns_before
from venire.errors import DataError, UsageError
from venire.states.checked import Fitted
from venire.states.constraints import array, count, learner, maybe, optional, sequence, whole

Floats = NDArray[np.float64]

CONSTRAINTS: dict[str, Any] = {
    "estimators": "no_validation",  # looked at by `named`
    "final_estimator": "no_validation",  # an estimator, "weights" or None
    "cv": "no_validation",  # looked at by `parts_of`
    "passthrough": ["boolean"],
    "refit": ["boolean"],
    "rounds_of": ["array-like", None],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}


STACKED: Fitted = {
    "n_features_in_": optional(count("features")),  # documents have none
    "estimators_": sequence(learner, "members"),
    "_rounds": sequence(whole(low=1), "members"),
    "weights_": maybe(array("f8", None)),
    "final_estimator_": maybe(learner),
}


class StackingBase(MemberColumns):
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
            raise UsageError(
                f"The 'final_estimator' parameter of {type(self).__name__} must be None, 'weights' or an object "
                f"implementing 'fit'. Got {self.final_estimator!r} instead."
            )
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
            predicted = [self._ask(name, m, X) for (name, _), m in zip(self._members(), self.estimators_, strict=True)]
            rows = np.arange(len(y))
        else:
            parts = parts_of(self.cv, X, y, classes=classes, random_state=self.random_state)
            rows = parts.rows
            predicted = self._fit_levels(X, y, parts, routed)
        self._rounds = [len(one) for one in predicted]
        held = X if len(rows) == len(y) and (rows == np.arange(len(y))).all() else take_rows(X, rows)
        self._fit_final(predicted, held, y[rows], None if weights is None else weights[rows])

    def _fit_levels(self, X: Any, y: NDArray[Any], parts: Parts, routed: dict[str, dict[str, Any]]) -> list[Floats]:
        if not (self.refit or parts.holdout):
            raise UsageError("refit=False keeps the members of the one training part, and cross-validation has many")
        members = self._members()
        predicted, by_part = held_out(members, X, y, parts, routed, self._fit_one, self._ask, self.n_jobs)
        fitted = [of_member[0] for of_member in by_part]
        if self.refit:
            fitted = self._fit_all(X, y, routed, self._fit_one)
        self._keep(fitted)
        # After fitting on all rows an ensemble may have stopped earlier: only rounds that are there can be features.
        counts = [
            len(self._ask(name, member, take_rows(X, np.arange(1)))) if name in self._expanded() else 1
            for (name, _), member in zip(members, fitted, strict=True)
        ]
        return [one[:count] for one, count in zip(predicted, counts, strict=True)]

    def _fit_final(self, predicted: list[Floats], X: Any, y: NDArray[Any], weights: Floats | None) -> None:
        if isinstance(self.final_estimator, str):
            self.weights_ = stack_weights(self._gram(np.concatenate(predicted), y, weights))
            self.final_estimator_ = None
            return
        self.weights_ = None
        final = self._default_final() if self.final_estimator is None else clone(self.final_estimator)
        features = self._features(predicted, X)
        params = weight_params("final_estimator", final, weights)
        self.final_estimator_ = self._fit_one("final_estimator", final, features, y, params)

    def _gram(self, predicted: Floats, y: NDArray[Any], weights: Floats | None) -> Floats:
        raise NotImplementedError

    def _columns(self, predicted: Floats) -> Floats:
        """One round's outputs as features: with two classes one column says it all."""
        return predicted[:, 1:] if predicted.shape[1] == 2 else predicted

    def _said(self, predicted: list[Floats]) -> Floats:
        columns = [self._columns(one) for rounds in predicted for one in rounds]
        features = np.hstack(columns)
        if np.isinf(features).any():
            raise DataError(
                "members say infinite numbers, and the second level cannot weigh these",
                code="member_failed",
                hint="look at what the members say of these rows (second_level), and leave such rows out",
            )
        return features

    def _features(self, predicted: list[Floats], X: Any) -> Any:
        features = self._said(predicted)
        return beside(X, features, self._feature_names(predicted)) if self.passthrough else features

    def _feature_names(self, predicted: list[Floats]) -> list[str]:
        found = []
        for (name, _), rounds in zip(self._members(), predicted, strict=True):
            for t, one in enumerate(rounds):
                width = self._columns(one).shape[1]
                stem = f"{name}_{t + 1}" if name in self._expanded() else name
                found += [stem] if width == 1 else [f"{stem}_{j}" for j in range(width)]
        return found

    def _member_outputs(self, X: Any) -> list[Floats]:
        named = zip(self._members(), self.estimators_, self._rounds, strict=True)
        return [self._ask(name, member, X)[:rounds] for (name, _), member, rounds in named]

    def second_level(self, X: Any) -> Any:
        """The features that the second level sees of these rows."""
        X = self._rows(X)
        return self._features(self._member_outputs(X), X)

    def transform(self, X: Any) -> Any:
        """What the members say, side by side; with `passthrough` the rows themselves follow, as in scikit-learn.

        The second level sees the same columns in another order: see `second_level`.
        """
        X = self._rows(X)
        features = self._said(self._member_outputs(X))
        return columns_before(features, X) if self.passthrough else features

    def _keeps_columns(self) -> bool:
        return bool(self.passthrough)

    @property
    def stack_method_(self) -> list[str]:
        """The method of each member that says what the second level sees."""
        check_is_fitted(self)
        return [self._asked(member) for member in self.estimators_]

    def _asked(self, member: Any) -> str:
        return "predict"

    def _second_level(self) -> Any:
        """The second level: fitted if it is, else as given."""
        fitted = getattr(self, "final_estimator_", None)
        return self.final_estimator if fitted is None else fitted

    def _final(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        """What the second level says when it is asked this way."""
        if self.final_estimator_ is None:
            raise UsageError(f"final_estimator='weights' has no {method}, and takes no {', '.join(sorted(params))}")
        X = self._rows(X)
        return getattr(self.final_estimator_, method)(self._features(self._member_outputs(X), X), **params)

    def get_metadata_routing(self) -> MetadataRouter:
        """Whom metadata is handed on to: that of `fit` to the members, that of `predict` to the second level."""
        final = self._second_level()
        if final is None or isinstance(final, str):
            return super().get_metadata_routing()
        to_predict = MethodMapping().add(caller="predict", callee="predict")
        return super().get_metadata_routing().add(final_estimator_=final, method_mapping=to_predict)


def gram_of(predicted: Floats, truth: Floats, weights: Floats | None) -> Floats:
    """The Gram matrix of the weighted residuals; every output of a row counts as a row of its own."""
    scale = np.ones((1, len(truth), 1)) if weights is None else np.sqrt(weights)[None, :, None]
    flat = (predicted * scale).reshape(len(predicted), -1, 1)
    return residual_gram(flat, (truth * scale[0]).ravel(), 0)
