"""Cutting delimited text into records and fields, given the signs it is written with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

_SAMPLE_ROWS = 1000
_LINE_END = re.compile(r"\r\n|\n|\r")


def split_records(text: str, delimiter: str, quote: str = '"', escape: str = '"') -> list[list[str]]:
    r"""Cut text into records and fields; quoted fields may hold delimiters and line ends.

    >>> split_records('a,"b, c"\n1,"x ""y"" z"\n', ",")
    [['a', 'b, c'], ['1', 'x "y" z']]
    """
    if "\0" not in text and not (quote and quote in text):  # nothing is quoted: no field asks for a look of its own
        lines = _LINE_END.split(text)
        return [line.split(delimiter) for line in (lines if lines[-1] else lines[:-1])]
    records: list[list[str]] = []
    record: list[str] = []
    for field in _fields(text, delimiter, quote, escape):
        record.append(field.text)
        if field.last:
            records.append(record)
            record = []
    return records


class _Field(NamedTuple):
    """One field as it is cut out."""

    text: str
    quoted: bool
    last: bool  # of its record


def _fields(text: str, delimiter: str, quote: str, escape: str) -> Iterator[_Field]:
    pattern = _pattern(delimiter, quote, escape)
    position, inside = 0, False
    while position < len(text) or inside:
        match = pattern.match(text, position)
        assert match is not None, "a bare field matches anywhere"
        quoted, plain = match[1], match[3]
        inside = (match["end"] if quoted is None else match["stop"]) == delimiter
        position = match.end()
        yield _Field(plain if quoted is None else quoted.replace(escape + quote, quote), quoted is not None, not inside)


def _pattern(delimiter: str, quote: str, escape: str) -> re.Pattern[str]:
    mark, inside = re.escape(delimiter), re.escape(quote)
    bare = rf"([^{mark}\r\n]*)(?P<end>{mark}|\r\n|\n|\r|\Z)"
    if not quote:
        return re.compile(rf"(?:(\0)(?P<stop>\0)|{bare})")
    slash = re.escape(escape)
    if escape == quote:
        body = rf"[^{inside}]*(?:{inside}{inside}[^{inside}]*)*"
    else:
        body = rf"[^{inside}{slash}]*(?:{slash}.[^{inside}{slash}]*)*"
    # Spaces may stand around a quoted field, except when the space is the delimiter itself.
    gap = "" if delimiter in " \t" else " *"
    return re.compile(rf"(?:{gap}{inside}({body}){inside}{gap}(?P<stop>{mark}|\r\n|\n|\r|\Z)|{bare})", re.DOTALL)


@dataclass(frozen=True)
class Cut:
    """A way of cutting text into records."""

    delimiter: str
    quote: str
    escape: str
    complete: bool  # the text is the whole file, so its last record is whole too
    aligned: bool = False
    comment: str | None = None

    def records(self, text: str) -> list[list[str]]:
        """The first records of the text, without blank lines."""
        if self.aligned:
            text = re.sub(r" +", " ", re.sub(r"^ +| +(?=\r?$)", "", text, flags=re.M))
        records = split_records(text, self.delimiter, self.quote, self.escape)
        if not self.complete and len(records) > 1:
            records.pop()  # cut off in the middle
        wide = len(records[0]) > 1
        records = [record for record in records if not wide or len(record) > 1 or record[0].strip()]
        if self.comment:
            records = [record for record in records if not record[0].startswith(self.comment)] or [[""]]
        return records[: _SAMPLE_ROWS + 1]

    def leaves_open(self, text: str) -> bool:
        """Whether a quote that opens in the first record is not closed."""
        for field in _fields(text, self.delimiter, self.quote, self.escape) if self.quote else ():
            name = field.text.strip()
            if not field.quoted and name.startswith(self.quote) and not name.endswith(self.quote):
                return True
            if field.last:
                return False
        return False


def with_escape(cut: Cut, text: str) -> Cut:
    """A backslash escapes quotes only if that explains the text better: a field may simply end in one."""
    if not cut.quote or f"\\{cut.quote}" not in text:
        return cut
    return max((cut, replace(cut, escape="\\")), key=lambda way: _order(way, text))


def _order(cut: Cut, text: str) -> tuple[float, int]:
    """How orderly the text is when cut this way: the share of records of one width, and how few quotes go astray."""
    records = cut.records(text)
    widths = [len(record) for record in records]
    astray = sum(field.lstrip().startswith(cut.quote) for record in records for field in record)
    return widths.count(most_common_width(widths)) / len(widths), -astray


def most_common_width(widths: Iterable[int]) -> int:
    """How many fields most records have; 1 when there are none."""
    common = Counter(widths).most_common(1)
    return common[0][0] if common else 1
