"""Delimited text (CSV, TSV, …) through DuckDB's reader with nothing left to its guesses.

Columns whose sample holds numbers are read as numbers, all others as text. When a later field does not fit, only its
column is read again as text. Rows the reader rejects for their shape become one error that names the line.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import duckdb
import numpy as np

from venire.data.columns.dates import looks_like_date
from venire.data.columns.missing import Missing
from venire.data.columns.names import near
from venire.data.columns.numbers import is_code, is_number
from venire.data.columns.raw import Facts, Source
from venire.data.readers.blocks import EndlessRecord, Signs, blocks
from venire.data.readers.duck import LEAN_MEMORY, DuckSource, FetchedSource, connect
from venire.data.readers.header import open_quote
from venire.data.readers.loading import Loading, Part
from venire.data.readers.plain_numbers import PlainNumbers
from venire.data.readers.sniff import Given, sniff
from venire.data.readers.staging import Plain, new_file, refuse_nul, transcoded, with_plain_line_ends
from venire.data.table import Note, Reading
from venire.errors import DataError


def read_delimited(
    files: Sequence[Plain],
    given: Given,
    missing: Missing,
    as_text: Collection[str] = (),
    database: Path | None = None,
) -> Source:
    """Read one file or several with the same columns into one source: in memory, or in a database."""
    parts = [_part(plain, given, missing) for plain in files]
    names = parts[0].dialect.names
    for part in parts[1:]:
        _require_same(names, part.dialect.names, parts[0].plain.shown, part.plain.shown)
    types = ["VARCHAR" if name in as_text else _first_type(name, parts, missing.everywhere) for name in names]
    connection = connect() if database is None else connect(database, LEAN_MEMORY)
    try:
        loading = Loading(connection, parts, types, missing.everywhere, given.comment, on_disk=database is not None)
        loading.run()
        rows = loading.rows()
        if rows == 0:
            raise DataError(
                "the file has a header but no rows",
                code="header_only",
                file=parts[0].plain.shown,
                hint="check how it was written",
            )
    except BaseException:
        connection.close()
        raise
    facts = _facts(parts, rows, missing)
    if loading.arrays is None:
        return DuckSource(connection, types, facts)
    connection.close()
    return FetchedSource(loading.arrays, facts)


def delimited_chunks(
    plain: Plain, given: Given, missing: Missing, as_text: Collection[str], block_bytes: int
) -> Iterator[Source]:
    """One file in sources of some rows each, in order. A column that once held a text is text from there on."""
    part = _part(plain, given, missing)
    dialect = part.dialect
    types = ["VARCHAR" if name in as_text else _first_type(name, [part], missing.everywhere) for name in dialect.names]
    signs, lines, encoding = Signs(dialect.delimiter, dialect.quote, dialect.escape), 0, part.plain.encoding
    plain_numbers = PlainNumbers(dialect, missing.everywhere, given.comment)
    database = connect()  # one for all blocks: to make one takes as long as to read some megabytes
    try:
        for data in blocks(part.plain.path, signs, block_bytes):
            done = 0
            if plain_numbers.apply and set(types) == {"DOUBLE"}:
                for arrays, done in plain_numbers.pieces(data, first=not lines):  # noqa: B007  # `done` is for what comes behind
                    rows = len(arrays["c0"])
                    lines += rows + (not lines) * (dialect.skip + dialect.header)
                    yield FetchedSource(arrays, _facts([part], rows, missing))
                data = data[done:]
            if not data:
                continue
            block = new_file(plain.folder, "block")
            block.write_bytes(data)
            here = replace(part.plain, path=block)
            refuse_nul(here)
            if encoding != part.plain.encoding:
                here = transcoded(here, encoding, guessed=True)
            first = dialect if not lines else replace(dialect, header=False, skip=0)
            one = Part(here, first)
            source = _read_chunk(database.cursor(), one, types, missing, given, lines)
            encoding, lines = one.plain.encoding, lines + _line_ends(data)
            for path in {block, here.path, one.plain.path}:
                path.unlink(missing_ok=True)
            if source is not None:
                yield source
    except EndlessRecord:
        raise open_quote(dialect.quote, plain.shown, lines + 1) from None
    finally:
        database.close()


def _line_ends(block: memoryview) -> int:
    return int((np.frombuffer(block, np.uint8) == ord("\n")).sum())


def _read_chunk(
    connection: duckdb.DuckDBPyConnection, part: Part, types: list[str], missing: Missing, given: Given, lines: int
) -> Source | None:
    """The rows of one block as a source, whose connection it is; None where there are only empty lines."""
    try:
        loading = Loading(connection, [part], types, missing.everywhere, given.comment)
        loading.run()
        rows = loading.rows()
    except DataError as error:
        connection.close()
        error.line = None if error.line is None else error.line + lines
        raise
    except BaseException:
        connection.close()
        raise
    facts = _facts([part], rows, missing)
    if rows and loading.arrays is None:
        return DuckSource(connection, list(types), facts)
    connection.close()
    return FetchedSource(loading.arrays, facts) if loading.arrays is not None and rows else None


def _part(plain: Plain, given: Given, missing: Missing) -> Part:
    part = Part(plain, sniff(plain.path, plain.shown, given, missing.everywhere))
    if any("\n" in name or "\r" in name for name in part.dialect.names) or _ends_differently(part):
        # DuckDB takes the first line end for that of the file, and finds no other where the header holds its own.
        plain = with_plain_line_ends(plain)
        part = Part(plain, sniff(plain.path, plain.shown, given, missing.everywhere))
    return _unaligned(part) if part.dialect.aligned else part


def _ends_differently(part: Part) -> bool:
    """Whether lines above the table end otherwise than it does, as when a title was put above by another program."""
    with part.plain.path.open("rb") as stream:
        ends = {line[-2:] == b"\r\n" for line in islice(stream, part.dialect.skip + 1)} if part.dialect.skip else set()
    return len(ends) > 1


def _first_type(name: str, parts: Sequence[Part], markers: Collection[str]) -> str:
    """DOUBLE when nothing in the samples speaks against it."""
    for part in parts:
        j = part.dialect.names.index(name)
        cells = [row[j] for row in part.dialect.rows if j < len(row)]
        present = [cell for cell in cells if cell not in markers]
        if is_code(present) or not all(is_number(cell, part.dialect.decimal) for cell in present):
            return "VARCHAR"
    return "DOUBLE"


def _require_same(first: tuple[str, ...], other: tuple[str, ...], first_file: str, other_file: str) -> None:
    absent = [name for name in first if name not in other]
    extra = [name for name in other if name not in first]
    if absent or extra:
        said = [f"lacks {absent[0]!r}"] if absent else []
        said += [f"has {extra[0]!r} besides"] if extra else []
        alike = near(absent[0], extra) if absent and extra else []
        raise DataError(
            f"its columns differ from those of {first_file}: it {' and '.join(said)}",
            code="different_headers",
            file=other_file,
            column=(absent or extra)[0],
            hint=f"is {alike[0]!r} the same column?" if alike else "files read together need the same columns",
        )


def _unaligned(part: Part) -> Part:
    """Write columns lined up with spaces as an ordinary delimited file."""
    plain, dialect = part.plain, part.dialect
    target = new_file(plain.folder, "unaligned")
    width = len(dialect.names)
    with plain.path.open(encoding="utf-8", newline="") as text, target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(dialect.names)
        lines = csv.reader(text, delimiter=" ", skipinitialspace=True, quotechar=dialect.quote or None)
        for record in lines:
            fields = [field for field in record if field != ""]
            if lines.line_num <= dialect.skip + dialect.header or not fields:
                continue
            if len(fields) != width:
                number = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
                raise DataError(
                    f"this row has {number} where the header has {width}",
                    code="ragged_row",
                    file=plain.shown,
                    line=lines.line_num,
                    hint="mend the row, or name the delimiter if it is not the space",
                )
            writer.writerow(fields)
    mended = replace(dialect, delimiter=",", quote='"', escape='"', header=True, skip=0)
    return Part(replace(plain, path=target), mended)


def _facts(parts: Sequence[Part], rows: int, missing: Missing) -> Facts:
    dialect, plain = parts[0].dialect, parts[0].plain
    notes: list[Note] = [note for part in parts for note in (*part.plain.notes, *part.dialect.notes)]
    sample = dialect.rows[0] if dialect.rows else ()
    reading = Reading(
        format="csv",
        files=tuple(part.plain.shown for part in parts),
        encoding=plain.encoding,
        delimiter=" " if dialect.aligned else dialect.delimiter,
        decimal=dialect.decimal,
        quote=dialect.quote,
        header=dialect.header,
        missing=missing.everywhere,
        missing_in_numbers=missing.in_numbers,
        missing_by_column=missing.listed,
    )
    return Facts(
        names=dialect.names,
        rows=rows,
        reading=reading,
        source=plain.shown if len(parts) == 1 else f"{plain.shown} and {len(parts) - 1} more",
        notes=tuple(notes),
        dates_expected=sum(looks_like_date(cell) for cell in sample),
    )
