"""A delimited file in blocks that end where a record ends, so that each can be read alone.

A line end inside of quotes ends no record. In text as it should be, quotes open and close in turn, and counting them is
enough; where one stands in the middle of a field (5" pipe) each is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 32 << 20  # enough for several threads of the reader, and little beside the memory of a laptop
MOST_BYTES = 256_000_000  # a record longer than this is none
_LINE_END, _RETURN, _SPACE = b"\n"[0], b"\r"[0], b" "[0]

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Signs:
    """What a file is written with."""

    delimiter: str
    quote: str
    escape: str


class EndlessRecord(Exception):
    """No record ends for as long as anybody would wait; a quote that is not closed, most likely."""


def blocks(path: Path, signs: Signs, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """The bytes of the file, in blocks of about this size with whole records in each."""
    rest = b""
    with path.open("rb") as stream:
        while piece := stream.read(size):
            data = rest + piece
            end = last_end(data, signs)
            if not end and len(data) > MOST_BYTES:
                raise EndlessRecord("no record ends")
            if end:
                yield data[:end]
            rest = data[end:]
    if rest:
        yield rest


def last_end(data: bytes, signs: Signs) -> int:
    r"""Where the last whole record ends; 0 if none does.

    >>> comma = Signs(",", '"', '"')
    >>> last_end(b'1,2\n3,"4\n', comma), last_end(b'1,2\n3,"4\n5"\n6', comma), last_end(b'5" pipe\n6', comma)
    (4, 12, 8)
    """
    if not signs.quote or signs.quote.encode() not in data:
        return data.rfind(b"\n") + 1
    turns = _turns(data, signs)
    ends = [0, *(turns + 1).tolist(), len(data)]  # outside of quotes: from an even place to the next
    if len(turns) % 2:  # open to the end
        ends.pop()
    for at in range(len(ends) - 2, -1, -2):
        found = data.rfind(b"\n", ends[at], ends[at + 1])
        if found >= 0:
            return found + 1
    return 0


def _turns(data: bytes, signs: Signs) -> Places:
    """The places of the quotes that open a field or close it, in turn."""
    signed = np.frombuffer(data, np.uint8)
    quote, mark = signs.quote.encode()[0], signs.delimiter.encode()[0]
    at = np.flatnonzero(signed == quote)
    if signs.escape != signs.quote:
        at = at[signed[np.maximum(at - 1, 0)] != signs.escape.encode()[0]]
    before = np.where(at > 0, signed[np.maximum(at - 1, 0)], _LINE_END)
    after = np.where(at + 1 < len(signed), signed[np.minimum(at + 1, len(signed) - 1)], _LINE_END)
    around = (mark, _LINE_END, _RETURN, _SPACE)
    opens, closes = np.isin(before, around), np.isin(after, around)
    if (opens | (before == quote))[::2].all() and (closes | (after == quote))[1::2].all():
        return at
    return _one_by_one(at, opens, signs.escape == signs.quote)


def _one_by_one(at: Places, opens: NDArray[np.bool_], doubled: bool) -> Places:
    """A quote opens a field at its beginning alone, and two in a row inside of one are a sign of its text."""
    turns: list[int] = []
    inside, skipped = False, -1
    for place, place_opens, following in zip(at.tolist(), opens.tolist(), [*at[1:].tolist(), -1], strict=True):
        if place == skipped:
            continue
        if inside and doubled and following == place + 1:
            skipped = following
        elif inside or place_opens:
            turns.append(place)
            inside = not inside
    return np.array(turns, dtype=np.intp)
