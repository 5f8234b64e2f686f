"""Whose code a family runs: ours and scikit-learn's may run in this process, everybody else's in workers only.

An estimator of somebody else may exit, crash, hang or eat all memory, and must not take the verdict along. Whose it is
follows from where classes and functions come from, its parameters among them: a scikit-learn pipeline around a function
of a notebook is the notebook's.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Protocol, runtime_checkable

_KNOWN = frozenset({"builtins", "numpy", "scipy", "sklearn", "venire"})
_ENOUGH_ROWS = 5_000  # for a check of our own families
_MADE_AT_RUN_TIME = 1 << 9  # Py_TPFLAGS_HEAPTYPE


@runtime_checkable
class Calling(Protocol):
    """A family of ours that may call other people's code."""

    def others_code(self) -> bool:
        """Whether it does."""


def others_code(family: Any) -> bool:
    """Whether a family runs code that is neither ours nor scikit-learn's: its own, or that of what it calls."""
    if not _known(type(family)):
        return True
    return isinstance(family, Calling) and family.others_code()


def is_others(value: Any) -> bool:
    """Whether an estimator, or whatever is given to one, is other people's.

    >>> import json
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> is_others(FunctionTransformer()), is_others(FunctionTransformer(json.loads))
    (False, True)
    """
    if isinstance(value, Mapping):
        return any(map(is_others, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(is_others, value))
    if isinstance(value, type | FunctionType | BuiltinFunctionType | MethodType):
        return not _known(value)
    if not _known(type(value)):
        return True
    return hasattr(value, "get_params") and is_others(value.get_params(deep=False))


def _known(code: Any) -> bool:
    home = str(getattr(code, "__module__", None) or "builtins").partition(".")[0]
    if home == "builtins" and isinstance(code, type | FunctionType | MethodType):
        # Code without a module of its own says so, too; what Python itself brings is no class made at run time.
        return isinstance(code, type) and not code.__flags__ & _MADE_AT_RUN_TIME
    return home in _KNOWN


def rows_checked(family: Any, rows: int) -> int:
    """On how many rows of a table a family is checked: other people's on all, ours on some thousand at most.

    What code of ours does with rows it must not see is the same on more rows, and the tests go through it as well.
    """
    return rows if others_code(family) else min(rows, _ENOUGH_ROWS)
