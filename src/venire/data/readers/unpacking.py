"""Unpacking gzip and zstd files, within a limit: a few megabytes can unpack to any number of gigabytes."""

from __future__ import annotations

import gzip
import mmap
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import BinaryIO

import duckdb

from venire.advice import Advice, Option
from venire.data.readers.duck import connect, said_by
from venire.data.readers.staging import new_file
from venire.errors import DataError, UsageError

GIGABYTE = 1_000_000_000
ALWAYS_ALLOWED = GIGABYTE  # bytes any file may unpack to …
USUAL_RATIO = 100  # … and so many times its own size, which tables hardly reach and a bomb exceeds tenfold
_CHUNK = 1 << 22
_LINES = 2048  # fetched at a time: they may be long


@dataclass(frozen=True)
class Limit:
    """How large a packed file may become."""

    gigabytes: float | None = None  # None: the usual

    def __post_init__(self) -> None:
        given = self.gigabytes
        if given is not None and not (isinstance(given, Real) and given > 0):
            raise UsageError(
                f"max_unpacked must be a number of gigabytes above 0, not {given!r}",
                hint=Advice("such as ", Option("max_unpacked", 8)),
            )

    def of(self, path: Path) -> int:
        """In bytes, for this file."""
        if self.gigabytes is not None:
            return int(self.gigabytes * GIGABYTE)
        return max(ALWAYS_ALLOWED, USUAL_RATIO * path.stat().st_size)

    def exceeded(self, path: Path, shown: str) -> DataError:
        """The error of a file that becomes larger."""
        packed, most = path.stat().st_size, self.of(path) / GIGABYTE
        return DataError(
            f"this file of {packed / 1e6:.2g} MB unpacks to more than {most:.3g} GB, the limit for its size",
            code="unpacks_too_large",
            file=shown,
            hint=Advice(
                "if it is meant to be that large, raise the limit (in GB) with ",
                Option("max_unpacked"),
                ", or unpack it yourself",
            ),
        )


def decompress(path: Path, how: str, folder: Path, shown: str, limit: Limit) -> Path:
    """Unpack a gzip or zstd file into the folder."""
    target = new_file(folder, "unpacked")
    most, written = limit.of(path), 0
    try:
        with target.open("wb") as plain:
            for piece in _pieces(path, how):
                written += len(piece)
                if written > most:
                    raise limit.exceeded(path, shown)
                plain.write(piece)
    except (EOFError, zlib.error, gzip.BadGzipFile, duckdb.Error, _Damaged) as error:
        raise DataError(
            f"the {how} file is damaged or cut short ({said_by(error)})",
            code="truncated_file",
            file=shown,
            hint="fetch or write it again",
        ) from None
    return target


class _Damaged(Exception):
    """What a zstd file holds is no zstd."""


def _pieces(path: Path, how: str) -> Iterator[bytes]:
    if how == "gzip":
        with gzip.open(path, "rb") as packed:
            yield from _chunks(packed)
    else:
        _require_whole_zstd(path)
        yield from _zstd_pieces(path)


def _chunks(stream: BinaryIO | gzip.GzipFile) -> Iterable[bytes]:
    while piece := stream.read(_CHUNK):
        yield piece


def _zstd_pieces(path: Path) -> Iterator[bytes]:
    """Python has zstd from 3.14 on; before, DuckDB's CSV reader unpacks the lines for us."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]  # only in Python >= 3.14
    except ImportError:
        yield from _lines_by_duckdb(path)
        return
    try:
        with zstd.open(path, "rb") as packed:
            yield from _chunks(packed)
    except zstd.ZstdError as error:
        raise _Damaged(str(error)) from None


def _lines_by_duckdb(path: Path) -> Iterator[bytes]:
    with connect() as connection:
        lines = connection.execute(
            "SELECT line FROM read_csv($path, auto_detect=false, header=false, delim='\x1f', quote='', "
            "escape='', nullstr='\x1e', columns={'line': 'VARCHAR'}, compression='zstd', max_line_size=32000000, "
            "buffer_size=64000000)",
            {"path": str(path)},
        )
        while batch := lines.fetchmany(_LINES):
            yield "".join(f"{line or ''}\n" for (line,) in batch).encode()


def _require_whole_zstd(path: Path) -> None:
    """Walk over the blocks of every frame: DuckDB takes a file that is cut short for a shorter one.

    A frame is a magic number, a header, blocks (three bytes: last?, type, size) and perhaps a checksum (RFC 8878).
    """
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        position = 0
        while position < len(data):
            position = _after_frame(data, position)
        if position != len(data):
            raise _Damaged("it ends in the middle of a block")


def _after_frame(data: mmap.mmap, start: int) -> int:
    magic = int.from_bytes(data[start : start + 4], "little")
    if magic & 0xFFFFFFF0 == 0x184D2A50:  # a frame to be skipped carries its length
        return start + 8 + int.from_bytes(data[start + 4 : start + 8], "little")
    if magic != 0xFD2FB528 or start + 5 > len(data):
        raise _Damaged("it holds something that is not zstd")
    descriptor = data[start + 4]
    single = descriptor >> 5 & 1
    size = (single, 2, 4, 8)[descriptor >> 6]
    position = start + 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + size
    last = False
    while not last:
        block = int.from_bytes(data[position : position + 3], "little")
        if position + 3 > len(data):
            raise _Damaged("it ends in the middle of a frame")
        last, kind = bool(block & 1), block >> 1 & 3
        position += 3 + (1 if kind == 1 else block >> 3)  # kind 1 repeats a single byte
    return position + 4 * (descriptor >> 2 & 1)
