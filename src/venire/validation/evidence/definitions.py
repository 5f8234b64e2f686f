"""What an estimator is, as text: equal texts mean that evidence may be used again.

Names, parameters, and for code that is not a released library's the source itself, of its base classes and of
functions given as parameters too. Nothing in it depends on the process: no addresses, no shortened arrays.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Mapping
from types import FunctionType, MethodType
from typing import Any

import numpy as np

# Their versions are part of a run's key, so their sources need not be in it.
_RELEASED = ("sklearn", "venire", "numpy", "scipy", "builtins")


def described(value: Any) -> str:
    """A value as text that changes when what it does changes.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> described(GaussianNB(priors=(0.5, 0.5)))
    'sklearn.naive_bayes.GaussianNB(priors=(0.5, 0.5,), var_smoothing=1e-09)'
    """
    if isinstance(value, type):
        return _code(value)
    if isinstance(value, FunctionType | MethodType):
        return _code(value)
    if isinstance(value, np.ndarray):
        digest = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
        return f"array({value.dtype}, {value.shape}, {digest})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {described(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple | list):
        opened, closed = ("(", ",)") if isinstance(value, tuple) else ("[", "]")
        return opened + ", ".join(described(item) for item in value) + closed
    if hasattr(value, "get_params"):
        params = sorted(value.get_params(deep=False).items())
        return f"{_code(type(value))}({', '.join(f'{name}={described(item)}' for name, item in params)})"
    printed: Any = type(value).__repr__
    if printed is object.__repr__:  # would print an address
        return f"{_code(type(value))}({described(vars(value)) if hasattr(value, '__dict__') else ''})"
    return repr(value)


def source_of(kind: type) -> str:
    """The source of a class and of its bases, as far as they are no released library's; empty for those."""
    return "\n".join(_text(base) for base in kind.__mro__ if not _released(base))


def _code(thing: Any) -> str:
    """The name of a class or function, with its source where that may change under the same name."""
    name = f"{thing.__module__}.{thing.__qualname__}"
    if _released(thing):
        return name
    return f"{name}{_version(thing)}\n{source_of(thing) if isinstance(thing, type) else _text(thing)}\n"


def _released(thing: Any) -> bool:
    return str(thing.__module__).split(".")[0] in _RELEASED


def _version(thing: Any) -> str:
    """The version of another library, as far as it says so."""
    package = sys.modules.get(str(thing.__module__).split(".")[0])
    return f" {version}" if isinstance(version := getattr(package, "__version__", None), str) else ""


def _text(thing: Any) -> str:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed in at a prompt, or compiled
        pass
    functions = [thing] if hasattr(thing, "__code__") else [f for f in vars(thing).values() if hasattr(f, "__code__")]
    if not functions:
        return ""
    return "\n".join(f"{f.__qualname__} {f.__code__.co_code.hex()} {_constants(f.__code__)}" for f in functions)


def _constants(code: Any) -> str:
    """A function's constants and names; code within code by its bytes, because its text has an address."""
    plain = [item.co_code.hex() if hasattr(item, "co_code") else repr(item) for item in code.co_consts]
    return f"{plain} {code.co_names}"
