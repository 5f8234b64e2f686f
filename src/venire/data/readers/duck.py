"""Columns out of a DuckDB table, handed over one by one so that no second copy of the table ever stands in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from venire.data.columns.glance import Look
from venire.data.columns.missing import Missing
from venire.data.columns.raw import Dates, Facts, Numbers, Raw, Seldom, Texts, encode_texts
from venire.errors import DataError

_BATCH_CELLS = 2_000_000  # so many are fetched at a time: ten thousand short columns need few queries
_ENUM_ROWS = 100_000  # from here on DuckDB numbers the texts, unless there are too many different ones
_ENUM_LEVELS = 10_000
LEAN_MEMORY = "2GB"  # of a database on disk that holds what memory does not
_LONGEST_SAID = 200  # characters of an error that is not our own
_NUMPY = {
    "TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64", "HUGEINT": "int64",
    "UTINYINT": "uint8", "USMALLINT": "uint16", "UINTEGER": "uint32", "UBIGINT": "uint64", "FLOAT": "float32",
}  # fmt: skip


def connect(path: Path | None = None, memory: str | None = None) -> duckdb.DuckDBPyConnection:
    """A database that never reaches for the network to install an extension: in memory, or in a file.

    `memory` is the most that it may take, such as "512MB"; by default most of what the machine has.
    """
    limits = {} if memory is None else {"memory_limit": memory}
    return duckdb.connect(path or ":memory:", config={"autoinstall_known_extensions": "false", **limits})


def said_by(error: Exception | str) -> str:
    """The gist of a DuckDB error: its first line without the kind of error in front."""
    first = (str(error).splitlines() or [type(error).__name__])[0]
    said = re.sub(r"^[A-Z]\w*( \w+)* Error: ", "", first).rstrip(". ")
    said = re.sub(r" in file \"[^\"]*\"", "", said)  # which file it is stands beside it
    return said if len(said) <= _LONGEST_SAID else f"{said[:_LONGEST_SAID]}…"


class DuckSource:
    """A DuckDB table (`t`) with columns c0, c1, … of type DOUBLE, VARCHAR or TIMESTAMP; `given` has a file's own types.

    Its own column names keep every header safe: DuckDB's are blind to case.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        types: list[str],
        facts: Facts,
        given: Sequence[str] = (),
        table: str = "t",
        *,
        drops: bool = True,
        blamed: Callable[[duckdb.Error], DataError] | None = None,
    ) -> None:
        self._connection = connection
        self._table = table
        self._blamed = blamed  # of a view: what an error of DuckDB means
        self._drops = drops  # what was handed out; nothing of a view, which holds no rows
        self._types = types
        self._facts = facts
        self._given = given
        self._place = {name: j for j, name in enumerate(facts.names)}
        self._ready: dict[int, Raw] = {}
        self._looked_at: tuple[int, list[str]] = (-1, [])
        self._left = set(range(len(types)))

    @property
    def facts(self) -> Facts:
        """Names, rows and how it was read."""
        return self._facts

    def column(self, name: str) -> Raw:
        """The values of one column; it is dropped from DuckDB's table."""
        j = self._place[name]
        if j not in self._ready:
            with self._asked():
                self._fetch(j)
        return self._ready.pop(j)

    def glance(self, name: str, missing: Missing) -> Seldom | Dates | None:
        """Texts that all are points in time, or that hardly repeat, if there are very many."""
        j = self._place[name]
        if j not in self._left or not self._numbered(j):
            return None
        with self._asked():
            if not self._many_levels(j):
                return None
            look = Look(self._connection, self._table, f"c{j}", name, missing)
            moments = look.moments()
            counts = look.hardly_repeats() if moments is None else None
        if moments is not None:
            self.release(name)
            return Dates(moments)
        return None if counts is None else Seldom(self._facts.rows, *counts, lambda: self._texts_of(j))

    def release(self, name: str) -> None:
        """Let go of a column."""
        self._let_go([self._place[name]])

    def part(self, connection: duckdb.DuckDBPyConnection, table: str, rows: int) -> DuckSource:
        """A source like this one over another table, which has some of its rows."""
        return DuckSource(connection, self._types, replace(self._facts, rows=rows), self._given, table)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """What is wrong with a file may only be met when a column is fetched."""
        try:
            yield
        except duckdb.Error as error:
            if self._blamed is None:
                raise
            raise self._blamed(error) from None

    def close(self) -> None:
        """Drop the table."""
        self._ready.clear()
        self._connection.close()

    def _fetch(self, j: int) -> None:
        alone = self._numbered(j)
        wanted = [j] if alone else self._batch(j)
        texts = self._by_enum(j) if alone else None
        if texts is not None:
            self._ready[j] = texts
        else:
            arrays = self._select(wanted)
            for k in wanted:
                self._ready[k] = self._raw(k, arrays.pop(f"c{k}"))
        self._let_go(wanted)

    def _let_go(self, columns: list[int]) -> None:
        self._left.difference_update(columns)
        if self._drops and self._left and self._facts.rows >= _ENUM_ROWS:
            for k in columns:
                self._connection.execute(f"ALTER TABLE {self._table} DROP COLUMN c{k}")

    def _texts_of(self, j: int) -> Texts:
        """The texts of a column, which is let go."""
        found = self.column(self._facts.names[j])
        assert isinstance(found, Texts)
        return found

    def _batch(self, j: int) -> list[int]:
        """This column and those after it that are small enough to come along."""
        most = max(1, _BATCH_CELLS // max(self._facts.rows, 1))
        return [k for k in range(j, len(self._types)) if k in self._left and not self._numbered(k)][:most]

    def _numbered(self, j: int) -> bool:
        """May DuckDB number the texts of this column?"""
        return self._types[j] == "VARCHAR" and self._facts.rows >= _ENUM_ROWS

    def _select(self, columns: list[int]) -> dict[str, Any]:
        names = ", ".join(f"c{k}" for k in columns)
        fetched: dict[str, Any] = self._connection.execute(f"SELECT {names} FROM {self._table}").fetchnumpy()
        return fetched

    def _raw(self, k: int, array: Any) -> Raw:
        if self._types[k] == "VARCHAR":
            return self._texts(k, array)
        if self._types[k] == "TIMESTAMP":
            return Dates(_filled(array, np.datetime64("NaT", "us")))
        return Numbers(_filled(array, np.nan), _NUMPY.get(self._given[k], "float64") if self._given else "")

    def _texts(self, k: int, array: Any) -> Texts:
        values = _filled(array, None)
        return self._typed(k, encode_texts(values.tolist(), len(values)))

    def _typed(self, k: int, texts: Texts) -> Texts:
        """Texts that know what the file calls them."""
        truth = bool(self._given) and self._given[k] == "BOOLEAN"
        return replace(texts, typed=bool(self._given), meant={"false": False, "true": True} if truth else {})

    def _many_levels(self, j: int) -> bool:
        return len(self._some_levels(j)) > _ENUM_LEVELS

    def _some_levels(self, j: int) -> list[str]:
        """The different texts of a column, at most one more than DuckDB may number; those asked for last are kept."""
        if self._looked_at[0] != j:
            query = f"SELECT DISTINCT c{j} FROM {self._table} WHERE c{j} IS NOT NULL LIMIT {_ENUM_LEVELS + 1}"
            self._looked_at = j, sorted(level for (level,) in self._connection.execute(query).fetchall())
        return self._looked_at[1]

    def _by_enum(self, j: int) -> Texts | None:
        """Let DuckDB number the texts, in parallel and without making a Python object of every field."""
        levels = self._some_levels(j)
        if not 0 < len(levels) <= _ENUM_LEVELS:
            return None
        listed = ", ".join("'" + level.replace("'", "''") + "'" for level in levels)
        self._connection.execute(f"CREATE TYPE levels AS ENUM ({listed})")
        query = f"SELECT enum_code(c{j}::levels)::INTEGER AS k FROM {self._table}"
        fetched = self._connection.execute(query).fetchnumpy()
        self._connection.execute("DROP TYPE levels")
        return self._typed(j, Texts(_filled(fetched["k"], -1), tuple(levels)))


class FetchedSource:
    """Columns of numbers that DuckDB has handed over already; each is let go when it is asked for."""

    def __init__(self, arrays: dict[str, Any], facts: Facts) -> None:
        self._arrays = arrays
        self._facts = facts
        self._place = {name: f"c{j}" for j, name in enumerate(facts.names)}

    @property
    def facts(self) -> Facts:
        """Names, rows and how it was read."""
        return self._facts

    def column(self, name: str) -> Raw:
        """The values of one column."""
        return Numbers(_filled(self._arrays.pop(self._place[name]), np.nan))

    def close(self) -> None:
        """Let go of what is left."""
        self._arrays.clear()


def _filled(array: Any, value: Any) -> NDArray[Any]:
    """DuckDB gives a masked array when there are NULLs."""
    if isinstance(array, np.ma.MaskedArray):
        return np.asarray(array.filled(value))
    return np.asarray(array)
