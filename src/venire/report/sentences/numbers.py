"""How numbers are printed: as many digits as the uncertainty supports, the same on the page and in the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from statistics import median
from typing import Any

from venire.wording import MISSING

_UNITS = ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"))
_APART = 1e4  # from here on the largest error would need too many digits beside the smallest
_LEAST_SCORE = 1e-3  # an error below this reads as a perfect score, and is far from nothing
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
    def of(cls, rows: Sequence[Any], apart: float = 0.0, *, score: bool = False) -> Scale:
        """The one format of a whole leaderboard: two digits of its uncertainty, and as many as tell its rows apart.

        The interval of the first row leads, the others stand in where it is silent. Models are compared on the same
        rows, so their differences are finer than the interval of each: errors that differ by more than `apart` are not
        to read the same. A `score` is one minus the error, and takes no power of ten out.

        >>> rows = [{"error": error, "interval": [70.0, 330.0]} for error in (196.2, 199.4, 202.9)]
        >>> [[Scale.of(rows, apart).show(row["error"]) for row in rows] for apart in (0.0, 2.0)]
        [['200', '200', '200'], ['196', '199', '203']]
        """
        widths = [high - low for low, high in filter(None, map(interval_of, rows)) if high > low]
        errors = [abs(error) for error in (finite(row.get("error")) for row in rows) if error]
        leading = interval_of(rows[0]) if rows else None
        width = leading[1] - leading[0] if leading and leading[1] > leading[0] else median(widths or [0.0])
        size = (finite(rows[0].get("error")) if rows else None) or median(errors or [0.0])
        least = max(min(errors, default=0.0), width, _LEAST_SCORE if score else 0.0)
        if errors and max(errors) > _APART * least:
            return cls(floating=True)
        return cls.for_size(1.0 if score else abs(size), width or abs(size) / 10, apart)

    @classmethod
    def for_size(cls, size: float, width: float, apart: float = 0.0) -> Scale:
        """The format of numbers of about this size whose uncertainty is about `width` (0: not known)."""
        exponent = 0
        if size and not 1e-4 <= size < 1e5:
            exponent = 3 * math.floor(math.log10(size) / 3)
        if not width:
            width = size / 10
        decimals = decimals_for(width / 10.0**exponent, least=-6)
        if apart > 0:
            decimals = max(decimals, min(_places(apart) + exponent, 6))
        return cls(exponent, decimals)

    def places_of(self, number: Any, apart: float = 0.0) -> int:
        """To how many decimals a sentence rounds a number of the column (−2: to hundreds).

        >>> Scale(exponent=6, decimals=2).places_of(1.5e6), Scale(floating=True).places_of(0.0123)
        (-4, 4)
        """
        places = self.decimals - self.exponent
        if self.floating:
            places = _places(abs(finite(number) or 1.0)) + 2
        return max(places, _places(apart)) if apart > 0 else places

    @property
    def unit(self) -> str:
        """The power of ten taken out of every number, as a table header says it; empty if none was."""
        return f"×1e{self.exponent}" if self.exponent else ""

    @property
    def d3(self) -> str:
        """The same format as a chart's tooltip asks for it, for numbers that have the power of ten taken out."""
        return ".3~g" if self.floating else f",.{max(self.decimals, 0)}f"

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
    """A number on its own, rounded to what an interval of `width` supports, or to three digits.

    >>> amount(1234567.8, 40000), amount(0.03127, 0.04), amount(-81234.0, 900), amount(2.5e18), amount(math.nan)
    ('1.235 million', '0.031', '-81,230', '2.5e+18', '–')
    """
    size = abs(finite(value) or 0.0)
    return rounded(value, 3 if not (width or size) else 1 + _places(width or size / 10))


def rounded(value: Any, places: int) -> str:
    """A number in a sentence, to so many decimals (−2: to hundreds), and large ones in words.

    >>> rounded(1234567.8, -3), rounded(79712.0, -2), rounded(0.03127, 3), rounded(-0.0001, 2)
    ('1.235 million', '79,700', '0.031', '0.00')
    """
    number = finite(value)
    if number is None:
        return MISSING
    if abs(number) >= 1e15 or (0 < abs(number) < 1e-4 and places > 5):
        return f"{number:.3g}"
    kept = round(number, min(places, 6))
    unit, word = next((pair for pair in _UNITS if abs(kept) >= pair[0]), (1.0, ""))
    shown = max(min(places, 6) + round(math.log10(unit)), 0)
    return f"{kept / unit if kept else 0.0:,.{shown}f}{word}"


def signed(value: Any, places: int) -> str:
    """A difference in a sentence: rounded, with its sign.

    >>> signed(0.0123, 3), signed(-0.4, 1), signed(-0.0001, 2)
    ('+0.012', '-0.4', '0.00')
    """
    number, shown = finite(value), rounded(value, places)
    return f"+{shown}" if number is not None and number > 0 and shown != rounded(0.0, places) else shown


def rounded_percent(value: Any, places: int) -> str:
    """A share in a sentence as a percentage, rounded as the share itself is where a table shows it.

    >>> rounded_percent(0.0312, 3), rounded_percent(0.5, 3), rounded_percent(0.175, 2), Scale(decimals=2).show(0.175)
    ('3.1 %', '50.0 %', '17 %', '0.17')
    """
    number = finite(value)
    if number is None:
        return MISSING
    kept = max(places, 2)
    return f"{Decimal(f'{number:.{kept}f}').scaleb(2):.{kept - 2}f} %"


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


def _places(apart: float) -> int:
    """The decimals with which two numbers so far apart differ (−2: hundreds will do)."""
    return -math.floor(math.log10(apart))
