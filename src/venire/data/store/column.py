"""One column of a store: a file of bytes (codes, of which 255 is missing) or of numbers in single or double precision.

It is read in stretches of `STRETCH` values, each with a checksum: what a disk made of it is found out when it is read,
and a file that became shorter is an error, where a memory map would end the process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.disk.checksums import checksum
from venire.errors import DataError

STRETCH = 1 << 18  # values: a megabyte of single precision
MISSING_CODE = 255
MOST_CODES = 255  # so many categories fit into a byte beside the missing one

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Stretches:
    """A column as it is in its file."""

    path: Path
    scalar: str  # numpy's: |u1, <f4 or <f8
    rows: int
    sums: tuple[int, ...]  # the checksum of every stretch

    @property
    def bytes(self) -> int:
        """The size of the file."""
        return self.rows * np.dtype(self.scalar).itemsize

    def raw(self) -> Iterator[tuple[int, NDArray[Any]]]:
        """Every stretch with the number of its first row, as it is kept."""
        with self._opened() as file:
            for at in range(len(self.sums)):
                yield at * STRETCH, self._stretch(file, at)

    def numbers(self) -> Iterator[tuple[int, Floats]]:
        """The same as numbers of double precision, missing ones as NaN."""
        return ((first, numbers_of(values)) for first, values in self.raw())

    def whole(self) -> Floats:
        """The whole column."""
        out = np.empty(self.rows)
        for first, values in self.numbers():
            out[first : first + len(values)] = values
        return out

    def between(self, begin: int, end: int) -> Floats:
        """Rows begin … end − 1."""
        out = np.empty(max(0, end - begin))
        if not len(out):
            return out
        with self._opened() as file:
            for at in range(begin // STRETCH, (end - 1) // STRETCH + 1):
                first = at * STRETCH
                low, high = max(begin, first), min(end, first + STRETCH)
                out[low - begin : high - begin] = numbers_of(self._stretch(file, at)[low - first : high - first])
        return out

    def at(self, rows: Rows) -> Floats:
        """Some rows, in any order; only the stretches they are in are read."""
        if len(rows) > 1 and not bool((rows[1:] >= rows[:-1]).all()):
            order = np.argsort(rows, kind="stable")
            out = np.empty(len(rows))
            out[order] = self.at(rows[order])
            return out
        out = np.empty(len(rows))
        ends = np.searchsorted(rows, np.arange(1, len(self.sums) + 1) * STRETCH)
        begin = 0
        with self._opened() as file:
            for at, end in enumerate(ends.tolist()):
                if end > begin:
                    out[begin:end] = numbers_of(self._stretch(file, at)[rows[begin:end] - at * STRETCH])
                begin = end
        return out

    def _opened(self) -> Any:
        try:
            file = self.path.open("rb", buffering=0)
        except OSError as error:
            raise damaged(self.path, error.strerror or str(error)) from None
        if os.fstat(file.fileno()).st_size != self.bytes:
            file.close()
            raise damaged(self.path, "it has another size than it was written with")
        return file

    def _stretch(self, file: Any, at: int) -> NDArray[Any]:
        kind = np.dtype(self.scalar)
        values = np.empty(min(STRETCH, self.rows - at * STRETCH), kind)
        file.seek(at * STRETCH * kind.itemsize)
        view, got = values.data.cast("B"), 0
        while got < len(view) and (more := file.readinto(view[got:])):
            got += more
        if got < len(view) or checksum(view) != self.sums[at]:
            raise damaged(self.path, f"values {at * STRETCH:,} and on are not what was written")
        return values


def numbers_of(values: NDArray[Any]) -> Floats:
    """Kept values as numbers of double precision.

    >>> numbers_of(np.array([0, 3, 255], dtype=np.uint8))
    array([ 0.,  3., nan])
    """
    found = values.astype(np.float64)
    if values.dtype == np.uint8:
        found[values == MISSING_CODE] = np.nan
    return found


def damaged(path: Path, why: str) -> DataError:
    """The error of a store that is not what was written."""
    return DataError(
        f"this file of a column store is damaged ({why})",
        code="damaged_store",
        file=str(path),
        hint=f"delete the folder {str(path.parent)!r}: it is made again from your files, and no evidence is lost",
    )
