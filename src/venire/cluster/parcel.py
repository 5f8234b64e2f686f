"""A value in two parts: its large arrays, which fit one file that many processes map, and the rest, which is short.

The file has the name of what is in it. It holds nothing but the bytes of arrays; the rest is never written anywhere.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from venire.errors import VenireError

CHUNK = 16 * 2**20  # bytes of a message
_ALIGNED = 64  # bytes, as the fastest instructions like arrays to begin
_READ = 2**24


@dataclass(frozen=True)
class Label:
    """What is known of the arrays of a parcel before they are there."""

    digest: str
    size: int
    lengths: tuple[int, ...]  # bytes of each array


class Parcel:
    """A value that has been packed: a label, the short part, and the arrays where they are."""

    def __init__(self, value: Any) -> None:
        buffers: list[Any] = []  # as pickles of protocol 5 leave them out
        self.rest = bytes(_codec().dumps(value, protocol=5, buffer_callback=buffers.append))
        self._parts = [buffer.raw() for buffer in buffers]
        whole = hashlib.blake2b(digest_size=16)
        for part in self._pieces():
            whole.update(part)
        lengths = tuple(part.nbytes for part in self._parts)
        self.label = Label(whole.hexdigest(), sum(map(_padded, lengths)), lengths)
        self.key = hashlib.blake2b(self.rest + whole.digest(), digest_size=8).hexdigest()

    def _pieces(self) -> Iterator[memoryview]:
        for part in self._parts:
            yield part
            yield memoryview(bytes(_padded(part.nbytes) - part.nbytes))

    def chunk(self, start: int) -> bytes:
        """A message's worth of the file, from a place on."""
        found, at, end = bytearray(), 0, start + CHUNK
        for piece in self._pieces():
            if at < end and at + piece.nbytes > start:
                found += piece[max(0, start - at) : end - at]
            at += piece.nbytes
        return bytes(found)

    def write(self, path: Path) -> None:
        """The arrays as a file, which appears whole or not at all."""
        beside = path.with_suffix(f".{os.getpid()}-{os.urandom(4).hex()}.part")
        try:
            with open(beside, "wb") as file:
                for piece in self._pieces():
                    file.write(piece)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def whole(path: Path, label: Label) -> bool:
    """Whether a file is there, and is what its label says."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size != label.size:
                return False
            found = hashlib.blake2b(digest_size=16)
            while part := file.read(_READ):
                found.update(part)
    except OSError:
        return False
    return found.hexdigest() == label.digest


def opened(rest: bytes, label: Label, path: Path) -> Any:
    """The value again, its arrays those of the file: what is written to them stays in this process."""
    return _codec().loads(rest, buffers=_arrays(label, path))


def _codec() -> Any:
    """Dask's own way between its processes; it is there where a cluster is asked for."""
    return import_module("distributed.protocol.pickle")


def _arrays(label: Label, path: Path) -> Sequence[memoryview]:
    if not label.size:
        return [memoryview(bytearray()) for _ in label.lengths]
    try:
        with open(path, "rb") as file:
            mapped = memoryview(mmap.mmap(file.fileno(), label.size, access=mmap.ACCESS_COPY))
    except (OSError, ValueError) as error:
        raise VenireError(f"the table in {path} cannot be mapped: {error}", code="no_table") from error
    found, at = [], 0
    for length in label.lengths:
        found.append(mapped[at : at + length])
        at += _padded(length)
    return found


def _padded(length: int) -> int:
    return -(-length // _ALIGNED) * _ALIGNED
