"""What a run was asked with, as plain data beside its answer: with it the same question can be asked again.

Only what plain data can hold is written down: a table by its path, models by their names. A run on frames, arrays or
somebody's estimators has no recipe.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

from venire.disk.regular_files import content

RECIPE = "asked.json"
_FORMAT = 1
_NOT_ASKED = {"home", "fit", "began", "progress", "tick", "jobs", "cluster", "shared"}  # they change no answer
_DEEPEST = 4  # lists in lists, such as costs


def recipe_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments of a comparison as plain data; None where one of them is something else.

    >>> recipe_of({"source": "a.csv", "target": "y", "seed": 0, "jobs": 4, "drop": ("id",)})["drop"]
    ['id']
    """
    asked = {**given, **given.get("reading", {})}
    named = {name: value for name, value in asked.items() if name not in _NOT_ASKED and name != "reading"}
    try:
        found = {name: _plain(value) for name, value in named.items() if value is not None}
        found["source"] = _paths(asked["source"])
        if asked.get("test") is not None:
            found["test"] = _paths(asked["test"])
        if isinstance(found.get("costs"), str) and Path(found["costs"]).is_file():
            found["costs"] = _paths(found["costs"])
    except (TypeError, ValueError):
        return None
    return found


def as_bytes(recipe: Mapping[str, Any]) -> bytes:
    """A recipe as it is kept."""
    return json.dumps({"format": _FORMAT, "asked": recipe}, indent=1).encode()


def read_recipe(folder: Path) -> dict[str, Any] | None:
    """What the run of a folder was asked with, if that is known."""
    try:
        kept = json.loads(content(folder / RECIPE))
        asked = kept["asked"] if kept["format"] == _FORMAT else None
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None
    return asked if is_recipe(asked) else None


def is_recipe(asked: Any) -> TypeGuard[dict[str, Any]]:
    """Whether this may be asked again: it names a table, and nothing that changes no answer, such as a cluster.

    A folder of runs may have come from somebody else: no file in it says where work is sent.

    >>> is_recipe({"source": "a.csv"}), is_recipe({"source": "a.csv", "cluster": "tcp://far.example:8786"})
    (True, False)
    """
    return isinstance(asked, dict) and "source" in asked and not set(asked) & _NOT_ASKED


def _paths(source: Any) -> str | list[str]:
    if isinstance(source, str | os.PathLike):
        return str(Path(source).absolute())
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | os.PathLike) for one in source):
        return [str(Path(one).absolute()) for one in source]
    raise TypeError("no path")


def _plain(value: Any, deep: int = 0) -> Any:
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, os.PathLike):
        return str(Path(value).absolute())
    if deep < _DEEPEST and isinstance(value, list | tuple):
        return [_plain(one, deep + 1) for one in value]
    if deep < _DEEPEST and isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(one, deep + 1) for key, one in value.items()}
    raise TypeError("no plain data")
