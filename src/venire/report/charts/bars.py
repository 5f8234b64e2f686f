"""The little interval bars beside the leaderboard: geometry only, so that the page needs no script to show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from venire.report.sentences.numbers import finite, interval_of
from venire.report.sentences.verdict import Row

_ASTRAY = 6.0  # times the median error from which a member no longer sets the scale for all others


@dataclass(frozen=True, slots=True)
class Bar:
    """One interval bar, in percent of the bar's width."""

    at: float
    low: float
    high: float
    beyond: bool  # the error lies outside the axis


def measured(rows: Sequence[Row]) -> list[Row]:
    """The rows that have an error."""
    return [row for row in rows if finite(row.get("error")) is not None]


def domain(rows: Sequence[Row]) -> tuple[float, float]:
    """Where an axis of errors begins and ends: a member gone astray does not squeeze all others into a corner.

    >>> domain([{"error": 0.1, "interval": [0.05, 0.15]}, {"error": 0.2}, {"error": 90.0}])
    (0.0, 0.2)
    """
    errors = [error for row in rows if (error := finite(row.get("error"))) is not None]
    ends = errors + [end for row in rows for end in interval_of(row) or ()]
    if not ends:
        return 0.0, 1.0
    usual = median(errors) if errors else 0.0
    kept = [end for end in ends if end <= _ASTRAY * usual] if usual > 0 else ends
    low, high = min(0.0, *kept), max(kept)
    return (low, high) if high > low else (low, low + 1.0)


def bars(rows: Sequence[Row], *, higher_is_better: bool = False) -> list[Bar | None]:
    """A bar for each row, all on one axis; None where there is no error to draw. Scores grow to the right."""
    low, high = domain(rows)

    def place(value: float) -> float:
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        return round(100 * (1.0 - share if higher_is_better else share), 2)

    def bar(row: Row) -> Bar | None:
        error = finite(row.get("error"))
        if error is None:
            return None
        ends = interval_of(row) or (error, error)
        first, last = sorted(map(place, ends))
        return Bar(place(error), first, last, beyond=not low <= error <= high)

    return [bar(row) for row in rows]
