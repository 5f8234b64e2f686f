"""Numbers as people write them: decimal comma, thousands, a currency or per cent sign, infinity in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SPACES = " \u00a0\u202f"  # plain, no-break and narrow no-break
_LONGEST = 400  # characters; a double written out has at most 327, and prose need not be looked at
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_UNIT = re.compile(r"(?P<sign>[+-]?)[$€£¥]\s?(?P<body>.+)|(?P<share>.+?)\s?%")


def _plain(decimal: str) -> re.Pattern[str]:
    mark = re.escape(decimal)
    return re.compile(rf"[+-]?(\d+{mark}?\d*|{mark}\d+)([eE][+-]?\d+)?", re.ASCII)


def _grouped(decimal: str) -> re.Pattern[str]:
    between = rf"[.'’{_SPACES}]" if decimal == "," else rf"[,'’{_SPACES}]"
    # The same sign between all groups (\1), three digits in each, no leading zero.
    return re.compile(rf"[+-]?[1-9]\d{{0,2}}({between})\d{{3}}(?:\1\d{{3}})*(?:{re.escape(decimal)}\d+)?", re.ASCII)


_PLAIN = {mark: _plain(mark) for mark in ".,"}
_GROUPED = {mark: _grouped(mark) for mark in ".,"}
LARGEST = 1e100  # sums of squares of larger numbers overflow, and with them scales, distances and errors
EXACT = 2.0**53  # whole numbers beyond this are not all doubles
_BEGINNINGS = frozenset("+-.,0123456789$€£¥iI")  # what no number begins without, however it is written
_ZERO_PADDED = re.compile(r"0\d+")


@dataclass(frozen=True, eq=False)
class Parsed:
    """The numbers among some texts."""

    values: NDArray[np.float64]  # NaN where the text is not a number
    found: NDArray[np.bool_]
    decimal: str
    grouped: bool = False  # some had thousands separators
    units: bool = False  # some had a currency or per cent sign


def is_number(text: str, decimal: str = ".") -> bool:
    """Is this a plainly written number?

    >>> is_number("-1.5e3"), is_number("1,5"), is_number("1,5", decimal=","), is_number("12a")
    (True, False, True, False)
    """
    return _PLAIN[decimal].fullmatch(text) is not None or _INFINITE.fullmatch(text) is not None


def number_text(number: float) -> str:
    """A number as a text, a whole one without a point.

    >>> number_text(20.0), number_text(0.5)
    ('20', '0.5')
    """
    return str(int(number)) if number == int(number) and abs(number) < EXACT else repr(number)


def is_code(texts: Sequence[str]) -> bool:
    """Digits with leading zeros, all of one width: a postcode or an article number, not a quantity.

    >>> is_code(["01067", "80331"]), is_code(["1067", "80331"]), is_code(["0", "1"])
    (True, False, False)
    """
    if not texts or not any(_ZERO_PADDED.fullmatch(text) for text in texts):
        return False
    return len({len(text) for text in texts}) == 1 and all(text.isdigit() for text in texts)


def parse_numbers(texts: Sequence[str], prefer: str = ".") -> Parsed:
    """Read texts as numbers with the decimal sign that makes sense of most of them.

    >>> parse_numbers(["1.234,5", "7"]).values.tolist()
    [1234.5, 7.0]
    >>> parse_numbers(["1,234.5", "word"]).found.tolist()
    [True, False]
    """
    first = _parse(texts, prefer)
    if first.found.all():
        return first
    other = _parse(texts, "," if prefer == "." else ".")
    return other if other.found.sum() > first.found.sum() else first


def _parse(texts: Sequence[str], decimal: str) -> Parsed:
    values = np.full(len(texts), np.nan)
    found = np.zeros(len(texts), dtype=bool)
    grouped = units = False
    plain = _PLAIN[decimal]
    for i, text in enumerate(texts):
        if len(text) > _LONGEST or text[:1] not in _BEGINNINGS:
            continue
        if plain.fullmatch(text):
            values[i], found[i] = float(text.replace(",", ".") if decimal == "," else text), True
        elif (number := _unusual(text, decimal)) is not None:
            values[i], found[i] = number, True
            bare = _without_unit(text)
            units |= bare != text
            grouped |= _GROUPED[decimal].fullmatch(bare) is not None
    return Parsed(values, found, decimal, grouped, units)


def _without_unit(text: str) -> str:
    match = _UNIT.fullmatch(text)
    if match is None:
        return text
    return match["share"] or match["sign"] + match["body"]


def _unusual(text: str, decimal: str) -> float | None:
    if _INFINITE.fullmatch(text):
        return float(text)
    bare = _without_unit(text)
    if _GROUPED[decimal].fullmatch(bare):
        bare = re.sub(rf"[{'.' if decimal == ',' else ','}'’{_SPACES}]", "", bare)
    if _PLAIN[decimal].fullmatch(bare):
        return float(bare.replace(",", "."))
    return None
