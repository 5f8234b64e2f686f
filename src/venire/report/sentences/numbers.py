"""How numbers are printed: as many digits as the uncertainty supports, the same on the page and in the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from statistics import median
from typing import Any

MISSING = "–"
_UNITS = ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"))
_APART = 1e4  # from here on the largest error would need too many digits beside the smallest
_WIDEST = 9  # characters a number may take in a table before it falls back to scientific notation


def finite(value: Any) -> float | None:
    """The value as a float, or None where there is no usable number.

    >>> finite(0.5), finite(float("nan")), finite(None)
    (0.5, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    return float(value) if math.isfinite(value) else None


def interval_of(row: Any) -> tuple[float, float] | None:
    """The interval of a leaderboard row or of the choice, if both its ends are numbers."""
    ends = row.get("interval") if row else None
    if not ends or len(ends) != 2:
        return None
    low, high = finite(ends[0]), finite(ends[1])
    return None if low is None or high is None else (low, high)


def decimals_for(width: float, *, least: int = 0, most: int = 6) -> int:
    """How many decimals show an interval of this width with two significant digits; below 0, tens or hundreds do.

    >>> decimals_for(0.04), decimals_for(0.2), decimals_for(37.0), decimals_for(3700.0, least=-6)
    (3, 2, 0, -2)
    """
    if not width > 0:
        return 3
    return min(max(1 - math.floor(math.log10(width)), least), most)


@dataclass(frozen=True, slots=True)
class Scale:
    """The shared format of one column of numbers: a power of ten taken out, and a number of decimals (−2: hundreds).

    >>> Scale.of([{"error": 0.0312, "interval": [0.011, 0.051]}]).show(0.0312)
    '0.031'
    >>> huge = Scale.of([{"error": 2.512e9, "interval": [2.1e9, 2.9e9]}])
    >>> huge.show(2.512e9), huge.unit
    ('2.51', '×1e9')
    >>> tens = Scale.of([{"error": 23307.4, "interval": [21000.0, 25700.0]}])
    >>> tens.show(23307.4), amount(23307.4, 4700.0)  # as in a sentence
    ('23,300', '23,300')
    >>> far = Scale.of([{"error": 2e-6, "interval": [1e-6, 3e-6]}, {"error": 1.1, "interval": [0.7, 1.5]}])
    >>> far.show(2e-6), far.show(1.1), far.unit  # no common unit serves both
    ('2e-06', '1.1', '')
    """

    exponent: int = 0
    decimals: int = 3
    floating: bool = False  # the numbers are so far apart that each has its own digits

    @classmethod
    def of(cls, rows: Sequence[Any]) -> Scale:
        """The format that suits leaderboard rows; the first row leads, the others stand in where it is silent."""
        widths = [high - low for low, high in filter(None, map(interval_of, rows)) if high > low]
        errors = [abs(error) for error in (finite(row.get("error")) for row in rows) if error]
        leading = interval_of(rows[0]) if rows else None
        width = leading[1] - leading[0] if leading and leading[1] > leading[0] else median(widths or [0.0])
        size = (finite(rows[0].get("error")) if rows else None) or median(errors or [0.0])
        if errors and max(errors) > _APART * max(min(errors), width):
            return cls(floating=True)
        return cls.for_size(abs(size), width)

    @classmethod
    def for_size(cls, size: float, width: float) -> Scale:
        """The format of numbers of about this size whose uncertainty is about `width` (0: not known)."""
        exponent = 0
        if size and not 1e-4 <= size < 1e5:
            exponent = 3 * math.floor(math.log10(size) / 3)
        if not width:
            width = size / 10
        return cls(exponent, decimals_for(width / 10.0**exponent, least=-6))

    @property
    def unit(self) -> str:
        """The power of ten taken out of every number, as a table header says it; empty if none was."""
        return f"×1e{self.exponent}" if self.exponent else ""

    def show(self, value: Any) -> str:
        """One number of the column."""
        number = finite(value)
        if number is None:
            return MISSING
        if self.floating:
            return f"{number:.3g}"
        rounded = round(number / 10.0**self.exponent, self.decimals)
        shown = f"{rounded:,.{max(self.decimals, 0)}f}"
        if len(shown) > _WIDEST:
            shown = f"{number / 10.0**self.exponent:.2e}"
        return shown.removeprefix("-") if rounded == 0 else shown

    def show_interval(self, ends: Any) -> str:
        """An interval of the column.

        >>> Scale(decimals=2).show_interval([0.011, 0.052])
        '[0.01, 0.05]'
        """
        if not ends or any(finite(end) is None for end in ends):
            return MISSING
        return f"[{self.show(ends[0])}, {self.show(ends[1])}]"


def amount(value: float, width: float = 0.0) -> str:
    """A number inside a sentence, rounded to what an interval of `width` supports.

    >>> amount(1234567.8, 40000), amount(0.03127, 0.04), amount(-81234.0, 900), amount(2.5e18), amount(math.nan)
    ('1.235 million', '0.031', '-81,230', '2.5e+18', '–')
    """
    if not math.isfinite(value):
        return MISSING
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-4:
        return f"{value:.3g}"
    places = min(1 - math.floor(math.log10(width or size / 10)), 6) if width or size else 3
    rounded = round(value, places)
    unit, word = next((pair for pair in _UNITS if abs(rounded) >= pair[0]), (1.0, ""))
    shown = max(places + round(math.log10(unit)), 0)
    return f"{rounded / unit:,.{shown}f}{word}"


def percent(value: float, width: float = 0.0) -> str:
    """A share as a percentage inside a sentence, rounded as the share itself is where a table shows it.

    >>> percent(0.0312, 0.04), percent(0.5), percent(0.0)
    ('3.1 %', '50.0 %', '0 %')
    >>> percent(0.175, 0.2), Scale(decimals=2).show(0.175)
    ('17 %', '0.17')
    """
    if value == 0 and not width:
        return "0 %"
    decimals = decimals_for(100 * width, most=3) if width else 1
    return f"{Decimal(f'{value:.{decimals + 2}f}').scaleb(2):.{decimals}f} %"


def share(value: Any) -> str:
    """A share in a table, as a percentage; only all is 100 %, and only none is 0 %.

    >>> share(0.98557), share(0.9999), share(1.0), share(0.0002), share(None)
    ('98.6 %', '>99.9 %', '100 %', '<0.1 %', '–')
    """
    number = finite(value)
    if number is None:
        return MISSING
    if number in (0.0, 1.0):
        return f"{100 * number:.0f} %"
    if not 0.0005 <= number < 0.9995:
        return "<0.1 %" if number < 0.5 else ">99.9 %"
    return f"{100 * number:.1f} %"


def probability(value: Any) -> str:
    """A posterior probability: two decimals, and never rounded to certainty.

    >>> probability(0.4), probability(0.9991), probability(0.0), probability(None)
    ('0.40', '>0.99', '<0.01', '–')
    """
    number = finite(value)
    if number is None:
        return MISSING
    if number > 0.99:
        return ">0.99"
    return "<0.01" if number < 0.01 else f"{number:.2f}"


def duration(seconds: Any) -> str:
    """A length of time as people say it.

    >>> [duration(s) for s in (0.004, 4.52, 75, 4000)]
    ['<0.1 s', '4.5 s', '1 min 15 s', '1 h 6 min']
    """
    number = finite(seconds)
    if number is None:
        return MISSING
    if number < 0.05:
        return "<0.1 s"
    if number < 59.5:
        return f"{number:.1f} s" if number < 9.95 else f"{number:.0f} s"
    minutes, rest = divmod(round(number), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def count(number: Any, noun: str = "", plural: str = "") -> str:
    """A whole number with its noun.

    >>> count(1, "row"), count(12345, "row"), count(3, "family", "families")
    ('1 row', '12,345 rows', '3 families')
    """
    if finite(number) is None:
        return MISSING
    if not noun:
        return f"{number:,}"
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
