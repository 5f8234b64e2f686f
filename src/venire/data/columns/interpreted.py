"""What became of one input column: its attributes, or why it was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.columns import dates as calendar
from venire.data.columns.missing import Missing
from venire.data.columns.names import brief
from venire.data.table import Column, Kind, LeftOut, Note
from venire.errors import DataError

# Fewer rows than this say nothing about whether values repeat.
TELLING_ROWS = 10


@dataclass(frozen=True)
class Rules:
    """What the decision depends on besides the values."""

    missing: Missing
    decimal: str = "."
    named: bool = True  # False: the names are ours and say nothing
    spare: bool = True  # False: nothing else is left, so keep what would be left out as an identifier


@dataclass(frozen=True, eq=False)
class Interpreted:
    """What became of one input column."""

    kind: Kind
    attributes: tuple[tuple[Column, NDArray[np.float64]], ...] = ()
    left_out: LeftOut | None = None
    notes: tuple[Note, ...] = ()


def dated(name: str, values: NDArray[np.datetime64], date_format: str, notes: tuple[Note, ...]) -> Interpreted:
    """Dates as those of their parts that vary."""
    missing = int(np.isnat(values).sum())
    attributes = tuple(
        (Column(f"{name}.{part}", Kind.NUMERIC, (), missing, name, part, date_format), numbers)
        for part, numbers in calendar.varying_parts(values)
    )
    if not attributes:
        return leave_out(name, Kind.CONSTANT, "every row has the same date, or none", notes)
    return Interpreted(Kind.DATE, attributes, notes=notes)


def leave_out(name: str, kind: Kind, reason: str, notes: tuple[Note, ...] = ()) -> Interpreted:
    """A column that gives no attribute."""
    return Interpreted(kind, left_out=LeftOut(name, kind, reason), notes=notes)


def unfit(name: str, kind: Kind, reason: str) -> DataError:
    """The error for a kind the caller asked for and the values refuse."""
    return DataError(
        f"the column cannot be taken as {kind}: {reason}",
        code="wrong_kind",
        column=name,
        hint="leave the kind to venire, or choose another",
    )


def some(items: Sequence[Any], most: int = 3) -> str:
    """The first few, for a message."""
    shown = ", ".join(brief(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"
