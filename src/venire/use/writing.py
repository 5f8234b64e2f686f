"""Tables of results, written part by part to a file that appears whole.

Text is written as it comes, numbers and class labels by the compiled core and everything else by a database; other
formats go through a database on disk. Memory does not grow with the rows, a format that
needs to know all of them first gets them, and whatever goes wrong leaves neither half a file nor a changed one. Without
a file, every part goes to the output at once, as CSV.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import duckdb
from numpy.typing import NDArray

from venire.data.readers.duck import connect, said_by
from venire.data.rows_as_text import Coded, rows_as_text
from venire.disk.scratch import scratch_folder
from venire.errors import UsageError, VenireError
from venire.use.formats import Format
from venire.use.text_fields import DELIMITERS, FORMULA, guarded, header_of, plain_columns
from venire.use.workbooks import MOST_ROWS, write_workbook

_MEMORY = "256MB"
_SIGNS = ", ".join(f"chr({ord(sign)})" for sign in FORMULA)
_FETCHED = 10_000
_COPY = {
    **{form: f"FORMAT csv, HEADER {{header}}, DELIMITER '{sign}'" for form, sign in DELIMITERS.items()},
    "jsonl": "FORMAT json",
    "json": "FORMAT json, ARRAY true",
    "parquet": "FORMAT parquet",
}
_IN_PIECES = ("csv", "tsv", "jsonl")

Columns = Mapping[str, NDArray[Any] | Coded]


def distinct(names: Sequence[str]) -> list[str]:
    """The names, a number added to those that differ from an earlier one in nothing but the case of letters.

    >>> distinct(["a", "A", "b"])
    ['a', 'A_2', 'b']
    """
    found: list[str] = []
    for name in names:
        taken, at, free = {each.casefold() for each in found}, 2, name
        while free.casefold() in taken:
            free, at = f"{name}_{at}", at + 1
        found.append(free)
    return found


class TableWriter:
    """Takes a table part by part; `with` puts the file in its place in the end, unless something went wrong."""

    def __init__(self, goal: Path | None, form: Format, output: BinaryIO | None = None) -> None:
        self.rows = 0
        self.names: list[str] = []
        self._goal = goal
        self._form = form
        self._output = output
        # Text that is not packed is written once, piece by piece; all else needs every row before the first is written.
        self._in_pieces = goal is None or (form.form in _IN_PIECES and not form.packed)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._folder = self._stack.enter_context(scratch_folder())
        base = None if self._in_pieces else self._folder / "results.duckdb"
        self._base = self._stack.enter_context(connect(base, _MEMORY))
        self._base.execute("SET pandas_analyze_sample = 0")  # an array of objects has texts
        if self._in_pieces and self._goal is not None:
            self._output = self._stack.enter_context((self._folder / "results").open("wb"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            if kind is None and self._goal is not None:
                self._put_in_place(self._goal)

    def add(self, columns: Columns) -> None:
        """Some more rows: an array a column, in the order of the first part. Texts come as arrays of objects."""
        first = not self.names
        if first:
            self.names = distinct(list(columns))
        one = next(iter(columns.values()))
        self.rows += len(one.codes if isinstance(one, Coded) else one)
        if self._form.form == "xlsx" and self.rows > MOST_ROWS:
            raise UsageError(
                f"a workbook holds {MOST_ROWS:,} rows, and there are more",
                code="too_many_rows",
                file=str(self._goal),
                hint="write .parquet or .csv",
            )
        if self._output is not None and (plain := plain_columns(columns, self._form.form)) is not None:
            with self._pouring() as output:
                if first:
                    output.write(header_of(self.names, self._form.form))
                for text in rows_as_text(plain, DELIMITERS[self._form.form]):
                    output.write(text)
        else:
            self._through_database(columns, first)

    def _through_database(self, columns: Columns, first: bool) -> None:
        arrays = (values.array() if isinstance(values, Coded) else values for values in columns.values())
        part = {f"c{j}": values for j, values in enumerate(arrays)}
        self._base.register("part", part)
        taken = ", ".join(f"{c}::VARCHAR AS {c}" if values.dtype.kind == "O" else c for c, values in part.items())
        with self._saying_why():
            if self._output is None:
                into = "CREATE TABLE results AS" if first else "INSERT INTO results"
                self._base.execute(f"{into} SELECT {taken} FROM part")
            else:
                self._copy(self._folder / "piece", f"(SELECT {taken} FROM part)", header=first)
        self._base.unregister("part")
        if self._output is not None:
            with self._pouring() as output, (self._folder / "piece").open("rb") as stream:
                shutil.copyfileobj(stream, output)

    @contextmanager
    def _pouring(self) -> Iterator[BinaryIO]:
        """Where text goes. That a file cannot be written is said; what a closed pipe means, the caller knows."""
        assert self._output is not None
        with self._saying_why() if self._goal is not None else nullcontext():
            yield self._output
            self._output.flush()

    @contextmanager
    def _saying_why(self) -> Iterator[None]:
        """One error that says why the results cannot be written."""
        try:
            yield
        except (duckdb.Error, OSError) as error:
            what = error.strerror or str(error) if isinstance(error, OSError) else said_by(error)
            raise VenireError(
                f"the results cannot be written: {what}",
                code="cannot_write",
                file=None if self._goal is None else str(self._goal),
                hint="make room, or choose another place",
            ) from error

    def _put_in_place(self, goal: Path) -> None:
        """The rows in a file beside the goal, which then gets its name."""
        beside = goal.parent / f".{goal.name}.{os.getpid()}.part"
        try:
            with self._saying_why():
                if self._in_pieces:
                    shutil.copyfile(self._folder / "results", beside)
                elif self._form.form == "xlsx":
                    self._base.execute("SELECT * FROM results")
                    write_workbook(beside, self.names, iter(lambda: self._base.fetchmany(_FETCHED), []))
                else:
                    self._copy(beside, "results", header=True)
                os.replace(beside, goal)
        finally:
            with suppress(FileNotFoundError):
                beside.unlink()

    def _copy(self, path: Path, rows: str, *, header: bool) -> None:
        kinds = self._base.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
        spreadsheet = self._form.opens_in_spreadsheets
        taken = []
        for (column, kind, *_), name in zip(kinds, self.names, strict=True):
            shown = guarded(name) if spreadsheet else name
            value = _guarded_text(column) if spreadsheet and kind == "VARCHAR" else column
            taken.append(f'{value} AS "{shown.replace(chr(34), chr(34) * 2)}"')
        packed = f", COMPRESSION {self._form.packed}" if self._form.packed else ""
        how = _COPY[self._form.form].format(header=str(header).lower())
        goal = str(path).replace("'", "''")
        self._base.execute(f"COPY (SELECT {', '.join(taken)} FROM {rows}) TO '{goal}' ({how}{packed})")


def _guarded_text(column: str) -> str:
    """`guarded`, for DuckDB."""
    risky = f"left({column}, 1) IN ({_SIGNS}) AND TRY_CAST({column} AS DOUBLE) IS NULL"
    return f"CASE WHEN {risky} THEN chr(39) || {column} ELSE {column} END"
