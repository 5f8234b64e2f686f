"""Excel workbooks (.xlsx): one sheet as a table, its cells with the types they have.

The package is looked at before it is read: how much it unpacks to, and how far its cells are spread, because the reader
lays them out as one rectangle. Formulas count as the value that was stored with them; an empty row carries nothing.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from venire.data.columns.missing import Missing
from venire.data.columns.names import brief, near
from venire.data.columns.numbers import number_text
from venire.data.columns.raw import Facts
from venire.data.readers.frames import FrameSource
from venire.data.readers.header import column_names, has_header, is_header
from venire.data.readers.stored import Stored
from venire.data.readers.unpacking import Limit
from venire.data.table import Note, Reading
from venire.errors import DataError, UsageError
from venire.wording import count

MOST_CELLS = 30_000_000  # of the rectangle around all cells
_SAMPLE = 1000  # rows that tell whether the first has the names
_CHUNK = 1 << 22
_SPAN = 64  # characters a cell's address or an empty formula may be cut by the end of a chunk
_COLUMN = re.compile(rb"""\sr=["']([A-Z]{1,3})[0-9]""")
_ROW = re.compile(rb"""\sr=["'][A-Z]{0,3}([0-9]{1,7})["']""")  # of a cell, or of the row itself
_EMPTY_FORMULA = re.compile(rb"</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>")
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"

# What `zipfile` raises of a damaged archive: RuntimeError of a password or a version that it does not know, and
# UnicodeDecodeError of a name.
_OF_ARCHIVES = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OSError, EOFError, RuntimeError, UnicodeDecodeError,
    struct.error,
)  # fmt: skip

Rows = list[list[Any]]


@dataclass(frozen=True)
class _Spread:
    """How far the cells of a sheet reach, and how many formulas have no value."""

    rows: int
    columns: int
    empty_formulas: int


def is_workbook(path: Path, shown: str) -> bool:
    """Whether a zip archive is a workbook of Excel 2007 or later."""
    try:
        with zipfile.ZipFile(path) as package:
            return "xl/workbook.xml" in package.namelist()
    except _OF_ARCHIVES as error:
        raise _damaged(error, shown) from None


def read_workbook(
    file: Stored, missing: Missing, *, sheet: str | int | None, header: bool | None, limit: Limit
) -> FrameSource:
    """One sheet of a workbook: the one of that name or number, else the first."""
    calamine = _calamine()
    spreads = _spreads(file, limit)
    try:
        book = calamine.CalamineWorkbook.from_path(file.path)
        name, notes = _sheet_name(list(spreads), sheet, file.shown)
        spread = spreads[name]
        if spread.rows * spread.columns > MOST_CELLS:
            raise _too_wide(spread, name, file.shown)
        found = book.get_sheet_by_name(name)
        rows, start, merged = found.to_python(), found.start or (0, 0), found.merged_cell_ranges or []
    except calamine.CalamineError as error:
        raise _damaged(error, file.shown) from None
    if spread.empty_formulas:
        said = f"{spread.empty_formulas} formula(s) of the sheet have no stored value and count as missing; "
        notes.append(Note("empty_formulas", said + "open and save the workbook in a spreadsheet program to have them"))
    return _source(file.shown, name, _Grid(rows, start, merged, notes, file.shown), header, missing)


def _calamine() -> Any:
    try:
        import python_calamine
    except ImportError:
        raise UsageError(
            "reading Excel workbooks needs the package python-calamine, which is not installed",
            code="missing_package",
            hint="install it with pip install 'venire[excel]', or export the sheet as CSV or Parquet",
        ) from None
    return python_calamine


class _Grid:
    """The cells of a sheet as a table: titles above it skipped, empty rows and columns out, merged cells filled."""

    def __init__(self, rows: Rows, start: tuple[int, int], merged: Any, notes: list[Note], shown: str) -> None:
        self.notes = notes
        self.rows = [[None if cell == "" else cell for cell in row] for row in rows]
        titles = _titles(self.rows)
        filled = self._fill(merged, (start[0], start[1]), below=titles + 1)
        kept = [row for row in self.rows[titles:] if any(cell is not None for cell in row)]
        used = [j for j in range(len(kept[0])) if any(row[j] is not None for row in kept)] if kept else []
        self.rows = [[row[j] for j in used] for row in kept]
        if titles:
            notes.append(Note("lines_skipped", f"{shown}: {count(titles, 'row')} above the table skipped"))
        if filled:
            said = "the merged cell" if filled == 1 else f"the {filled} merged cells"
            notes.append(Note("merged_cells", f"{said} of the sheet: every row in it has its value"))

    def _fill(self, merged: Any, start: tuple[int, int], below: int) -> int:
        """Give every row of a merged cell its value; names above the table stay where they are."""
        filled = 0
        for (top, left), (bottom, right) in merged:
            first, last = max(top - start[0], 0), min(bottom - start[0], len(self.rows) - 1)
            if first < below or last < first:
                continue
            value = self.rows[first][left - start[1]]
            for row in self.rows[first : last + 1]:
                row[left - start[1] : right - start[1] + 1] = [value] * (right - left + 1)
            filled += 1
        return filled


def _titles(rows: Rows) -> int:
    """How many rows at the top have a single cell: above three columns or more, or above a header of two."""
    widths = [sum(cell is not None for cell in row) for row in rows]
    most = max(widths, default=0)
    first = next((at for at, width in enumerate(widths) if width > 1), 0)
    below = [[_text(cell) for cell in row if cell is not None] for row in rows[first : first + _SAMPLE]]
    return first if most > 2 or (first and is_header(below, most)) else 0


def _source(shown: str, name: str, grid: _Grid, header: bool | None, missing: Missing) -> FrameSource:
    rows = grid.rows
    if not rows:
        raise DataError(f"the sheet {brief(name)} is empty", code="empty_file", file=shown, hint="choose another sheet")
    sample = [[_text(cell) for cell in row] for row in rows[: _SAMPLE + 1]]
    named = header if header is not None else has_header(sample, ".", missing.everywhere)
    names, notes = column_names(sample, named, len(rows[0]), shown)
    body = rows[1:] if named else rows
    if not body:
        raise DataError(f"the sheet {brief(name)} has a header but no rows", code="header_only", file=shown,
                        hint="check how it was written")  # fmt: skip
    reading = Reading(
        format="xlsx",
        files=(shown,),
        header=named,
        missing=missing.everywhere,
        missing_in_numbers=missing.in_numbers,
        missing_by_column=missing.listed,
    )
    columns: dict[str, Any] = {called: _column([row[j] for row in body]) for j, called in enumerate(names)}
    return FrameSource(columns, Facts(tuple(names), len(body), reading, shown, (*grid.notes, *notes)))


def _column(cells: list[Any]) -> Any:
    """The cells with whole numbers as such (a sheet has doubles only), and lengths of time as seconds."""
    plain = [cell.total_seconds() if isinstance(cell, timedelta) else cell for cell in cells]
    whole = all(cell.is_integer() for cell in plain if isinstance(cell, float))
    if not whole and all(cell is None or isinstance(cell, float) for cell in plain):
        return np.array(plain, dtype=np.float64)
    held = np.empty(len(plain), dtype=object)
    held[:] = [int(cell) if whole and isinstance(cell, float) else cell for cell in plain]
    return held


def _text(cell: Any) -> str:
    if isinstance(cell, float):
        return number_text(cell)
    return "" if cell is None else str(cell)


def _sheet_name(names: Sequence[str], asked: str | int | None, shown: str) -> tuple[str, list[Note]]:
    if not names:
        raise DataError("the workbook has no sheet with cells", code="empty_file", file=shown, hint="check the file")
    if asked is None:
        if len(names) == 1:
            return names[0], []
        said = f"{shown} has {len(names)} sheets, and {brief(names[0])} was read; use sheet= for another"
        return names[0], [Note("first_sheet", said)]
    text = str(asked)
    if text in names:
        return text, []
    if text.isdigit() and 1 <= int(text) <= len(names):
        return names[int(text) - 1], []
    listed = ", ".join(map(brief, near(text, names) or names[:10]))
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    raise DataError(
        f"the workbook has no sheet {brief(text)}; it has {listed}{more}",
        code="unknown_sheet",
        file=shown,
        hint="name a sheet as it is written, or by its number from 1 on",
    )


def _spreads(file: Stored, limit: Limit) -> dict[str, _Spread]:
    """How far the cells of every worksheet reach; raise where unpacking them would be too much, or fails."""
    try:
        with zipfile.ZipFile(file.path) as package:
            if sum(member.file_size for member in package.infolist()) > limit.of(file.path):
                raise limit.exceeded(file.path, file.shown)
            return {name: _spread(package, member) for name, member in _members(package).items()}
    except (*_OF_ARCHIVES, ElementTree.ParseError, KeyError) as error:
        raise _damaged(error, file.shown) from None


def _members(package: zipfile.ZipFile) -> dict[str, str]:
    """The file of every worksheet, by the sheet's name, in the order of the workbook."""
    relations = ElementTree.fromstring(package.read("xl/_rels/workbook.xml.rels"))
    kept = {
        each.get("Id"): "xl/" + str(each.get("Target")).removeprefix("/xl/")
        for each in relations
        if str(each.get("Type")).endswith("/worksheet")
    }
    sheets = ElementTree.fromstring(package.read("xl/workbook.xml")).iter()
    found = ((str(each.get("name")), each.get(_ID)) for each in sheets if each.tag.endswith("}sheet"))
    return {name: kept[key] for name, key in found if key in kept}


def _spread(package: zipfile.ZipFile, member: str) -> _Spread:
    rows = columns = formulas = 0
    before = b""
    with package.open(member) as stream:
        while piece := stream.read(_CHUNK):
            text = before + piece
            rows = max(rows, max(map(int, set(_ROW.findall(text))), default=0))
            columns = max(columns, max(map(_number, set(_COLUMN.findall(text))), default=0))
            formulas += sum(match.end() > len(before) for match in _EMPTY_FORMULA.finditer(text))
            before = text[-_SPAN:]
    return _Spread(rows, columns, formulas)


def _number(letters: bytes) -> int:
    """The number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _too_wide(spread: _Spread, name: str, shown: str) -> DataError:
    return DataError(
        f"the cells of the sheet {brief(name)} spread over {spread.rows:,} rows and {spread.columns:,} columns, and at "
        f"most {MOST_CELLS:,} cells are read",
        code="sheet_too_large",
        file=shown,
        hint="delete stray cells beside the table, or export it as CSV or Parquet",
    )


def _damaged(error: Exception, shown: str) -> DataError:
    said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return DataError(
        f"the workbook is damaged or cut short ({said})",
        code="truncated_file",
        file=shown,
        hint="open and save it again, or export the sheet as CSV or Parquet",
    )
