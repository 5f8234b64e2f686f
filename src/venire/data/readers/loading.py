"""Loading delimited files into DuckDB, or straight into arrays, however often that takes.

A field that does not fit its column's type makes it a column of texts, text that is not UTF-8 is transcoded, a line
that is longer than expected gets a larger buffer; then all is read again. A row of a wrong shape is an error that names
its line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from venire.advice import Advice, Option
from venire.data.readers import staging
from venire.data.readers.duck import said_by
from venire.data.readers.sniff import Dialect
from venire.data.readers.staging import Plain
from venire.errors import DataError

_LINE_BYTES = 2_000_000  # DuckDB's own limit; too low for some free text, so it is raised where that is needed
_MOST_LINE_BYTES = 256_000_000
_REJECTS = 10_000  # enough to see what is wrong; a column of a million words must not fill the memory
_PATIENCE = 3  # readings after which every doubtful column is read as text


@dataclass
class Part:
    """One file and how it is written."""

    plain: Plain  # another copy of it, once one had to be made
    dialect: Dialect


@dataclass(frozen=True)
class _Rejected:
    """One field or row DuckDB could not take."""

    kind: str
    position: int  # of the row's first byte
    column: int | None
    message: str

    @property
    def text(self) -> str:
        """The field that did not fit its type."""
        found = re.search(r'Could not convert string "(.*)" to ', self.message, re.DOTALL)
        return found[1] if found else ""

    @property
    def fields(self) -> int:
        """How many fields DuckDB had counted: it complains of every field too many, and of every one that lacks."""
        found = re.search(r"Found: (\d+)", self.message)
        return int(found[1]) if found else 0


class Loading:
    """Reads the parts, again and again until nothing is rejected or the reason is an error.

    One file of numbers alone goes straight into arrays, without a table in between; anything else into table `t`,
    which is the connection's own.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        parts: list[Part],
        types: list[str],
        markers: Sequence[str],
        comment: str | None,
        *,
        on_disk: bool = False,
    ) -> None:
        self.connection = connection
        self.on_disk = on_disk  # the connection's database: the table is to be in it
        self.parts = parts
        self.types = types  # changed in place: a column that does not fit becomes VARCHAR
        self.markers = frozenset(markers)
        self.met = {"", *_met(parts, self.markers)}  # each text DuckDB compares with costs time, so only these
        self.comment = comment
        # DuckDB loses a line that is longer than its buffer without a word, so the lines are measured first.
        self.line_bytes = max(staging.longest_line(part.plain.path, _LINE_BYTES) for part in parts)
        self.readings = 0
        self.arrays: dict[str, Any] | None = None

    def run(self) -> None:
        """Fill the arrays or the table."""
        while not self._read_all():
            self.readings += 1

    def rows(self) -> int:
        """How many rows were read."""
        if self.arrays is not None:
            return len(self.arrays["c0"])
        counted = self.connection.execute("SELECT count(*) FROM t").fetchone()
        return int(counted[0]) if counted else 0

    def _read_all(self) -> bool:
        self.arrays = None
        if len(self.parts) == 1 and set(self.types) == {"DOUBLE"} and not self.on_disk:
            return self._read(self.parts[0], "")
        columns = ", ".join(f"c{j} {kind}" for j, kind in enumerate(self.types))
        self.connection.execute(f"CREATE OR REPLACE {'' if self.on_disk else 'TEMP '}TABLE t ({columns})")
        return all(self._read(part, "INSERT INTO t BY NAME ") for part in self.parts)

    def _read(self, part: Part, into: str) -> bool:
        try:
            result = self.connection.execute(f"{into}SELECT * FROM {self._call(part)}", self._values(part))
            if not into:
                self.arrays = result.fetchnumpy()
        except duckdb.InvalidInputException as error:
            if "invalid state" not in str(error) or part.plain.path.suffix == ".lines":
                raise _unreadable(error, part) from None
            part.plain = staging.with_plain_line_ends(part.plain)
            return False
        except duckdb.Error as error:
            raise _unreadable(error, part) from None
        rejected = self._rejected()
        return not rejected or self._mend(part, rejected)

    def _call(self, part: Part) -> str:
        place = {name: j for j, name in enumerate(self.parts[0].dialect.names)}
        columns = ", ".join(f"'c{place[name]}': '{self.types[place[name]]}'" for name in part.dialect.names)
        comment = ", comment=$comment" if self.comment else ""
        return (
            f"read_csv($path, auto_detect=false, columns={{{columns}}}, delim=$delim, quote=$quote, escape=$escape, "
            f"header=$header, skip=$skip, nullstr=$markers, decimal_separator=$decimal, compression='none', "
            f"max_line_size=$line_bytes, buffer_size=$buffer_bytes, store_rejects=true, "
            f"rejects_limit={_REJECTS}{comment})"
        )

    def _values(self, part: Part) -> dict[str, Any]:
        dialect = part.dialect
        signs = {dialect.delimiter, dialect.quote, dialect.escape}
        values: dict[str, Any] = {
            "path": str(part.plain.path),
            "delim": dialect.delimiter,
            "quote": dialect.quote,
            "escape": dialect.escape,
            "header": dialect.header,
            "skip": dialect.skip,
            # DuckDB refuses markers that hold one of its signs; those are taken out of the texts later.
            "markers": sorted(text for text in self.met if not signs.intersection(text)),
            "decimal": dialect.decimal,
            "line_bytes": self.line_bytes,
            # Small buffers keep the memory near that of the arrays.
            "buffer_bytes": max(4 * _LINE_BYTES, self.line_bytes + _LINE_BYTES),
        }
        return values | ({"comment": self.comment} if self.comment else {})

    def _rejected(self) -> list[_Rejected]:
        found = self.connection.execute(
            "SELECT error_type, line_byte_position, column_name, error_message FROM reject_errors "
            "ORDER BY line_byte_position, error_message"
        ).fetchall()
        self.connection.execute("DROP TABLE reject_errors; DROP TABLE reject_scans")
        return [
            _Rejected(str(kind), int(position or 1) - 1, int(name[1:]) if name else None, str(message))
            for kind, position, name, message in found
        ]

    def _mend(self, part: Part, rejected: list[_Rejected]) -> bool:
        """Change what can be changed and say that the reading must be repeated; raise for the rest."""
        kinds = {reject.kind for reject in rejected}
        if "INVALID ENCODING" in kinds and part.plain.encoding == "utf-8":
            part.plain = staging.transcoded(part.plain, "cp1252", guessed=True)
        elif kinds == {"CAST"}:
            self._retype(rejected)
        elif self.line_bytes < (most := min(part.plain.path.stat().st_size, _MOST_LINE_BYTES)):
            self.line_bytes = most  # a quoted field may hold many lines; look once more before calling it misshapen
        else:
            raise _misshapen(part, rejected)
        return False

    def _retype(self, rejected: list[_Rejected]) -> None:
        """Markers met for the first time are added; any other text makes its column a column of texts."""
        patient = self.readings < _PATIENCE
        for reject in rejected:
            if patient and reject.text in self.markers and reject.text not in self.met:
                continue
            if reject.column is not None:
                self.types[reject.column] = "VARCHAR"
        self.met |= self.markers.intersection(reject.text for reject in rejected)
        if not patient:
            self.types[:] = ["VARCHAR"] * len(self.types)


def _met(parts: Sequence[Part], markers: Collection[str]) -> set[str]:
    return {cell for part in parts for row in part.dialect.rows for cell in row if cell in markers}


def _misshapen(part: Part, rejected: Sequence[_Rejected]) -> DataError:
    """The error for the first row with a wrong shape, given all that was rejected in the order of the file."""
    strange = [reject for reject in rejected if reject.kind != "CAST"]
    first = strange[0]
    line = staging.line_at(part.plain.path, first.position)
    least = "at least " if len(rejected) >= _REJECTS else ""  # the list is cut there
    others = len({reject.position for reject in strange}) - 1
    more = f" (and {least}{others} more such {'row' if others == 1 else 'rows'})" if others else ""
    if first.kind in ("MISSING COLUMNS", "TOO MANY COLUMNS"):
        counted = [
            reject.fields for reject in strange if (reject.position, reject.kind) == (first.position, first.kind)
        ]
        fields = min(counted) if first.kind == "MISSING COLUMNS" else max(counted)
        number = f"{'' if others else least}{fields} {'field' if fields == 1 else 'fields'}"
        return DataError(
            f"this row has {number} where the header has {len(part.dialect.names)}{more}",
            code="ragged_row",
            file=part.plain.shown,
            line=line,
            hint=f"mend the row, or name the delimiter if {part.dialect.delimiter!r} is not it",
        )
    if first.kind == "UNQUOTED VALUE":
        return DataError(
            f"a quote {part.dialect.quote} that opens in this row is not closed properly",
            code="unclosed_quote",
            file=part.plain.shown,
            line=line,
            hint=Advice(
                "close or double the quote; if the file does not quote fields at all, say ", Option("quote", "")
            ),
        )
    return DataError(
        f"this row cannot be read: {said_by(first.message)}",
        code="bad_row",
        file=part.plain.shown,
        line=line,
        hint="mend the row",
    )


def _unreadable(error: duckdb.Error, part: Part) -> DataError:
    return DataError(
        f"the file cannot be read as delimited text: {said_by(error)}",
        code="unreadable",
        file=part.plain.shown,
        hint="check the delimiter, the quotes and the line ends",
    )
