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


def blocks(path: Path, signs: Signs, size: int = BLOCK_BYTES) -> Iterator[memoryview]:
    """The bytes of the file, in blocks of about this size with whole records in each.

    A block is good until the next is asked for, which is read into the same memory.
    """
    room, used = bytearray(min(size, path.stat().st_size + 1)), 0  # one more shows that the file ends
    with path.open("rb", buffering=0) as stream:
        while read := stream.readinto(memoryview(room)[used:]):
            used += read
            end = last_end(room, signs, used)
            if not end and used > MOST_BYTES:
                raise EndlessRecord("no record ends")
            if end:
                yield memoryview(room)[:end]
                room[: used - end] = room[end:used]
                used -= end
            if used == len(room):
                room = room + bytearray(size)
    if used:
        yield memoryview(room)[:used]


def last_end(data: bytes | bytearray, signs: Signs, size: int | None = None) -> int:
    r"""Where the last whole record of these bytes ends, or of the first `size` of them; 0 if none does.

    >>> comma = Signs(",", '"', '"')
    >>> last_end(b'1,2\n3,"4\n', comma), last_end(b'1,2\n3,"4\n5"\n6', comma), last_end(b'5" pipe\n6', comma)
    (4, 12, 8)
    """
    used = len(data) if size is None else size
    if not signs.quote or data.find(signs.quote.encode(), 0, used) < 0:
        return data.rfind(b"\n", 0, used) + 1
    turns = _turns(np.frombuffer(data, np.uint8, used), signs)
    ends = [0, *(turns + 1).tolist(), used]  # outside of quotes: from an even place to the next
    if len(turns) % 2:  # open to the end
        ends.pop()
    for at in range(len(ends) - 2, -1, -2):
        found = data.rfind(b"\n", ends[at], ends[at + 1])
        if found >= 0:
            return found + 1
    return 0


def _turns(signed: NDArray[np.uint8], signs: Signs) -> Places:
    """The places of the quotes that open a field or close it, in turn."""
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
