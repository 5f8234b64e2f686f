"""Parquet and JSON files: they carry types, DuckDB reads them; we only map its types to numbers, texts and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from venire.data.columns.missing import Missing
from venire.data.columns.raw import Facts
from venire.data.readers.duck import LEAN_MEMORY, DuckSource, connect, said_by
from venire.data.readers.oriented import MOST_OBJECT
from venire.data.table import Note, Reading
from venire.errors import DataError

_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|DOUBLE|FLOAT|REAL|DECIMAL.*")
_DATE = re.compile(r"DATE|TIMESTAMP(_NS|_MS|_S)?")


@dataclass(frozen=True)
class Stored:
    """A file on disk, the name the user knows it by, and what there is to say of it."""

    path: Path
    shown: str
    notes: tuple[Note, ...] = ()


# Without the threshold, an object of many values of one type is taken for a map, a single value.
_JSON = (
    f"read_json($paths, sample_size=-1, maximum_object_size={MOST_OBJECT}, union_by_name=true, format='auto', "
    "map_inference_threshold=-1)"
)
_CALLS = {"parquet": "read_parquet($paths)", "json": _JSON}


def read_parquet(files: Sequence[Stored], missing: Missing, database: Path | None = None) -> DuckSource:
    """Read one Parquet file or several with the same columns, column by column out of the files."""
    return _read(files, "parquet", missing, connect(database, LEAN_MEMORY) if database else connect(), as_view=True)


def read_json(files: Sequence[Stored], missing: Missing, database: Path | None = None) -> DuckSource:
    """Read JSON lines (or a JSON array of objects), in memory or into a database."""
    return _read(files, "json", missing, connect(database, LEAN_MEMORY) if database else connect(), as_view=True)


def in_slices(
    files: Sequence[Stored], form: str, missing: Missing, rows: int, folder: Path, memory: str
) -> Iterator[DuckSource]:
    """The same in sources of at most so many rows; the table lies in a database in the folder, and not in memory."""
    connection = connect(folder / "staged.duckdb", memory)
    whole = _read(files, form, missing, connection)
    try:
        total = whole.facts.rows
        for begin in range(0, total, rows):
            part = connection.cursor()  # a connection of its own, whose temporary table goes with it
            where = f"rowid >= {begin} AND rowid < {begin + rows}"
            part.execute(f"CREATE TEMP TABLE part AS SELECT * FROM t WHERE {where}")
            yield whole.part(part, "part", min(rows, total - begin))
    finally:
        whole.close()


def _read(
    files: Sequence[Stored],
    form: str,
    missing: Missing,
    connection: duckdb.DuckDBPyConnection,
    *,
    as_view: bool = False,
) -> DuckSource:
    def blamed(error: duckdb.Error) -> DataError:
        named = (file.shown for file in files if str(file.path) in str(error))
        return _unreadable(error, form, next(named, files[0].shown))

    call, paths = _CALLS[form], {"paths": [str(file.path) for file in files]}
    try:
        if form == "json":
            # To know the types, all of the text has to be read. Asked for them alone, DuckDB would read it once more.
            connection.execute(f"CREATE TABLE given AS SELECT * FROM {call}", paths)
            call, described = "given", [connection.execute("DESCRIBE given").fetchall()]
        else:
            described = [
                connection.execute(f"DESCRIBE SELECT * FROM {call}", {"paths": [str(file.path)]}).fetchall()
                for file in files
            ]
        names = [str(row[0]) for row in described[0]]
        _require_same(names, described, files)
        mapped = [_mapped(j, str(row[1])) for j, row in enumerate(described[0])]
        selected = ", ".join(expression for _, expression in mapped)
        aliases = ", ".join(f"c{j}" for j in range(len(names)))
        rows_of_all = f"SELECT {selected} FROM {call} AS t({aliases})"
        if as_view:
            listed = ", ".join("'" + str(file.path).replace("'", "''") + "'" for file in files)
            connection.execute(f"CREATE VIEW t AS {rows_of_all.replace('$paths', f'[{listed}]')}")
        else:
            connection.execute(f"CREATE TABLE t AS {rows_of_all}", None if call == "given" else paths)
            connection.execute("DROP TABLE IF EXISTS given")
        counted = connection.execute("SELECT count(*) FROM t").fetchone()
    except duckdb.Error as error:
        connection.close()
        raise blamed(error) from None
    except DataError:
        connection.close()
        raise
    rows = int(counted[0]) if counted else 0
    if rows == 0 or names == ["json"]:
        connection.close()
        raise _hollow(rows, files[0].shown)
    types = [kind for kind, _ in mapped]
    given = [str(row[1]) for row in described[0]]
    facts = _facts(files, form, names, rows, types, missing)
    return DuckSource(connection, types, facts, given, drops=not as_view, blamed=blamed if as_view else None)


def _mapped(j: int, kind: str) -> tuple[str, str]:
    """Our type for a DuckDB type, and the expression that gives it."""
    name = f"c{j}"
    if _NUMBER.fullmatch(kind):
        return "DOUBLE", f"{name}::DOUBLE AS {name}"
    if _DATE.fullmatch(kind):
        return "TIMESTAMP", f"{name}::TIMESTAMP AS {name}"
    if kind == "TIMESTAMP WITH TIME ZONE":  # a cast would need the ICU extension
        return "TIMESTAMP", f"make_timestamp(epoch_us({name})) AS {name}"
    if kind == "JSON":  # mixed types: a text comes without its quotes
        return "VARCHAR", f"json_extract_string({name}, '$') AS {name}"
    return "VARCHAR", f"{name}::VARCHAR AS {name}"


def _require_same(names: list[str], described: Sequence[Sequence[tuple[object, ...]]], files: Sequence[Stored]) -> None:
    for file, rows in zip(files, described, strict=False):
        other = [str(row[0]) for row in rows]
        if other == names:
            _require_same_types(described[0], rows, file, files[0])
        else:
            odd = next((name for name in [*names, *other] if (name in names) != (name in other)), other[0])
            raise DataError(
                f"its columns differ from those of {files[0].shown}, first in {odd!r}",
                code="different_headers",
                file=file.shown,
                column=odd,
                hint="files read together need the same columns in the same order",
            )


def _require_same_types(
    first: Sequence[tuple[object, ...]], rows: Sequence[tuple[object, ...]], file: Stored, before: Stored
) -> None:
    """Numbers of any width go together, and so do dates; numbers and texts do not."""
    for j, (one, other) in enumerate(zip(first, rows, strict=True)):
        kinds = str(one[1]), str(other[1])
        if _mapped(j, kinds[0])[0] != _mapped(j, kinds[1])[0] or (kinds[0] == "BOOLEAN") != (kinds[1] == "BOOLEAN"):
            raise DataError(
                f"column {one[0]!r} is {kinds[1]} here and {kinds[0]} in {before.shown}",
                code="different_types",
                file=file.shown,
                column=str(one[0]),
                hint="write the files with the same types",
            )


def _unreadable(error: duckdb.Error, form: str, shown: str) -> DataError:
    said = said_by(error)
    if form == "parquet":
        return DataError(
            f"the Parquet file is damaged or cut short ({said})",
            code="truncated_parquet",
            file=shown,
            hint="fetch or write it again",
        )
    if "recursion depth" in said:
        return DataError(
            "the file has objects and arrays in one another, deeper than any table",
            code="bad_json",
            file=shown,
            hint="every line must be one JSON object with the same keys",
        )
    line = re.search(r"in record/value (\d+)|line (\d+)", said)
    return DataError(
        f"the file is not valid JSON lines ({said})",
        code="bad_json",
        file=shown,
        line=int(line[1] or line[2]) if line else None,
        hint="every line must be one JSON object with the same keys",
    )


def _hollow(rows: int, shown: str) -> DataError:
    if rows == 0:
        return DataError("the file has no rows", code="header_only", file=shown, hint="check how it was written")
    return DataError(
        "the lines are not JSON objects", code="bad_json", file=shown, hint='write one object a line: {"a": 1}'
    )


def _facts(
    files: Sequence[Stored], form: str, names: list[str], rows: int, types: list[str], missing: Missing
) -> Facts:
    shown, unique = files[0].shown, []
    notes = [note for file in files for note in file.notes]
    for j, name in enumerate(names):
        if not name.strip():
            notes.append(Note("empty_name", f"column {j + 1} has no name; it was called 'column_{j + 1}'"))
            name = f"column_{j + 1}"
        unique.append(name)
    reading = Reading(
        format=form,
        files=tuple(file.shown for file in files),
        missing=missing.everywhere,
        missing_in_numbers=missing.in_numbers,
        missing_by_column=missing.listed,
    )
    source = shown if len(files) == 1 else f"{shown} and {len(files) - 1} more"
    return Facts(tuple(unique), rows, reading, source, tuple(notes), dates_expected=types.count("TIMESTAMP"))
