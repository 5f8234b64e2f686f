"""The options by which runs are deleted: one by one, or those that are too old or too large."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from venire.cli.options import LIMITS, flag, text
from venire.errors import UsageError
from venire.wording import SIZES

DELETING = "Deleting"  # the group of `--help`

_AGES = {"h": "hours", "d": "days", "w": "weeks"}


def age(text: str | timedelta) -> timedelta:
    """A length of time: a number of hours, days or weeks.

    >>> age("12h"), age("30d"), age("2w")
    (datetime.timedelta(seconds=43200), datetime.timedelta(days=30), datetime.timedelta(days=14))
    """
    written = str(text).strip().lower()
    try:
        return timedelta(**{_AGES[written[-1:]]: _amount(written[:-1])})
    except (ValueError, KeyError, OverflowError):
        raise typer.BadParameter(f"{str(text)!r} is not a time such as 30d, 12h or 2w") from None


def size(text: str | int) -> int:
    """A number of bytes, with or without a unit.

    >>> size("2GB"), size("1.5 mb"), size("4096")
    (2000000000, 1500000, 4096)
    """
    written = str(text).strip().upper()
    units = {unit.upper(): 1000**at for at, unit in enumerate(SIZES)}
    unit = next((unit for unit in sorted(units, key=len, reverse=True) if written.endswith(unit)), "")
    try:
        return int(_amount(written.removesuffix(unit)) * units.get(unit, 1))
    except ValueError:
        raise typer.BadParameter(f"{str(text)!r} is not a size such as 2GB or 500MB") from None


def _amount(text: str) -> float:
    """A number from 0 on, and not one without end."""
    found = float(text)
    if not 0 <= found < float("inf"):
        raise ValueError(text)
    return found


Delete = Annotated[
    list[str] | None,
    text(DELETING, "Delete this run, and its evidence that no other run uses.", "--delete", metavar="RUN"),
]
Prune = Annotated[bool, flag(DELETING, "Delete evidence that no run uses, and runs by age or size.", "--prune")]
OlderThan = Annotated[
    timedelta | None,
    typer.Option(
        help="With --prune: runs that were last run before, such as 30d or 12h.",
        metavar="TIME",
        rich_help_panel=DELETING,
        parser=age,
        show_default=False,
    ),
]
LargerThan = Annotated[
    int | None,
    typer.Option(
        help="With --prune: the oldest runs until all that is kept is no larger, such as 2GB or 500MB.",
        metavar="SIZE",
        rich_help_panel=DELETING,
        parser=size,
        show_default=False,
    ),
]


EvidenceLimit = Annotated[
    int | None,
    typer.Option(
        help="In the end, drop the oldest predictions until all that is kept of them is no larger, such as 2GB.",
        metavar="SIZE",
        rich_help_panel=LIMITS,
        parser=size,
        show_default=False,
    ),
]


def check(delete: list[str] | None, prune: bool, older_than: timedelta | None, larger_than: int | None) -> None:
    """Refuse options of deleting that do not go together."""
    if delete and prune:
        raise UsageError("--delete and --prune are two ways of deleting", hint="use one after the other")
    if not prune and (older_than is not None or larger_than is not None):
        raise UsageError("--older-than and --larger-than go with --prune", hint="add --prune to delete such runs")
