"""Blocks of a delimited file that hold nothing but plain numbers: read by the compiled core, without a database.

It refuses what is not plain, and the general way then reads the block: both give the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from venire._core import numbers_of
from venire.data.columns.numbers import is_number
from venire.data.readers.sniff import Dialect
from venire.threads import processors

PIECE_BYTES = 8 << 20  # what is made of it stays in the caches on its way through a model
_LOOK = 1 << 16
_DELIMITERS = ",;\t|"
_QUOTES = ("", '"', "'")


class PlainNumbers:
    """Reads blocks of a file that is written in this way, as long as there is a chance that they are plain.

    `markers` mean missing. A marker that is a number itself, a decimal comma, comments and names of several lines are
    left to the general way.
    """

    def __init__(self, dialect: Dialect, markers: Sequence[str], comment: str | None) -> None:
        signs = {dialect.delimiter, dialect.quote}
        self._markers = [text for text in markers if not signs.intersection(text)]
        self._dialect = dialect
        self.apply = (
            dialect.delimiter in _DELIMITERS
            and dialect.quote in _QUOTES
            and dialect.decimal == "."
            and comment is None
            and not any(map(is_number, markers))
            and not any("\n" in name for name in dialect.names)
        )

    def pieces(self, block: memoryview, *, first: bool) -> Iterator[tuple[dict[str, NDArray[np.float64]], int]]:
        """The columns of some rows at a time, by DuckDB's names, and where in the block these rows end.

        It ends where something is not plain. The `first` block begins with the header.
        """
        end = self._after_header(block) if first else 0
        dialect = self._dialect
        while end < len(block):
            begin, end = end, _line_end(block, end + PIECE_BYTES)
            piece = np.frombuffer(block[begin:end], np.uint8)
            found = numbers_of(piece, len(dialect.names), dialect.delimiter, self._markers, processors())
            if found is None:
                return
            yield {f"c{j}": column for j, column in enumerate(found)}, end

    def _after_header(self, block: memoryview) -> int:
        """Where the rows begin."""
        end = 0
        for _ in range(self._dialect.skip + self._dialect.header):
            end = _line_end(block, end)
        return end


def _line_end(block: memoryview, start: int) -> int:
    """Behind the first line end from here on."""
    while start < len(block):
        found = bytes(block[start : start + _LOOK]).find(b"\n")
        if found >= 0:
            return start + found + 1
        start += _LOOK
    return len(block)
