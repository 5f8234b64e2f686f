"""Words that several rooms print, each in its one home: counts, shares, lengths of time, and how rows were split."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any

MISSING = "–"
SIZES = ("B", "kB", "MB", "GB", "TB")  # each a thousand of the one before
DEFAULT_FOLDS = "10; 5 above 5,000 rows, 3 above 50,000"  # what `plans/folds.py` does

# What is said of the folds behind their number.
_SPLIT = {
    "random": "drawn at random",
    "stratified": "with equal class shares",
    "grouped": "of whole groups",
    "time": "in time order",
    "leave_one_out": "of one row each",
    "leave_one_group_out": "of one group each",
    "given": "as given",
}
_STRATIFIED_NUMBERS = "with equal shares of low and high values"


def count(number: Any, noun: str = "", plural: str = "") -> str:
    """A whole number with its noun.

    >>> count(1, "row"), count(12345, "row"), count(3, "family", "families"), count(None)
    ('1 row', '12,345 rows', '3 families', '–')
    """
    if not _usable(number):
        return MISSING
    if not noun:
        return f"{number:,}"
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def duration(seconds: Any) -> str:
    """A length of time: seconds below a minute, else two units at most, and no unit that is zero.

    >>> [duration(s) for s in (0.004, 0.4, 4.52, 60, 95, 600, 4000, 7200, 2e5)]
    ['<0.1 s', '0.4 s', '4.5 s', '1 min', '1 min 35 s', '10 min', '1 h 7 min', '2 h', '2 days 8 h']
    >>> duration(3), duration(3.04), duration(59.7), duration(None)  # a budget of 3 s was not measured
    ('3 s', '3.0 s', '1 min', '–')
    """
    if not _usable(seconds):
        return MISSING
    if seconds < 59.5:
        return _seconds(float(seconds))
    if round(seconds) < 3600:
        return _two(divmod(round(seconds), 60), "min", "s")
    if round(seconds / 60) < 24 * 60:
        return _two(divmod(round(seconds / 60), 60), "h", "min")
    return _two(divmod(round(seconds / 3600), 24), "days" if seconds >= 47.5 * 3600 else "day", "h")


def size(number: Any) -> str:
    """Bytes, in the largest unit of which there is one.

    >>> [size(n) for n in (0, 1, 999, 1000, 45_678, 123_456_789, 1.9e9, 2.5e13, None)]
    ['0 bytes', '1 byte', '999 bytes', '1 kB', '46 kB', '123 MB', '1.9 GB', '25 TB', '–']
    """
    if not _usable(number):
        return MISSING
    if number < 1000:
        return count(int(number), "byte")
    unit = next(at for at in range(len(SIZES)) if number < 999.5 * 1000**at or at == len(SIZES) - 1)
    amount = number / 1000**unit
    return f"{amount:.1f}".removesuffix(".0") + f" {SIZES[unit]}" if amount < 9.95 else f"{amount:.0f} {SIZES[unit]}"


def percent(value: Any) -> str:
    """A share in whole percents: where it is a setting, or known roughly only.

    >>> percent(0.95), percent(0.666), percent(None)
    ('95 %', '67 %', '–')
    """
    return f"{100 * value:.0f} %" if _usable(value) else MISSING


def share(value: Any) -> str:
    """A measured share as a percentage; only all is 100 %, and only none is 0 %.

    >>> share(0.98557), share(0.9999), share(1.0), share(0.0002), share(None)
    ('98.6 %', '>99.9 %', '100 %', '<0.1 %', '–')
    """
    if not _usable(value):
        return MISSING
    if value in (0, 1):
        return percent(value)
    if not 0.0005 <= value < 0.9995:
        return "<0.1 %" if value < 0.5 else ">99.9 %"
    return f"{100 * value:.1f} %"


def unbroken(text: str) -> str:
    """The text with every percentage kept on one line.

    >>> unbroken("12 % of 30")
    '12\\xa0% of 30'
    """
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def folds(number: Any, splitting: str, *, classes: bool = True, repeats: int = 1) -> str:
    """How the rows were split; `splitting` is a plan's word for it, `classes` whether classes are predicted.

    >>> folds(10, "random"), folds(5, "stratified", classes=False)
    ('10 folds drawn at random', '5 folds with equal shares of low and high values')
    >>> folds(5, "grouped", repeats=3), folds(None, "a splitter of your own")
    ('5 folds of whole groups, split 3 times', 'folds by a splitter of your own')
    """
    how = _STRATIFIED_NUMBERS if splitting == "stratified" and not classes else _SPLIT.get(splitting, f"by {splitting}")
    there = count(number, "fold") if _usable(number) else "folds"
    return f"{there} {how}, split {repeats} times" if repeats > 1 else f"{there} {how}"


def _seconds(seconds: float) -> str:
    if seconds < 0.05:
        return "<0.1 s"
    return f"{seconds:.0f} s" if seconds >= 9.95 or seconds.is_integer() else f"{seconds:.1f} s"


def _two(parts: tuple[int, int], unit: str, smaller: str) -> str:
    many, few = parts
    return f"{many} {unit} {few} {smaller}" if few else f"{many} {unit}"


def _usable(number: Any) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and isfinite(number)
