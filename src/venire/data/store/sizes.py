"""How much memory the matrix of some files would take, from a look at them that costs next to nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from venire.data.readers.duck import connect
from venire.data.readers.files import identify
from venire.data.readers.pipes import is_pipe

_NUMBER = 8  # bytes
_PACKED = 4  # a text file unpacks to so many times its size, about


def matrix_bytes(paths: Sequence[Path]) -> float:
    """Bytes of the matrix: of Parquet by its own account, of text its size: a number takes about eight signs.

    0 where nothing can be said: of a pipe, of a file that is not there.
    """
    return float(sum(map(_bytes_of, paths)))


def _bytes_of(path: Path) -> float:
    if is_pipe(path) or not path.is_file() or not (size := path.stat().st_size):
        return 0.0
    what = identify(path, str(path))
    if what == "parquet":
        return _NUMBER * _values_of(path)
    return float(size * (_PACKED if what in ("gzip", "zstd") else 1))


def _values_of(path: Path) -> float:
    """Rows times columns; 0 of a damaged file, which reading will name."""
    with connect() as connection:
        try:
            given = {"path": str(path)}
            rows = connection.execute("SELECT num_rows FROM parquet_file_metadata($path)", given).fetchone()
            described = connection.execute("DESCRIBE SELECT * FROM read_parquet($path)", given).fetchall()
        except duckdb.Error:
            return 0.0
    return float(rows[0]) * len(described) if rows else 0.0
