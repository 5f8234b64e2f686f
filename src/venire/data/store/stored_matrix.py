"""The matrix of a stored table: asked for rows or columns it gives arrays; as a whole it is never in memory.

It stands where an array would: `X[rows]`, `X[:, j]`, `X.shape`. Learners that can go through columns stretch by stretch
ask for `X.columns`; the others are given the rows they train on as an array, if memory was found to be enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeGuard, overload

import numpy as np
from numpy.typing import NDArray

from venire.data.store.column import Floats, Stretches


class StoredColumn(Sequence[float]):
    """A column that gives slices and rows as arrays."""

    def __init__(self, kept: Stretches, rows: NDArray[np.intp] | None = None) -> None:
        self._kept = kept
        self._rows = rows  # None: all of them

    def __len__(self) -> int:
        return self._kept.rows if self._rows is None else len(self._rows)

    @overload
    def __getitem__(self, at: int) -> float: ...
    @overload
    def __getitem__(self, at: Any) -> Any: ...
    def __getitem__(self, at: Any) -> Any:
        if self._rows is not None:
            chosen = self._rows[at]
            return self._kept.at(np.atleast_1d(chosen)) if chosen.ndim else float(self._kept.at(chosen[None])[0])
        if isinstance(at, slice):
            begin, end, step = at.indices(len(self))
            if step == 1:
                return self._kept.between(begin, end)
            return self._kept.at(np.arange(begin, end, step))
        chosen = np.asarray(at)
        if chosen.ndim == 0:
            return float(self._kept.at(np.array([int(chosen) % len(self)]))[0])
        return self._kept.at(_row_numbers(chosen, len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        whole = self._kept.whole() if self._rows is None else self._kept.at(self._rows)
        return whole if dtype is None else whole.astype(dtype)


@dataclass(frozen=True, eq=False)
class StoredMatrix:
    """A matrix of double precision whose columns are in files."""

    columns: tuple[Stretches, ...]
    rows: int

    ndim: ClassVar[int] = 2
    dtype: ClassVar[np.dtype[np.float64]] = np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, len(self.columns)

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.rows * len(self.columns)

    @property
    def T(self) -> list[StoredColumn]:
        """The columns one by one."""
        return [StoredColumn(column) for column in self.columns]

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a stored matrix is not gone through row by row")

    def __getitem__(self, key: Any) -> Any:
        """Rows, or rows and columns, as an array; where an array would give a view, in its order of memory."""
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if isinstance(columns, int | np.integer):
            return StoredColumn(self.columns[columns])[rows]
        chosen = np.arange(len(self.columns))[columns]
        single = not isinstance(rows, slice) and np.ndim(rows) == 0
        of = [np.atleast_1d(StoredColumn(self.columns[j])[rows]) for j in chosen]
        by_columns = isinstance(rows, slice)
        count = len(of[0]) if of else len(np.arange(self.rows)[rows])
        out = np.empty((count, len(of)), order="F" if by_columns else "C")
        for j, values in enumerate(of):
            out[:, j] = values
        return out[0] if single else out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        out = np.empty(self.shape, order="F")
        for j, column in enumerate(self.columns):
            for first, values in column.numbers():
                out[first : first + len(values), j] = values
        return out if dtype is None else out.astype(dtype)

    def by_columns(self, rows: NDArray[np.intp]) -> Floats:
        """Some rows as [column, row], a column side by side."""
        return np.stack([column.at(rows) for column in self.columns])

    def copy(self, order: str = "C") -> StoredMatrix:
        """Itself: nobody can write to it."""
        return self

    def without(self, j: int) -> StoredMatrix:
        """The matrix without one column."""
        return StoredMatrix((*self.columns[:j], *self.columns[j + 1 :]), self.rows)


def columns_at(X: Floats | StoredMatrix, rows: NDArray[np.intp]) -> list[Any]:
    """The columns at some rows; of a stored matrix they are fetched when they are asked for."""
    if isinstance(X, StoredMatrix):
        return [StoredColumn(column, rows) for column in X.columns]
    return [values[rows] for values in X.T]


def without_column(X: Any, j: int) -> Any:
    """The matrix without one column."""
    return X.without(j) if isinstance(X, StoredMatrix) else np.delete(X, j, axis=1)


def is_stored(X: Any) -> TypeGuard[StoredMatrix]:
    """Whether this matrix is in files."""
    return isinstance(X, StoredMatrix)


def _row_numbers(chosen: NDArray[Any], rows: int) -> NDArray[np.intp]:
    if chosen.dtype == np.bool_:
        return np.flatnonzero(chosen)
    found = chosen.astype(np.intp, copy=False)
    if len(found) and found.min() < 0:
        found = np.where(found < 0, found + rows, found)
    return found


def numbers_by_rows(X: Floats | StoredMatrix, rows: NDArray[np.intp], most: int) -> Iterator[tuple[slice, Floats]]:
    """Rows of a matrix, so many at a time, and where they are among those asked for."""
    for begin in range(0, len(rows), most):
        part = slice(begin, min(begin + most, len(rows)))
        yield part, X[rows[part]]
