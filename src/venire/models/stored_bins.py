"""Stored matrices for the tree core: binned column by column out of their files, without ever being in memory.

Every column is read twice: its keys are sorted to see where it is cut, then its values are encoded. The bins are those
of the same matrix in memory, to the bit; what stays is a byte a value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from venire._core import Bins, BlockBinner, weight_units
from venire.data.store.stored_matrix import StoredMatrix
from venire.threads import Threads

Floats = NDArray[np.float64]


def stored_bins(
    matrix: StoredMatrix, categorical: NDArray[np.bool_], weights: Floats | None, *, max_bins: int, threads: int
) -> Bins:
    """The bins of the rows of positive weight, with codes for all rows."""
    rows, columns = matrix.shape
    binner = BlockBinner.of(rows, columns, max_bins=max_bins)
    kept, units = _said_of_rows(weights)

    def one(j: int) -> None:
        column = matrix.columns[j]
        for first, values in column.raw():
            part = slice(first, first + len(values))
            if units is None:
                binner.take(j, values[:, None], None if kept is None else kept[part])
            else:
                binner.take_weighed(j, values[:, None], units[part])
        binner.cut(j, categorical=bool(categorical[j]))
        for first, values in column.raw():
            binner.encode(j, first, values[:, None])

    if threads == 1:
        for j in range(columns):
            one(j)
    else:
        with Threads(threads) as pool:
            list(pool.map(one, range(columns)))
    return binner.finish()


def _said_of_rows(weights: Floats | None) -> tuple[NDArray[np.bool_] | None, NDArray[np.int64] | None]:
    """Which rows count, where all that do count 1; else what each counts."""
    if weights is None:
        return None, None
    kept = weights > 0
    if bool((weights == kept).all()):
        return kept, None
    return None, weight_units(weights)
