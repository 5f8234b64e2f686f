"""Amounts with a unit, as they are typed: lengths of time and sizes on disk."""

from __future__ import annotations

from datetime import timedelta

import typer

from venire.wording import SIZES

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
