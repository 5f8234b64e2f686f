"""How a delimited text file is written: delimiter, quote, decimal sign, header. Looks at the first part of the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from venire.data.numbers import is_number
from venire.data.table import Note
from venire.errors import DataError, UsageError

DELIMITERS = (",", ";", "\t", "|", "^", "~", "\x01", "\x1f")
_SAMPLE_BYTES = 1 << 18
_MOST_BYTES = 1 << 27  # a first line longer than this is no table
_SAMPLE_ROWS = 1000
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


def split_records(text: str, delimiter: str, quote: str = '"', escape: str = '"') -> list[list[str]]:
    r"""Cut text into records and fields; quoted fields may hold delimiters and line ends.

    >>> split_records('a,"b, c"\n1,"x ""y"" z"\n', ",")
    [['a', 'b, c'], ['1', 'x "y" z']]
    """
    mark, inside = re.escape(delimiter), re.escape(quote)
    bare = rf"([^{mark}\r\n]*)(?P<end>{mark}|\r\n|\n|\r|\Z)"
    if quote:
        slash = re.escape(escape)
        if escape == quote:
            body = rf"[^{inside}]*(?:{inside}{inside}[^{inside}]*)*"
        else:
            body = rf"[^{inside}{slash}]*(?:{slash}.[^{inside}{slash}]*)*"
        # Spaces may stand around a quoted field, except when the space is the delimiter itself.
        gap = "" if delimiter in " \t" else " *"
        pattern = re.compile(rf"(?:{gap}{inside}({body}){inside}{gap}(?P<stop>{mark}|\r\n|\n|\r|\Z)|{bare})", re.DOTALL)
    else:
        pattern = re.compile(rf"(?:(\0)(?P<stop>\0)|{bare})")
    records: list[list[str]] = []
    record: list[str] = []
    position = 0
    while position < len(text) or record:
        match = pattern.match(text, position)
        if match is None:  # cannot happen: the bare field matches anywhere
            break
        quoted, plain = match[1], match[3]
        record.append(plain if quoted is None else quoted.replace(escape + quote, quote))
        position = match.end()
        if (match["stop"] if quoted is not None else match["end"]) != delimiter:
            records.append(record)
            record = []
    return records


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
    cut = _with_escape(_Cut(delimiter, quote, quote, complete, aligned, given.comment), body)
    titles, body = _without_titles(body, replace(cut, complete=whole))
    records = cut.records(body)
    width = _mode(len(record) for record in records[1:]) if len(records) > 1 else len(records[0])
    decimal = given.decimal or _decimal(records, delimiter)
    header = given.header if given.header is not None else _has_header(records, decimal, markers)
    if header:
        _refuse_open_quote(records[0], quote, shown, blank + titles + 1)
    names, notes = _names(records, header, width, shown)
    if given.header is None and not header:
        said = f"{shown} has no header line; the columns are called {names[0]} to {names[-1]}"
        notes.append(Note("no_header", said))
    if titles:
        notes.append(Note("lines_skipped", f"{shown}: {titles} line(s) above the table were skipped"))
    rows = tuple(tuple(field.strip() for field in record) for record in records[header:])
    skip = blank + titles
    return Dialect(delimiter, quote, cut.escape, decimal, header, skip, tuple(names), rows, aligned, tuple(notes))


@dataclass(frozen=True)
class _Cut:
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


def _with_escape(cut: _Cut, text: str) -> _Cut:
    """A backslash escapes quotes only if that explains the text better: a field may simply end in one."""
    if not cut.quote or f"\\{cut.quote}" not in text:
        return cut
    return max((cut, replace(cut, escape="\\")), key=lambda way: _order(way, text))


def _order(cut: _Cut, text: str) -> tuple[float, int]:
    """How orderly the text is when cut this way: the share of records of one width, and how few quotes go astray."""
    records = cut.records(text)
    widths = [len(record) for record in records]
    astray = sum(field.lstrip().startswith(cut.quote) for record in records for field in record)
    return widths.count(_mode(widths)) / len(widths), -astray


def _delimiter(text: str, quote: str, complete: bool) -> str:
    candidates = [mark for mark in DELIMITERS if mark in text]
    scored = [(_score(text, _with_escape(_Cut(mark, quote, quote, complete), text)), mark) for mark in candidates]
    good = [(score, mark) for score, mark in scored if score is not None]
    if good:
        return max(good, key=lambda item: item[0])[1]
    if " " in text.split("\n", 1)[0].strip():
        widths = [len(record) for record in _Cut(" ", quote, quote, complete, aligned=True).records(text)]
        width = _mode(widths[1:])
        if width > 1 and widths[0] in (width, width - 1) and widths.count(width) >= _CONSISTENT * len(widths):
            return " "
    return ","  # one column


def _score(text: str, cut: _Cut) -> tuple[bool, bool, float, float, int] | None:
    """How well this delimiter explains the sample; None when it cuts nothing."""
    records = cut.records(text)[:200]
    widths = [len(record) for record in records]
    width = _mode(widths)
    if width == 1:
        return None
    share = widths.count(width) / len(widths)
    cells = [field.strip() for record in records[1:] for field in record]
    numbers = sum(is_number(cell) or is_number(cell, ",") for cell in cells) / max(len(cells), 1)
    return share >= _CONSISTENT, widths[0] == width, round(share, 1), round(numbers, 2), width


def _without_titles(text: str, cut: _Cut) -> tuple[int, str]:
    """Skip lines above the header such as '# exported on …' or a title: they have another width than the rows."""
    width = _mode(len(record) for record in cut.records(_first_lines(text)))
    skip = 0
    while width > 1:
        line, end, rest = text.partition("\n")
        fields = len(replace(cut, complete=True).records(line)[0]) if line.strip() else 0
        marked = line.lstrip()[:1] in ("#", "%") and fields != width
        titled = fields <= 1 and width > 2 and (not cut.quote or cut.quote not in line)
        if not end or not (marked or titled):
            break
        skip, text = skip + 1, rest
    return skip, text


def _mode(widths: Iterable[int]) -> int:
    common = Counter(widths).most_common(1)
    return common[0][0] if common else 1


def _decimal(records: list[list[str]], delimiter: str) -> str:
    cells = [field.strip() for record in records[1:] for field in record]
    commas = sum(_DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells)
    points = sum(_DECIMAL_POINT.fullmatch(cell) is not None for cell in cells)
    if delimiter == ",":  # then such numbers are quoted, and a column decides for itself
        return "."
    return "," if commas > points else "."


def _has_header(records: list[list[str]], decimal: str, markers: Collection[str]) -> bool:
    """A header is a first line with words above columns of numbers; words above words are taken for one, too."""
    first, rest = [field.strip() for field in records[0]], records[1:]
    numeric = [_numeric(j, rest, decimal, markers) for j in range(len(first))]
    above = [cell for cell, flag in zip(first, numeric, strict=True) if flag]
    if not above:
        return not all(is_number(cell, decimal) for cell in first)
    blank = {marker for marker in markers if marker}
    return not (
        any(is_number(cell, decimal) for cell in above)
        and all(is_number(cell, decimal) or cell in blank or not cell for cell in above)
    )


def _numeric(j: int, rows: list[list[str]], decimal: str, markers: Collection[str]) -> bool:
    cells = [row[j].strip() for row in rows if j < len(row)]
    present = [cell for cell in cells if cell not in markers]
    return bool(present) and all(is_number(cell, decimal) for cell in present)


def _names(records: list[list[str]], header: bool, width: int, shown: str) -> tuple[list[str], list[Note]]:
    if not header:
        return [f"column_{j + 1}" for j in range(width)], []
    names, notes = [field.strip() for field in records[0]], []
    rest = records[1:]
    if rest and len(names) == width + 1 and not names[-1] and all(len(record) <= width for record in rest):
        names.pop()  # "a,b," above "1,2"
    elif rest and len(names) == width - 1 and all(len(record) == width for record in rest) and any(r[-1] for r in rest):
        names.insert(0, "row_names")  # as R's write.table does
        notes.append(
            Note("header_short", f"{shown}: the header has one name less than the rows have fields; "
                 "the first column was called 'row_names'")
        )  # fmt: skip
    _refuse_duplicates(names, shown)
    empty = [j for j, name in enumerate(names) if not name]
    for j in empty:
        names[j] = _free(f"column_{j + 1}", names)
        notes.append(Note("empty_name", f"column {j + 1} has no name; it was called {names[j]!r}", names[j]))
    return names, notes


def _refuse_open_quote(header: list[str], quote: str, shown: str, line: int) -> None:
    for name in map(str.strip, header):
        if quote and name.startswith(quote) and not name.endswith(quote):
            raise DataError(
                f"a quote {quote} that opens in the header is not closed",
                code="unclosed_quote",
                file=shown,
                line=line,
                hint="close the quote; if the file does not quote fields at all, say quote=''",
            )


def _refuse_duplicates(names: list[str], shown: str) -> None:
    for name, count in Counter(name for name in names if name).items():
        if count > 1:
            places = [j + 1 for j, other in enumerate(names) if other == name]
            raise DataError(
                f"the header has the name {name!r} {count} times (columns {', '.join(map(str, places))})",
                code="duplicate_header",
                file=shown,
                line=1,
                column=name,
                hint="give every column its own name",
            )


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name
