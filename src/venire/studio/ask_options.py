"""What a page asks for, checked field by field, as the recipe of a comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from venire.serve.refused import Refusal
from venire.studio.premises import Premises

_KINDS = ("numeric", "categorical", "boolean", "date")
_LONGEST = 1000
_NUMBER = r" *(?:[0-9]{1,15}(?:\.[0-9]{1,15})?|\.[0-9]{1,15}) *"
_COSTS = re.compile(f"{_NUMBER}:{_NUMBER}|{_NUMBER}(?:[,;]{_NUMBER})*", re.ASCII)


def recipe_from(premises: Premises, asked: Any) -> dict[str, Any]:
    """The arguments of `compare` that a page asks for; whatever else is in it is refused."""
    known = {**_FIELDS, "file": _text, "kinds": _kinds, "target": _text}
    if not isinstance(asked, dict) or not set(asked) <= set(known):
        raise _bad("the question", "an object of known fields")
    found = {name: known[name](name, value) for name, value in asked.items() if value not in (None, "", [], {})}
    if "file" not in found:
        raise _bad("file", "the name of a table")
    recipe: dict[str, Any] = {"source": str(premises.table(found.pop("file")))}
    for column, kind in found.pop("kinds", {}).items():
        recipe.setdefault("drop" if kind == "left out" else kind, []).append(column)
    return recipe | found


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST or "\0" in value:
        raise _bad(name, "a text")
    return value


def _costs(name: str, value: Any) -> str:
    """Numbers alone: elsewhere a text may also name a file of costs, and no request names a file here."""
    text = _text(name, value)
    if not _COSTS.fullmatch(text):
        raise _bad(name, "false alarm : miss, such as 1:10, or a matrix such as 0,1;10,0 with a row an actual class")
    return text.strip()


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 10**9:
        raise _bad(name, "a whole number")
    return value


def _budget(name: str, value: Any) -> float | None:
    if value == "none":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < inf:
        raise _bad(name, "seconds above 0, or 'none'")
    return float(value)


def _amount(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
        raise _bad(name, "a number from 0 on")
    return float(value)


def _names(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > 200:
        raise _bad(name, "a list of names")
    return [_text(name, one) for one in value]


def _kinds(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(kind in (*_KINDS, "left out") for kind in value.values()):
        raise _bad(name, f"columns with one of the kinds {', '.join(_KINDS)}, left out")
    return {_text(name, column): kind for column, kind in value.items()}


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _bad(name, "true or false")
    return value


_FIELDS: Mapping[str, Callable[[str, Any], Any]] = {
    "positive": _text, "task": _text, "metric": _text, "costs": _costs, "groups": _text, "time": _text,
    "weights": _text, "models": _names, "folds": _whole, "repeats": _whole, "seed": _whole, "budget": _budget,
    "rule": _text, "name": _text, "stratified": _flag,
    "practical_difference": _amount,
}  # fmt: skip


def _bad(name: str, wanted: str) -> Refusal:
    return Refusal(400, "bad_field", f"{name} is not as it has to be", hint=f"give {wanted}")
