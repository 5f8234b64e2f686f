"""Columns on their way into a store, one after the other, each in the narrowest scalar that loses nothing."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.store.column import MISSING_CODE, MOST_CODES, STRETCH, Floats, Stretches
from venire.data.store.stored_matrix import StoredMatrix
from venire.disk.checksums import checksum
from venire.errors import DataError

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class ColumnWriter:
    """Takes the columns of a table of so many rows and writes each to a file of its own in the folder."""

    def __init__(self, folder: Path, rows: int) -> None:
        self._folder, self._rows = folder, rows
        self._written: list[Stretches] = []

    def append(self, column: Floats) -> None:
        """Write one more column."""
        scalar = scalar_of(column)
        path = self._folder / f"{len(self._written):05d}.{scalar[1:]}"
        sums = []
        with room_in(self._folder), path.open("xb") as file:
            for values in stretches(column):
                view = _kept(values, scalar).data.cast("B")
                file.write(view)
                sums.append(checksum(view))
        self._written.append(Stretches(path, scalar, self._rows, tuple(sums)))

    def values(self) -> StoredMatrix:
        """The matrix of all columns so far."""
        return StoredMatrix(tuple(self._written), self._rows)


def stretches(column: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """An array in the stretches that it is written in."""
    return (column[first : first + STRETCH] for first in range(0, len(column), STRETCH))


def scalar_of(column: Floats) -> str:
    """Bytes for whole numbers from 0 to 254, single precision where that loses nothing, else double.

    >>> [scalar_of(np.array(v)) for v in ([0.0, 254.0, np.nan], [-1.0, 0.5], [0.1])]
    ['|u1', '<f4', '<f8']
    """
    if all(map(_fits_bytes, stretches(column))):
        return "|u1"
    return "<f4" if all(map(_fits_single, stretches(column))) else "<f8"


def _fits_bytes(values: Floats) -> bool:
    there = values[~np.isnan(values)]
    low, high = there.min(initial=0.0), there.max(initial=0.0)
    return bool(low >= 0 and high < MOST_CODES and (there == np.floor(there)).all() and not np.signbit(there).any())


def _fits_single(values: Floats) -> bool:
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    return bool(((narrow == values) | np.isnan(values)).all())


def _kept(values: Floats, scalar: str) -> NDArray[Any]:
    if scalar == "|u1":
        return np.where(np.isnan(values), float(MISSING_CODE), values).astype(np.uint8)
    return np.ascontiguousarray(values, dtype=scalar)


@contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """A full disk, or one that may not be written to, as one error that says so."""
    try:
        yield
    except OSError as error:
        said = "there is no room for" if error.errno in _NO_ROOM else "the disk does not take"
        raise DataError(
            f"{said} a column store of the table ({error.strerror or error})",
            code="no_room",
            file=str(folder.parent),
            hint="make room there, or name another folder in the environment variable VENIRE_HOME",
        ) from None
