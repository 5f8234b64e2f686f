"""Options a function hands on to others: a name that none of them knows is refused before any work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature
from typing import Any

from venire.data.read import read_table
from venire.errors import UsageError, did_you_mean


def refuse_unknown(options: Iterable[str], *takers: Callable[..., Any]) -> None:
    """What none of the takers knows, nor the reading of a table, is a slip; the error has the option most like it."""
    own = [name for taker in takers for name in _options(taker)]
    reading = [name for name in _options(read_table) if name not in own]
    for name in options:
        if name not in own and name not in reading:
            raise UsageError(
                f"there is no option {name!r}{did_you_mean(name, [*own, *reading])}",
                code="unknown_option",
                hint=f"there are {', '.join(own)}; and for reading {', '.join(reading)}",
            )


def taken_by(taker: Callable[..., Any], options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options parted into those that a function takes by name and the others."""
    known = _options(taker)
    return (
        {name: value for name, value in options.items() if name in known},
        {name: value for name, value in options.items() if name not in known},
    )


def _options(function: Callable[..., Any]) -> list[str]:
    """What a function takes by name alone."""
    return [name for name, one in signature(function).parameters.items() if one.kind is Parameter.KEYWORD_ONLY]
