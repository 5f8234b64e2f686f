"""Imports of which a command has no use are kept from being made by others: most of a short run is importing.

scikit-learn imports pandas wherever that is installed, and scipy.stats, of which it calls a few functions in places
that a comparison never comes to: together half of what a comparison imports. The command line reads files with DuckDB
and never makes a frame. Whoever needs either later still imports it: only these attempts find no pandas, which
scikit-learn is made for, and a stand-in for scipy.stats that imports it when one of its functions is called.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

_STATS = "scipy.stats"
# Of what our models and checks rest on, the packages that import scipy.stats.
_ON_STATS = ("metrics", "preprocessing", "isotonic", "feature_selection", "model_selection", "neighbors", "ensemble")


def scikit_learn_alone() -> None:
    """Import scikit-learn without pandas, and without scipy.stats."""
    with _absent("pandas"), _later(_STATS), suppress(ImportError):  # another version may ask for more of it
        for name in ("base", *_ON_STATS):
            importlib.import_module(f"sklearn.{name}")
    with _absent("pandas"):
        importlib.import_module("sklearn.base")  # what all of it rests on, and where pandas is asked for


def begin_alone(packed: bytes) -> None:
    """The same in a new process, before a packed call (a function and what it is given) brings its own imports."""
    scikit_learn_alone()
    from multiprocessing.reduction import ForkingPickler  # by which processes of one run tell each other what to do

    call, given = ForkingPickler.loads(packed)
    call(*given)


class _Postponed:
    """A function or distribution of a module that is imported when it is first used."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._found()(*args, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._found(), name)

    def _found(self) -> Any:
        return getattr(importlib.import_module(self._module), self._name)


def _stand_in(name: str) -> ModuleType:
    found = ModuleType(name)

    def postponed(attribute: str) -> _Postponed:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return _Postponed(name, attribute)

    set_attribute: Callable[[str, Any], None] = found.__setattr__
    set_attribute("__getattr__", postponed)
    return found


@contextmanager
def _later(name: str) -> Iterator[None]:
    """A module whose import is put off, if it was not there before."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = stand_in = _stand_in(name)
    try:
        yield
    finally:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]


@contextmanager
def _absent(name: str) -> Iterator[None]:
    """A package that cannot be imported for a while, if it was not before."""
    modules: dict[str, Any] = sys.modules  # None stands for what cannot be imported
    if name in modules:
        yield
        return
    modules[name] = None
    try:
        yield
    finally:
        del modules[name]
