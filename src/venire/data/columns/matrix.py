"""The matrix of attributes, filled column by column in place."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Room(Protocol):
    """What takes the columns of a table."""

    def append(self, column: NDArray[np.float64]) -> None:
        """Add one column on the right."""

    def values(self) -> Any:
        """The matrix of all of them."""


class Matrix:
    """A column-major float64 matrix that grows. Room not yet written to costs no memory: its pages are untouched.

    >>> matrix = Matrix(rows=2, room=1)
    >>> matrix.append(np.array([1.0, 2.0])); matrix.append(np.array([3.0, 4.0]))
    >>> matrix.values().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    def __init__(self, rows: int, room: int) -> None:
        self._held = np.empty((rows, max(room, 1)), order="F")
        self._used = 0

    def append(self, column: NDArray[np.float64]) -> None:
        """Add one column on the right."""
        if self._used == self._held.shape[1]:
            larger = np.empty((self._held.shape[0], 2 * self._used), order="F")
            larger[:, : self._used] = self._held
            self._held = larger
        self._held[:, self._used] = column
        self._used += 1

    def values(self) -> NDArray[np.float64]:
        """What was filled in so far, contiguous by column."""
        return self._held[:, : self._used]
