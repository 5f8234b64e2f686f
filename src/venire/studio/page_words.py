"""Advice in the words of the page: an option is the field that stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from venire.advice import Option, OptionPart, Part, parts_of, said
from venire.errors import VenireError

_FIELDS: Final = {
    "target": "What is to be predicted?", "task": "Taken as", "positive": "Class of interest", "metric": "What counts",
    "costs": "Costs", "groups": "Rows of one group stay together", "time": "Order in time",
    "weights": "Weight of a row", "folds": "Folds", "seed": "Seed", "models": "Models", "budget": "It may take",
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
    >>> in_fields(["with ", {"option": "practical_difference", "value": None}, " you say what matters"])
    'with the option practical_difference (in Python) you say what matters'
    """
    return said(parts, _field)


def _field(part: OptionPart) -> str:
    name, value = part["option"], part["value"]
    if name in _KINDS:
        whose = f" for {', '.join(map(str, value))}" if isinstance(value, list) else ""
        return f"the kind ‘{_KINDS[name]}’{whose}"
    if name not in _FIELDS:
        return f"the option {name if value is None else Option(name, value)} (in Python)"
    field = f"the field ‘{_FIELDS[name]}’"
    return field if value is None else f"‘{_TASKS.get(str(value), value)}’ in {field}"


def findings_in_fields(document: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict whose findings advise in the words of the page."""
    found = [
        {**finding, "advice": in_fields(finding["advice_parts"])} if finding.get("advice_parts") else finding
        for finding in document["findings"]
    ]
    return {**document, "findings": found}


def error_facts(error: VenireError) -> dict[str, Any]:
    """What a page says of an error: a word for programs, the sentence, and the way out."""
    hint = None if error.hint is None else in_fields(parts_of(error.hint))
    return {"code": error.code, "message": error.message, "hint": hint}
