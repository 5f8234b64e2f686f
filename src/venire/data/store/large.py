"""Files whose table does not fit into memory: read column by column into a store, or found in one from before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb

from venire.advice import Advice, Option
from venire.data.columns.matrix import Room
from venire.data.readers.duck import said_by
from venire.data.readers.files import resolve, unchanged
from venire.data.readers.sources import is_paths
from venire.data.store.column_writer import ColumnWriter
from venire.data.store.room import memory_for_a_table
from venire.data.store.sizes import matrix_bytes
from venire.data.store.stores import Shelf
from venire.data.table import Table
from venire.errors import DataError, UsageError


def beyond(source: Any, memory: float | None) -> float:
    """The bytes of a table of files that is not to be held in memory; 0 of any other."""
    if memory is not None and not (isinstance(memory, int | float) and memory >= 0):
        raise UsageError(
            f"memory must be a number of gigabytes, not {memory!r}", hint=Advice("such as ", Option("memory", 2))
        )
    if not is_paths(source):
        return 0.0
    needed = matrix_bytes(_files(source))
    return needed if needed > memory_for_a_table(memory) else 0.0


def kept_in_store(
    source: Any,
    how: str,
    needed: float,
    place: str | os.PathLike[str] | None,
    assembled: Callable[[Callable[[int, int], Room]], Table],
) -> Table:
    """The table of these files in a store, which is made if there is none of the same content, read in the same way."""
    files = _files(source)

    def read(folder: Path) -> Table:
        with unchanged(files):
            try:
                return assembled(lambda rows, _: ColumnWriter(folder, rows))
            except duckdb.Error as error:
                raise DataError(
                    f"the table cannot be read to its end ({said_by(error)})",
                    code="unreadable",
                    file=str(files[0]),
                    hint="see that nobody writes to the files, and that the temporary folder (TMPDIR) has room",
                ) from None

    return Shelf.below(place).table(files, how, needed, read)


def _files(source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    return resolve(source)
