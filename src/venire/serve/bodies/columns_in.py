"""The rows of a request as columns, whichever way they are written; nothing is decided about their values here."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from venire.data.columns.missing import Missing
from venire.data.columns.raw import Facts, Source
from venire.data.readers.frames import FrameSource
from venire.data.table import Reading
from venire.serve.refused import Refusal

LARGEST_WHOLE = 10**300  # beyond, a whole number is no double
_CELLS = (str, int, float, bool, type(None))


@dataclass(frozen=True, eq=False)
class Columns:
    """The cells of a request: a list for each column, all of one length.

    `named` is False where the names are places only, such as those of a list of lists.
    """

    cells: Mapping[str, Sequence[Any]]
    rows: int
    named: bool = True

    def source(self, missing: Missing) -> Source:
        """For the reader that `venire predict` has."""
        held = {name: _objects(name, values) for name, values in self.cells.items()}
        reading = Reading(
            format="request",
            missing=missing.everywhere,
            missing_in_numbers=missing.in_numbers,
            missing_by_column=missing.listed,
        )
        return FrameSource(held, Facts(tuple(held), self.rows, reading, "request", (), self.named))


def _objects(name: str, values: Sequence[Any]) -> np.ndarray[Any, Any]:
    for value in values:
        if not isinstance(value, _CELLS):
            raise wrong_cell(name)
        if type(value) is int and abs(value) > LARGEST_WHOLE:
            raise Refusal(400, "number_too_large", f"column {name!r} has a whole number of hundreds of digits")
    held = np.empty(len(values), dtype=object)
    held[:] = values
    return held


def wrong_cell(name: str) -> Refusal:
    """A value that is no value of a table."""
    return Refusal(
        400,
        "wrong_type",
        f"column {name!r} holds a list or an object",
        hint="a value is null, true, a number or a text",
    )


def from_json(value: Any, most: int) -> Columns:
    """A list of records, one record, or an object with a list for each column."""
    if isinstance(value, list):
        return from_records(value, most)
    if not isinstance(value, dict):
        raise Refusal(400, "wrong_type", "the body holds no rows", hint="send a list with an object for each row")
    lists = [isinstance(each, list) for each in value.values()]
    if lists and all(lists):
        return from_lists(value, most)
    if any(lists):
        raise Refusal(400, "wrong_type", "some columns are lists, and some are not", hint="give a list for each column")
    return from_records([value], most)


def from_records(records: Any, most: int) -> Columns:
    """A list of objects. A name that one of them lacks is missing there."""
    check_count(records, most)
    names: dict[str, None] = {}
    for record in records:
        if not isinstance(record, dict):
            raise Refusal(400, "wrong_type", "a row is no object", hint="send a list with an object for each row")
        names.update(dict.fromkeys(record))
        if len(names) * len(records) > _MOST_CELLS:
            raise Refusal(413, "too_many_cells", "the rows have too many different names", hint="send fewer rows")
    return Columns({name: [record.get(name) for record in records] for name in names}, len(records))


def from_lists(columns: Any, most: int) -> Columns:
    """An object with a list for each column."""
    if not isinstance(columns, dict) or not columns or not all(isinstance(each, list) for each in columns.values()):
        raise Refusal(400, "wrong_type", "the columns are no object of lists", hint='send {"name": [1, 2], …}')
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise Refusal(400, "ragged_columns", "the columns are of different lengths")
    check_count(next(iter(columns.values())), most)
    return Columns(columns, lengths.pop())


def from_split(names: Any, data: Any, most: int) -> Columns:
    """Rows as lists, with the names of the columns beside them; without names, by place."""
    check_count(data, most)
    if not all(isinstance(row, list) for row in data):
        raise Refusal(400, "wrong_type", "a row is no list")
    width = len(data[0]) if names is None else len(names) if isinstance(names, list) else -1
    if width < 1 or any(len(row) != width for row in data):
        raise Refusal(400, "ragged_row", "the rows have not as many values as there are columns")
    if names is not None and (not all(isinstance(name, str) for name in names) or len(set(names)) < width):
        raise Refusal(400, "wrong_type", "the columns have not a name of their own each")
    called = [f"x{j}" for j in range(width)] if names is None else names
    return Columns({name: [row[j] for row in data] for j, name in enumerate(called)}, len(data), names is not None)


def from_csv(body: bytes, most: int) -> Columns:
    """Comma-separated values in UTF-8 with a line of names, as RFC 4180 has them."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal(400, "bad_csv", "the body is not UTF-8") from None
    if "\0" in text:
        raise Refusal(400, "bad_csv", "the body holds a zero byte")
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[list[str]] = []
    try:
        names = [name.strip() for name in next(lines, [])]
        for row in lines:
            if not row:
                continue
            if len(row) != len(names):
                raise Refusal(
                    400, "ragged_row", f"line {lines.line_num} has {len(row)} fields, and there are {len(names)} names"
                )
            rows.append(row)
            if len(rows) > most:
                check_count(rows, most)
    except csv.Error as error:
        raise Refusal(400, "bad_csv", f"line {lines.line_num} is no CSV: {error}") from None
    if not names or not all(names) or len(set(names)) < len(names):
        raise Refusal(400, "bad_csv", "the first line has not a name of its own for every column")
    check_count(rows, most)
    return Columns(dict(zip(names, zip(*rows, strict=True), strict=True)), len(rows))


def check_count(rows: Any, most: int) -> None:
    """Raise unless this is a list of at least one row and at most so many."""
    if not isinstance(rows, list):
        raise Refusal(400, "wrong_type", "the rows are no list")
    if not rows:
        raise Refusal(400, "no_rows", "there is no row")
    if len(rows) > most:
        raise Refusal(
            413,
            "too_many_rows",
            f"there are more than {most:,} rows",
            hint="send several requests, or use venire predict",
        )


_MOST_CELLS = 50_000_000  # of a request, gaps among them: names that differ in every row would fill the memory
