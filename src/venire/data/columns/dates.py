"""Dates: how they are written, and the numbers a learner can use of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product

import numpy as np
from numpy.typing import NDArray

from venire._core import moment_parts
from venire.threads import processors

DateArray = NDArray[np.datetime64]

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?")
# Something a date could begin with, so that words and plain numbers cost one match.
_LIKELY = re.compile(r"(\d{1,4}[-/. ]\w{1,9}[-/. ]+\d{1,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}|\d{4}-\d{2}$).{0,25}")
_DAYS = (
    "%Y-%m-%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y.%m.%d", "%d-%m-%Y", "%m-%d-%Y",
    "%m/%d/%y", "%d/%m/%y", "%d.%m.%y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y",
    "%B %d, %Y", "%b %d %Y", "%B %d %Y",
)  # fmt: skip
_TIMES = (
    "", " %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M", " %H:%M:%S.%f", "T%H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p",
    "T%H:%M:%S%z", " %H:%M:%S%z", "T%H:%M:%S.%f%z", " %H:%M:%S.%f%z", "T%H:%M%z",
)  # fmt: skip
FORMATS: tuple[str, ...] = (*(day + time for day, time in product(_DAYS, _TIMES)), "%Y-%m")

# In the order of the core's MomentPart.
PARTS: tuple[str, ...] = ("year", "month", "day", "weekday", "day_of_year", "hour", "minute", "days")
_TOGETHER = 1 << 22  # dates whose parts are made in one pass; of more, one part at a time is in memory


@dataclass(frozen=True, eq=False)
class ParsedDates:
    """Texts read as dates."""

    values: DateArray
    format: str  # "" for ISO dates
    ambiguous: bool = False  # day/month and month/day fit equally well


def looks_like_date(text: str) -> bool:
    """A cheap first look, before any format is tried.

    >>> looks_like_date("1/31/2011"), looks_like_date("3.14"), looks_like_date("mild")
    (True, False, False)
    """
    return _LIKELY.match(text) is not None


def parse_dates(texts: Sequence[str], *, day_first: bool = False) -> ParsedDates | None:
    """Read all texts by one format; None when no format fits them all.

    >>> parse_dates(["1/31/2011", "2/1/2011"]).format
    '%m/%d/%Y'
    >>> parse_dates(["mon", "tue"]) is None
    True
    """
    if not texts or not looks_like_date(texts[0]):
        return None
    if all(map(_ISO.fullmatch, texts)):
        try:
            return ParsedDates(np.array(texts, dtype="datetime64[us]"), "")
        except ValueError:  # such as a month 13
            return None
    fitting = _fitting(texts)
    best = next(fitting, None)
    if best is None:
        return None
    other = next((parsed for parsed in fitting if _swapped(parsed.format) == best.format), None)
    if other is None:
        return best
    chosen = other if day_first else best
    return ParsedDates(chosen.values, chosen.format, ambiguous=bool((other.values != best.values).any()))


def parse_dates_as(texts: Sequence[str], date_format: str) -> DateArray:
    """Read texts by a known format; what does not fit becomes NaT."""
    values = np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[us]")
    for i, text in enumerate(texts):
        try:
            values[i] = _strptime(text, date_format) if date_format else np.datetime64(_iso(text), "us")
        except ValueError:
            continue
    return values


def from_numbers(numbers: NDArray[np.float64]) -> DateArray | None:
    """Dates written as one number: 20240131, or seconds since 1970. None when they are neither."""
    present = numbers[np.isfinite(numbers)]
    if present.size == 0 or (present != np.round(present)).any():
        return None
    values = np.full(len(numbers), np.datetime64("NaT"), dtype="datetime64[us]")
    where = np.isfinite(numbers)
    if present.min() >= 1_000_01_01 and present.max() <= 9_999_12_31:
        texts = [f"{int(number)}" for number in present]
        values[where] = parse_dates_as(texts, "%Y%m%d")
        if not np.isnat(values[where]).any():
            return values
    if present.min() >= 1e8 and present.max() < 1e11:
        values[where] = present.astype("int64").astype("datetime64[s]")
        return values
    return None


def part_of(dates: DateArray, part: str) -> NDArray[np.float64]:
    """One number of each date; NaN where it is missing.

    >>> part_of(np.array(["2011-01-31T06:30"], dtype="datetime64[us]"), "days").tolist()
    [15005.270833333334]
    """
    found, _ = moment_parts(_micros(dates), [PARTS.index(part)], 1)
    return np.asarray(found[0])


def varying_parts(dates: DateArray) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """The parts that take more than one value among these dates."""
    micros = _micros(dates)
    together = len(PARTS) if len(micros) <= _TOGETHER else 1
    for begin in range(0, len(PARTS), together):
        some = range(begin, begin + together)
        found, varies = moment_parts(micros, list(some), processors())
        yield from ((PARTS[part], found[part - begin]) for part in some if varies[part - begin])


def _micros(dates: DateArray) -> NDArray[np.int64]:
    return np.ascontiguousarray(dates, dtype="datetime64[us]").view(np.int64)


def _fitting(texts: Sequence[str]) -> Iterator[ParsedDates]:
    for date_format in FORMATS:
        try:
            _strptime(texts[0], date_format)
            values = np.array([_strptime(text, date_format) for text in texts], dtype="datetime64[us]")
        except ValueError:
            continue
        yield ParsedDates(values, date_format)


def _strptime(text: str, date_format: str) -> datetime:
    moment = datetime.strptime(text, date_format)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _iso(text: str) -> str:
    if not _ISO.fullmatch(text):
        raise ValueError(text)
    return text


def _swapped(date_format: str) -> str:
    return date_format.replace("%d", "%\0").replace("%m", "%d").replace("%\0", "%m")
