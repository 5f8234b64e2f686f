"""What an attribute of a fitted estimator may be, as data, so that a state from a file is checked before it computes.

A check is a function of a value and of the sizes that are known so far. Sizes have names: the first check that meets
"features" says how many there are, and every later one has to agree. A refusal is the end of a sentence that
begins with the attribute's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

Sizes = dict[str, int]
Check = Callable[[Any, Sizes], None]
Size = int | str | None | Callable[[Sizes], int]  # a number, a name, anything, or what follows from other sizes


class Refused(Exception):
    """A value does not hold what its check asks for; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Optional:
    """A check of an attribute that only some fits leave behind."""

    check: Check

    def __call__(self, value: Any, sizes: Sizes) -> None:
        """The check itself."""
        self.check(value, sizes)


def optional(check: Check) -> Optional:
    """The attribute may be absent."""
    return Optional(check)


def require(holds: bool, wrong: str) -> None:
    """Refuse with these words unless it holds."""
    if not holds:
        raise Refused(wrong)


def agree(size: Size, found: int, sizes: Sizes) -> None:
    """A size is what it was before; a name that is met for the first time stands for it from now on."""
    if size is None:
        return
    if isinstance(size, str):
        wanted = sizes.setdefault(size, found)
        require(found == wanted, f"has {found} {size}, and there are {wanted}")
        return
    wanted = size(sizes) if callable(size) else size
    require(found == wanted, f"has a size of {found} where {wanted} is needed")


def whole(low: int = 0, high: int = 2**53) -> Check:
    """A whole number."""

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, int | np.integer) and not isinstance(value, bool), "is no whole number")
        require(low <= value <= high, f"is {value}, which is not within {low} and {high}")

    return check


_MOST_COUNTED = 1 << 22  # columns or classes: rows are made by this number before anything else confirms it


def count(name: str) -> Check:
    """A whole number above zero that is the size of this name."""

    def check(value: Any, sizes: Sizes) -> None:
        whole(low=1, high=_MOST_COUNTED)(value, sizes)
        agree(name, int(value), sizes)

    return check


def number(low: float = -np.inf, *, finite: bool = True) -> Check:
    """A real number."""

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, int | float | np.number) and not isinstance(value, bool), "is no number")
        require(not finite or bool(np.isfinite(value)), "is not finite")
        require(not value < low, f"is below {low:g}")

    return check


def flag(value: Any, sizes: Sizes) -> None:
    """True or false."""
    require(isinstance(value, bool | np.bool_), "is neither true nor false")


def text(*options: str) -> Check:
    """A string, one of these if there are any."""

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, str), "is no text")
        require(not options or value in options, f"is {value[:40]!r}, and none of {', '.join(options)}")

    return check


def maybe(inner: Check) -> Check:
    """None, or what passes the check."""

    def check(value: Any, sizes: Sizes) -> None:
        if value is not None:
            inner(value, sizes)

    return check


def array(
    kinds: str, *shape: Size, finite: bool = True, gaps: bool = False, low: float | None = None, below: Size = None
) -> Check:
    """An array of one of these types (`"f8"`, or `"i4 i8"`) and this shape, its values within bounds.

    `finite` refuses NaN and infinities, `gaps` lets NaN through; `below` may be the name of a size.
    """
    types = tuple(np.dtype(kind) for kind in kinds.split())

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, np.ndarray) and value.dtype in types, f"is no array of type {kinds}")
        require(value.ndim == len(shape), f"has {value.ndim} dimensions, and {len(shape)} are needed")
        for size, found in zip(shape, value.shape, strict=True):
            agree(size, found, sizes)
        if value.dtype.kind == "f" and finite:
            fine = ~np.isinf(value) if gaps else np.isfinite(value)
            require(bool(fine.all()), "holds values that are not finite")
        if not value.size:
            return
        require(low is None or not value.min() < low, f"holds values below {low}")
        limit = sizes.get(below) if isinstance(below, str) else below
        require(limit is None or callable(limit) or value.max() < limit, f"holds values that are not below {limit}")

    return check


def sequence(inner: Check, size: Size = None, kind: type = list) -> Check:
    """A list (or tuple) of things that all pass the check."""

    def check(value: Any, sizes: Sizes) -> None:
        require(type(value) is kind, f"is no {kind.__name__}")
        agree(size, len(value), sizes)
        for place, each in enumerate(value):
            within(f"item {place}", inner, each, sizes)

    return check


def row(*inner: Check) -> Check:
    """A tuple of so many things, each with a check of its own."""

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, tuple) and len(value) == len(inner), f"is no tuple of {len(inner)}")
        for place, (each, one) in enumerate(zip(value, inner, strict=True)):
            within(f"item {place}", one, each, sizes)

    return check


def mapping(keys: Check, values: Check) -> Check:
    """A dictionary."""

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, dict), "is no dictionary")
        for key, each in value.items():
            within(f"key {key!r}", keys, key, sizes)
            within(f"item {key!r}", values, each, sizes)

    return check


def entries(**inner: Check) -> Check:
    """A dictionary with just these keys; those of an `optional` check may be absent."""

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, dict) and set(value) <= set(inner), "is no dictionary of just what is known")
        for name, one in inner.items():
            require(name in value or isinstance(one, Optional), f"has no {name}")
            if name in value:
                within(name, one, value[name], sizes)

    return check


def labels(name: str) -> Check:
    """An array of classes, each once and in order; as many as the size of this name."""

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, np.ndarray) and value.ndim == 1 and value.size > 0, "is no array of classes")
        require(value.dtype.kind in "biufUO", f"holds {value.dtype}, which can be no class")
        if value.dtype.kind == "f":
            require(bool(np.isfinite(value).all()), "holds values that are not finite")
        try:
            rising = bool((value[:-1] < value[1:]).all())
        except TypeError:
            rising = False
        require(rising, "is not in order")
        agree(name, len(value), sizes)

    return check


def names(size: Size) -> Check:
    """An array of names, one a column."""

    def check(value: Any, sizes: Sizes) -> None:
        require(isinstance(value, np.ndarray) and value.ndim == 1, "is no array of names")
        require(all(isinstance(name, str) for name in value.tolist()), "holds something that is no name")
        agree(size, len(value), sizes)

    return check


def of_type(*types: type) -> Check:
    """An instance of one of these types."""

    def check(value: Any, sizes: Sizes) -> None:
        wanted = " or ".join(each.__name__ for each in types)
        require(isinstance(value, types), f"is {type(value).__name__}, and {wanted} is needed")

    return check


def learner(value: Any, sizes: Sizes) -> None:
    """A fitted member, of whatever kind."""
    require(isinstance(value, BaseEstimator) and hasattr(value, "predict"), "is no estimator")


def either(*inner: Check) -> Check:
    """What passes one of the checks."""

    def check(value: Any, sizes: Sizes) -> None:
        refusals = []
        for each in inner:
            tried = dict(sizes)
            try:
                each(value, tried)
            except Refused as refused:
                refusals.append(str(refused))
            else:
                sizes.update(tried)
                return
        raise Refused(" and ".join(dict.fromkeys(refusals)))

    return check


_PLAIN: Mapping[str, Check] = {
    "int": whole(low=-(2**63), high=2**64),
    "float": number(finite=False),
    "bool": flag,
    "str": text(),
}


def record(cls: type, **inner: Check) -> Check:
    """A dataclass: these fields pass their checks, the others are of the plain type they are declared with."""
    checked = {each.name: inner.get(each.name) or _PLAIN[str(each.type)] for each in fields(cls)}

    def check(value: Any, sizes: Sizes) -> None:
        require(type(value) is cls, f"is {type(value).__name__}, and {cls.__name__} is needed")
        for name, one in checked.items():
            within(name, one, getattr(value, name, None), sizes)

    return check


def within(name: str, check: Check, value: Any, sizes: Sizes) -> None:
    """Run a check; a refusal says in which part it was."""
    try:
        check(value, sizes)
    except Refused as refused:
        raise Refused(f"{name} {refused}") from None
