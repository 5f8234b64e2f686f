"""How objects become states and states objects: our estimators, scikit-learn's, dataclasses and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from inspect import signature
from typing import Any

from venire.errors import ModelFormatError, UsageError
from venire.persist.values import Kind
from venire.states.checked import CheckedState, Fitted, check_fields, check_state
from venire.states.constraints import Sizes

Relations = Callable[[Mapping[str, Any], Sizes], None]
MOST_JOBS = 1024


def own(name: str, cls: type) -> Kind:
    """An estimator of ours: all parameters, and every attribute that its `_fitted_constraints` list."""
    assert issubclass(cls, CheckedState)
    table = cls._fitted_constraints

    def take(estimator: Any) -> Mapping[str, Any]:
        parameters = estimator.get_params(deep=False)
        fitted = {key: value for key, value in vars(estimator).items() if key not in parameters}
        for key in fitted:
            if key not in table:
                raise UsageError(
                    f"{cls.__name__} has an attribute {key!r} that a model file has no place for",
                    code="cannot_save",
                    hint=f"delete it (del model.{key}) before you save",
                )
        return {"params": parameters, "fitted": fitted}

    def make(state: dict[str, Any]) -> Any:
        parameters, fitted = _parted(state)
        estimator = _constructed(cls, parameters, fitted=bool(fitted))
        _refuse_others(cls, fitted, table)
        check_state(cls, {**parameters, **fitted})
        vars(estimator).update(fitted)
        return estimator

    return Kind(name, cls, take, make)


def foreign(
    name: str,
    cls: type,
    table: Fitted,
    *,
    always: tuple[str, ...] = (),
    constants: Mapping[str, Any] | None = None,
    relations: Relations | None = None,
) -> Kind:
    """An estimator of scikit-learn: what predicting needs, as attributes of the versions that are allowed.

    Parameters are kept where they are not the default, and `always` where predicting depends on them; `constants` are
    attributes that have one value in every model that can be written.
    """
    defaults = {key: each.default for key, each in signature(cls).parameters.items()}
    fixed = dict(constants or {})

    def take(estimator: Any) -> Mapping[str, Any]:
        given = estimator.get_params(deep=False)
        kept = {key: value for key, value in given.items() if key in always or not _same(value, defaults.get(key))}
        for key, value in fixed.items():
            if getattr(estimator, key, value) != value:
                raise UsageError(
                    f"{cls.__name__} with {key} = {getattr(estimator, key)!r} cannot be written to a model file",
                    code="cannot_save",
                    hint="pickle it, or fit it another way",
                )
        return {"params": kept, "fitted": {key: getattr(estimator, key) for key in table if _held(estimator, key)}}

    def make(state: dict[str, Any]) -> Any:
        parameters, fitted = _parted(state)
        estimator = _constructed(cls, parameters, fitted=bool(fitted))
        _refuse_others(cls, fitted, table)
        whole = {**estimator.get_params(deep=False), **fitted} if relations else fitted
        check_fields(cls.__name__, table, whole, relations if fitted else None)
        vars(estimator).update(fitted, **(fixed if fitted else {}))
        return estimator

    return Kind(name, cls, take, make)


def value(name: str, cls: type) -> Kind:
    """A dataclass, field by field; who holds it checks it."""
    wanted = tuple(each.name for each in fields(cls))

    def make(state: dict[str, Any]) -> Any:
        if set(state) != set(wanted):
            raise ModelFormatError(f"{cls.__name__} has other fields: {', '.join(map(str, state))[:100]}")
        return cls(**state)

    return Kind(name, cls, lambda one: {key: getattr(one, key) for key in wanted}, make)


def word(name: str, cls: type[Enum]) -> Kind:
    """One of the words of an enumeration."""
    return Kind(name, cls, lambda one: {"value": one.value}, lambda state: cls(state["value"]))


def stored(name: str, cls: type) -> Kind:
    """An object that gives its state as plain values, and checks what it is given."""

    def make(state: dict[str, Any]) -> Any:
        made: Any = object.__new__(cls)
        made.__setstate__(state)
        return made

    return Kind(name, cls, lambda one: one.__getstate__(), make)


def _held(estimator: Any, key: str) -> bool:
    """Whether a fitted estimator has it: as an attribute or, in some versions of scikit-learn, computed from others."""
    computed = isinstance(getattr(type(estimator), key, None), property) and hasattr(estimator, key)
    return key in vars(estimator) or computed


def _parted(state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    parameters, fitted = state.get("params"), state.get("fitted")
    if len(state) != 2 or not isinstance(parameters, dict) or not isinstance(fitted, dict):
        raise ModelFormatError("has not just parameters and what was fitted")
    return parameters, fitted


def _constructed(cls: type, parameters: dict[str, Any], *, fitted: bool) -> Any:
    """The estimator with its parameters; those of a fitted one must be such as `fit` takes."""
    jobs = parameters.get("n_jobs")
    if jobs is not None and not (isinstance(jobs, int) and -MOST_JOBS <= jobs <= MOST_JOBS):
        raise ModelFormatError(f"n_jobs is {str(jobs)[:20]}")
    estimator = cls(**parameters)
    if fitted and hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()
    return estimator


def _refuse_others(cls: type, fitted: Mapping[str, Any], table: Fitted) -> None:
    for key in fitted:
        if key not in table:
            raise ModelFormatError(f"{cls.__name__} has no attribute {str(key)[:40]!r}")


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)
