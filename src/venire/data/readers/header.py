"""The first line of a delimited text: whether it is a header, and what the columns are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from venire.advice import Advice, Option
from venire.data.columns.numbers import is_number
from venire.data.table import Note
from venire.errors import DataError


def has_header(records: list[list[str]], decimal: str, markers: Collection[str]) -> bool:
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


def is_header(records: list[list[str]], width: int) -> bool:
    """Whether the first record is a header beyond doubt: a word for every column; of two columns, one above numbers."""
    if len(records) < 2 or len(records[0]) != width:
        return False
    first = [field.strip() for field in records[0]]
    if not all(first) or any(is_number(cell) or is_number(cell, ",") for cell in first):
        return False
    return width > 2 or any(_numeric(j, records[1:], decimal, ("",)) for j in range(width) for decimal in ".,")


def _numeric(j: int, rows: list[list[str]], decimal: str, markers: Collection[str]) -> bool:
    cells = [row[j].strip() for row in rows if j < len(row)]
    present = [cell for cell in cells if cell not in markers]
    return bool(present) and all(is_number(cell, decimal) for cell in present)


def column_names(records: list[list[str]], header: bool, width: int, shown: str) -> tuple[list[str], list[Note]]:
    """The names of `width` columns, from the header or made up, and what is to be said about them."""
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


def open_quote(quote: str, shown: str, line: int) -> DataError:
    """A quote that opens in the header and does not close would swallow rows."""
    return DataError(
        f"a quote {quote} that opens in the header is not closed",
        code="unclosed_quote",
        file=shown,
        line=line,
        hint=Advice("close the quote; if the file does not quote fields at all, say ", Option("quote", "")),
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
