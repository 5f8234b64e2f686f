"""Advice that names options: what to do, said in Python's way and in that of the command line from one value.

A hint, a note or a finding may tell the reader to set an option. Python writes `folds=5`, the command line `--folds 5`.
So the option is no part of the text but a value between its parts, and each surface writes it when it prints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypedDict

Value = str | int | float | Sequence[Any] | None


class OptionPart(TypedDict):
    """An option inside a sentence: its name, and the value to give it, if the sentence says one."""

    option: str
    value: str | int | float | list[str] | None


Part = str | OptionPart  # of a sentence, as a document keeps it


@dataclass(frozen=True)
class Option:
    """An option by the name that Python and the command line share, with a value if one is to be said."""

    name: str
    value: Value = None

    def __str__(self) -> str:
        value = self.value if isinstance(self.value, str | int | float) or self.value is None else list(self.value)
        return f"{self.name}=" if value is None else f"{self.name}={value!r}"

    def to_dict(self) -> OptionPart:
        """The option as a document keeps it."""
        value = self.value
        plain = value if isinstance(value, str | int | float) or value is None else list(map(str, value))
        return {"option": self.name, "value": plain}


class Advice(str):
    """A sentence in Python's words that still knows which options it names.

    >>> advice = Advice("use fewer folds with ", Option("folds"), ", or ", Option("metric", "mae"))
    >>> advice
    "use fewer folds with folds=, or metric='mae'"
    >>> parts_of(advice)[1]
    {'option': 'folds', 'value': None}
    """

    parts: tuple[str | Option, ...]

    def __new__(cls, *parts: str | Option) -> Self:
        """The parts in a row; advice among them brings its own."""
        flat = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Advice) else (part,)))
        self = super().__new__(cls, "".join(map(str, flat)))
        self.parts = flat
        return self

    def __getnewargs__(self) -> tuple[str | Option, ...]:  # type: ignore[override]  # a text of several parts
        return self.parts


def parts_of(sentence: str) -> list[Part]:
    """The parts of a sentence as a document keeps them: one text, unless it is advice that names options."""
    if not isinstance(sentence, Advice):
        return [str(sentence)]
    return [part.to_dict() if isinstance(part, Option) else str(part) for part in sentence.parts]


def said(parts: Sequence[Part], option: Callable[[OptionPart], str]) -> str:
    """The sentence with its options written by `option`.

    >>> said(["use ", {"option": "folds", "value": 5}], lambda part: f"--{part['option']} {part['value']}")
    'use --folds 5'
    """
    return "".join(part if isinstance(part, str) else option(part) for part in parts)
