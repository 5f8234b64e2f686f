"""How a delimited text file is written: delimiter, quote, decimal sign, header. Looks at the first part of the file."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from venire.data.columns.numbers import is_number
from venire.data.readers.header import column_names, has_header, is_header, open_quote
from venire.data.readers.records import Cut, most_common_width, with_escape
from venire.data.table import Note
from venire.errors import DataError, UsageError
from venire.wording import count

DELIMITERS = (",", ";", "\t", "|", "^", "~", "\x01", "\x1f")
_SAMPLE_BYTES = 1 << 18
_MOST_BYTES = 1 << 27  # a first line longer than this is no table
_SHORT = 1 << 15  # characters that tell the delimiter
_CONSISTENT = 0.8  # share of records with one width from which on a delimiter explains the file
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+")


@dataclass(frozen=True)
class Dialect:
    """How the file is written, its column names, and its first rows."""

    delimiter: str
    quote: str
    escape: str
    decimal: str
    header: bool
    skip: int  # lines before the header (or the first row)
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]  # a sample, fields stripped of spaces
    aligned: bool = False  # columns lined up with runs of spaces
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Given:
    """What the caller says about the file; None is found out."""

    delimiter: str | None = None
    quote: str | None = None
    decimal: str | None = None
    header: bool | None = None
    comment: str | None = None

    def __post_init__(self) -> None:
        for name in ("delimiter", "quote", "comment"):
            value = getattr(self, name)
            if value is not None and len(value) != 1 and not (name == "quote" and value == ""):
                raise UsageError(f"{name} must be one character, not {value!r}", hint=r"a tab is written '\t'")
        if self.decimal not in (None, ".", ","):
            raise UsageError(f"decimal must be '.' or ',', not {self.decimal!r}", hint="leave it out to find out")


def sniff(path: Path, shown: str, given: Given, markers: Collection[str]) -> Dialect:
    """Find out how the file is written."""
    text, complete = _head(path)
    blank, body = _without_blank(text, given.comment)
    if not body.strip():
        raise DataError("the file holds no rows", code="empty_file", file=shown, hint="check how it was written")
    quote = _quote(body) if given.quote is None else given.quote
    short = _first_lines(body)
    whole = complete and len(short) == len(body)
    delimiter = given.delimiter or _delimiter(short, quote, whole)
    aligned = delimiter == " " and re.search(r"^ |  ", body[:4096], re.M) is not None
    cut = with_escape(Cut(delimiter, quote, quote, complete, aligned, given.comment), body)
    titles, body = _without_titles(body, replace(cut, complete=whole))
    records = cut.records(body)
    width = most_common_width(len(record) for record in records[1:]) if len(records) > 1 else len(records[0])
    decimal = given.decimal or _decimal(records, delimiter)
    header = given.header if given.header is not None else has_header(records, decimal, markers)
    if header and cut.leaves_open(body):
        raise open_quote(quote, shown, blank + titles + 1)
    names, notes = column_names(records, header, width, shown)
    if given.header is None and not header:
        said = f"{shown} has no header line; the columns are called {names[0]} to {names[-1]}"
        notes.append(Note("no_header", said))
    if titles:
        notes.append(Note("lines_skipped", f"{shown}: {count(titles, 'line')} above the table skipped"))
    rows = tuple(tuple(field.strip() for field in record) for record in records[header:])
    skip = blank + titles
    return Dialect(
        delimiter=delimiter,
        quote=quote,
        escape=cut.escape,
        decimal=decimal,
        header=header,
        skip=skip,
        names=tuple(names),
        rows=rows,
        aligned=aligned,
        notes=tuple(notes),
    )


def _head(path: Path) -> tuple[str, bool]:
    """The first part of the file, at least three lines of it, and whether that is all."""
    size, have = path.stat().st_size, _SAMPLE_BYTES
    while True:
        with path.open("rb") as stream:
            data = stream.read(have)
        if len(data) >= size or len(data) >= _MOST_BYTES or data.count(b"\n") > 20:
            break
        have *= 4
    complete = len(data) >= size
    return data.decode("utf-8-sig", errors="ignore" if not complete else "replace"), complete


def _first_lines(text: str) -> str:
    """Enough to tell the delimiter: a few thousand characters, but three lines at least."""
    end = -1
    for _ in range(3):
        end = text.find("\n", end + 1)
        if end < 0:
            return text
    return text[: max(_SHORT, end + 1)]


def _without_blank(text: str, comment: str | None) -> tuple[int, str]:
    """Blank lines at the top carry nothing; comment lines neither, when the caller says how they begin."""
    skip = 0
    while True:
        line, end, rest = text.partition("\n")
        if not end or (line.strip() and not (comment and line.startswith(comment))):
            return skip, text
        skip, text = skip + 1, rest


def _quote(text: str) -> str:
    single = r"(?:^|[,;\t|])\s*'[^'\n]*'\s*(?=[,;\t|\r\n])"
    return "'" if '"' not in text and len(re.findall(single, text, re.M)) >= 2 else '"'


def _delimiter(text: str, quote: str, complete: bool) -> str:
    candidates = [mark for mark in DELIMITERS if mark in text]
    scored = [(_score(text, with_escape(Cut(mark, quote, quote, complete), text)), mark) for mark in candidates]
    good = [(score, mark) for score, mark in scored if score is not None]
    if good:
        return max(good, key=lambda item: item[0])[1]
    if " " in text.split("\n", 1)[0].strip():
        widths = [len(record) for record in Cut(" ", quote, quote, complete, aligned=True).records(text)]
        width = most_common_width(widths[1:])
        if width > 1 and widths[0] in (width, width - 1) and widths.count(width) >= _CONSISTENT * len(widths):
            return " "
    return ","  # one column


def _score(text: str, cut: Cut) -> tuple[bool, bool, float, float, int] | None:
    """How well this delimiter explains the sample; None when it cuts nothing."""
    records = cut.records(text)[:200]
    widths = [len(record) for record in records]
    width = most_common_width(widths)
    if width == 1:
        return None
    share = widths.count(width) / len(widths)
    cells = [field.strip() for record in records[1:] for field in record]
    numbers = sum(is_number(cell) or is_number(cell, ",") for cell in cells) / max(len(cells), 1)
    return share >= _CONSISTENT, widths[0] == width, round(share, 1), round(numbers, 2), width


def _without_titles(text: str, cut: Cut) -> tuple[int, str]:
    """Skip lines above the header such as '# exported on …' or a title: a single cell, alone or with empty ones."""
    width = most_common_width(len(record) for record in cut.records(_first_lines(text)))
    skip = 0
    while width > 1:
        line, end, rest = text.partition("\n")
        cells = replace(cut, complete=True).records(line)[0] if line.strip() else []
        marked = line.lstrip()[:1] in ("#", "%") and len(cells) != width
        if not end or not (marked or (_closed(line, cut.quote) and _titled(cells, rest, cut, width))):
            break
        skip, text = skip + 1, rest
    return skip, text


def _closed(line: str, quote: str) -> bool:
    return not quote or line.count(quote) % 2 == 0


def _titled(cells: list[str], rest: str, cut: Cut, width: int) -> bool:
    """Whether these cells are a line above the header, or an empty one beneath such a line.

    A line without a delimiter is, where rows have three fields or more. A spreadsheet writes 'Sales,,' instead, which
    might be the header of a column with a name and two without: it is a title if the next full line is a header.
    """
    filled = [cell for cell in cells if cell.strip()]
    if len(cells) <= 1 and width > 2:
        return True
    return len(filled) <= 1 and filled == cells[:1] * len(filled) and is_header(_below(rest, cut), width)


def _below(text: str, cut: Cut) -> list[list[str]]:
    """The first records from the first one on that has two cells or more."""
    records = cut.records(_first_lines(text))
    full = (at for at, record in enumerate(records) if sum(bool(cell.strip()) for cell in record) > 1)
    return records[next(full, len(records)) :]


def _decimal(records: list[list[str]], delimiter: str) -> str:
    cells = [field.strip() for record in records[1:] for field in record]
    commas = sum(_DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells)
    points = sum(_DECIMAL_POINT.fullmatch(cell) is not None for cell in cells)
    if delimiter == ",":  # then such numbers are quoted, and a column decides for itself
        return "."
    return "," if commas > points else "."
