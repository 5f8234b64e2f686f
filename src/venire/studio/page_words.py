"""Advice in the words of the page: an option is the field that stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar, cast

from venire.advice import Option, OptionPart, Part, parts_of, said
from venire.errors import VenireError

Document = TypeVar("Document", bound=Mapping[str, Any])

_FIELDS: Final = {
    "target": "What is to be predicted?", "task": "Taken as", "positive": "Class of interest", "metric": "What counts",
    "costs": "Costs", "groups": "Rows of one group stay together", "time": "Order in time",
    "weights": "Weight of a row", "folds": "Folds", "seed": "Seed", "models": "Models", "budget": "It may take",
    "practical_difference": "Smallest difference that matters",
}  # fmt: skip
_KINDS: Final = {"numeric": "numeric", "categorical": "categorical", "boolean": "boolean", "date": "date",
                 "drop": "left out"}  # fmt: skip
_TASKS: Final = {"classification": "classes", "regression": "a number"}


def in_fields(parts: list[Part]) -> str:
    """A sentence whose options are fields of the page; what has no field is said as Python has it.

    >>> in_fields(["if these are classes, say ", {"option": "task", "value": "classification"}])
    'if these are classes, say ‘classes’ in the field ‘Taken as’'
    >>> in_fields(["use ", {"option": "numeric", "value": None}, " to take it as numbers"])
    'use the kind ‘numeric’ to take it as numbers'
    >>> in_fields(["it is set with ", {"option": "memory", "value": None}])
    'it is set with the option memory (in Python)'
    """
    return said(parts, _field)


def document_in_fields(document: Document) -> Document:
    """A verdict whose notes and findings speak of the fields of the page where it is asked for."""
    told = {"notes": "message", "findings": "advice"}
    said_anew = {
        key: [{**each, words: in_fields(each.get(f"{words}_parts") or [each[words]])} for each in document[key]]
        for key, words in told.items()
        if document.get(key)
    }
    return cast("Document", {**document, **said_anew})


def _field(part: OptionPart) -> str:
    name, value = part["option"], part["value"]
    if name in _KINDS:
        whose = f" for {', '.join(map(str, value))}" if isinstance(value, list) else ""
        return f"the kind ‘{_KINDS[name]}’{whose}"
    if name not in _FIELDS:
        return f"the option {name if value is None else Option(name, value)} (in Python)"
    field = f"the field ‘{_FIELDS[name]}’"
    return field if value is None else f"‘{_TASKS.get(str(value), value)}’ in {field}"


def error_facts(error: VenireError) -> dict[str, Any]:
    """What a page says of an error: a word for programs, the sentence, and the way out."""
    hint = None if error.hint is None else in_fields(parts_of(error.hint))
    return {"code": error.code, "message": error.message, "hint": hint}
