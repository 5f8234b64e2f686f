"""Estimators whose fitted state is stated as constraints, next to those of their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from venire.errors import ModelFormatError
from venire.states.constraints import (
    Check,
    Optional,
    Refused,
    Sizes,
    array,
    count,
    labels,
    maybe,
    names,
    optional,
    within,
)

Fitted = Mapping[str, Check]

FEATURES: Fitted = {"n_features_in_": count("features"), "feature_names_in_": optional(names("features"))}
CLASSES: Fitted = {"classes_": labels("classes"), "_costs": maybe(array("f8", "classes", "classes"))}


class CheckedState:
    """An estimator that refuses a fitted state that does not hold together, from a pickle as from a model file.

    `_fitted_constraints` lists every attribute that `fit` leaves behind, with its check; `_check_fitted` says what has
    to hold between them. A state without any of them is that of an estimator that is not fitted, and needs no check.
    """

    _fitted_constraints: ClassVar[Fitted] = {}

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        """What has to hold between attributes, each of which has passed its own check."""

    def __copy__(self) -> Self:
        """A shallow copy, of one that is half fitted too: nothing came from outside, so there is nothing to check."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        check_state(type(self), state)
        super().__setstate__(state)  # type: ignore[misc]  # that of scikit-learn's BaseEstimator, which comes next


def check_state(owner: type[CheckedState], state: Mapping[str, Any]) -> None:
    """Refuse a fitted state of this class that its constraints do not allow."""
    check_fields(owner.__name__, owner._fitted_constraints, state, owner._check_fitted)


def check_fields(
    owner: str,
    table: Fitted,
    state: Mapping[str, Any],
    relations: Callable[[Mapping[str, Any], Sizes], None] | None = None,
) -> None:
    """Refuse a state in which an attribute is missing or is not what the table says."""
    if not isinstance(state, Mapping):
        raise ModelFormatError(f"the state of {owner} is {type(state).__name__}, and no dictionary")
    if not any(name in state for name in table):
        return
    sizes: Sizes = {}
    try:
        for name, check in table.items():
            if name in state:
                within(name, check, state[name], sizes)
            elif not isinstance(check, Optional):
                raise Refused(f"{name} is missing")
        if relations is not None:
            relations(state, sizes)
    except Refused as refused:
        raise ModelFormatError(f"the state of {owner} is damaged: {refused}", hint=_HINT) from None


_HINT = "take another copy of the model, or fit it again"
