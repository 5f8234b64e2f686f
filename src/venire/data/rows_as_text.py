"""Columns of numbers and of few words as delimited text, by the compiled core: several times as fast as a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from venire._core import rows_of

PIECE_ROWS = 1 << 16


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of few distinct values: `values[codes]`."""

    codes: NDArray[np.int32]
    values: NDArray[Any]

    def array(self) -> NDArray[Any]:
        """The value of each row; texts as objects.

        >>> Coded(np.array([1, 0], dtype=np.int32), np.array(["a", "b"])).array()
        array(['b', 'a'], dtype=object)
        """
        values = self.values.astype(object) if self.values.dtype.kind == "U" else self.values
        return np.asarray(values[self.codes])


@dataclass(frozen=True, eq=False)
class Words:
    """A column of few words, as they are to be written."""

    codes: NDArray[np.int32]
    words: Sequence[str]


Plain: TypeAlias = NDArray[np.float64] | NDArray[np.int64] | Words


def rows_as_text(columns: Sequence[Plain], delimiter: str) -> Iterator[memoryview]:
    r"""The rows, each with its line end: numbers as short as they can be and NaN as nothing, words as they are.

    They come in pieces, so that their text is not in memory as a whole.

    >>> b"".join(rows_as_text([np.array([0.1, np.nan]), Words(np.array([1, 0], dtype=np.int32), ["a", "b"])], ","))
    b'0.1,b\n,a\n'
    """
    one = columns[0]
    rows = len(one.codes if isinstance(one, Words) else one)
    for first in range(0, rows, PIECE_ROWS):
        last = min(first + PIECE_ROWS, rows)
        yield rows_of([_piece(column, first, last) for column in columns], last - first, delimiter).data


def _piece(column: Plain, first: int, last: int) -> Any:
    """Some rows of a column, as the core takes them."""
    if isinstance(column, Words):
        return np.ascontiguousarray(column.codes[first:last]), [*column.words]
    return np.ascontiguousarray(column[first:last])


def quoted(text: str, delimiter: str) -> str:
    """A text as one field: in quotes where it would be taken for something else.

    >>> quoted("a", ","), quoted("a,b", ","), quoted('5" pipe', ","), quoted("", ",")
    ('a', '"a,b"', '"5"" pipe"', '""')
    """
    plain = text and not any(sign in text for sign in (delimiter, '"', "\n", "\r", "#"))
    return text if plain else '"' + text.replace('"', '""') + '"'
