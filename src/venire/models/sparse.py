"""Sparse matrices for the tree core: binned a block of columns at a time, asked a block of rows at a time.

No dense matrix of numbers is made; a block of one takes at most `BLOCK_BYTES`. Trees grow on the codes of the bins,
one byte a cell whether it is zero or not, so a table of more than `MOST_CELLS` cells is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from venire._core import Bins
from venire.errors import DataError

BLOCK_BYTES = 1 << 26
MOST_CELLS = 1 << 32  # 4 GiB of codes

Floats = NDArray[np.float64]


def is_sparse(X: Any) -> bool:
    """Whether this is a sparse matrix or array.

    >>> is_sparse(sparse.csr_matrix((2, 3))), is_sparse(np.zeros((2, 3)))
    (True, False)
    """
    return bool(sparse.issparse(X))


def _blocks(count: int, other: int, itemsize: int) -> Iterator[slice]:
    width = max(1, BLOCK_BYTES // max(1, other * itemsize))
    return (slice(first, min(first + width, count)) for first in range(0, count, width))


def sparse_bins(
    matrix: Any, categorical: NDArray[np.bool_], weights: Floats | None, *, max_bins: int, threads: int
) -> Bins:
    """The bins of a sparse matrix, equal to those of the same matrix made dense."""
    rows, columns = matrix.shape
    if rows * columns > MOST_CELLS:
        raise DataError(
            f"the codes of a sparse table of {rows} rows and {columns} columns take {rows * columns / 2**30:.0f} GiB, "
            f"and {MOST_CELLS / 2**30:.0f} GiB are the most",
            code="too_large",
            hint="leave out columns with few values (VarianceThreshold), or draw rows",
        )
    by_column = matrix.tocsc()
    parts = [
        Bins.of(
            np.asfortranarray(by_column[:, block].toarray()),
            categorical[block],
            weights,
            max_bins=max_bins,
            threads=threads,
        )
        for block in _blocks(columns, rows, matrix.dtype.itemsize)
    ]
    return parts[0] if len(parts) == 1 else Bins.beside(parts)


def by_rows(matrix: Any, ask: Callable[[NDArray[Any]], NDArray[Any]], axis: int) -> NDArray[Any]:
    """What `ask` says of all rows, which lie along this axis of its answer; of sparse ones, a block at a time."""
    if not is_sparse(matrix):
        return ask(matrix)
    by_row = matrix.tocsr()
    blocks = _blocks(matrix.shape[0], matrix.shape[1], matrix.dtype.itemsize)
    return np.concatenate([ask(by_row[block].toarray()) for block in blocks], axis=axis)
