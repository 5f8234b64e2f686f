"""Sparse matrices for the tree core: binned by their stored cells, and coded by them when rows are asked.

The core keeps the cells whose code is not that of zero, ten bytes each, and grows on these (`core/bins/sparse_codes`).
Models are those of the same matrix made dense, to the bit. Where more than a tenth of the cells are stored, a code for
every cell takes less room and time, so the matrix is then binned a block of columns at a time, without ever being a
dense matrix of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from venire._core import Bins, Forest

BLOCK_BYTES = 1 << 26
DENSE_SHARE = 0.1  # of the cells stored, from which on each has a code

Floats = NDArray[np.float64]


def is_sparse(X: Any) -> bool:
    """Whether this is a sparse matrix or array.

    >>> is_sparse(sparse.csr_matrix((2, 3))), is_sparse(np.zeros((2, 3)))
    (True, False)
    """
    return bool(sparse.issparse(X))


def row_blocks(count: int, other: int, itemsize: int) -> Iterator[slice]:
    """Slices of so many lines, each with as many as `BLOCK_BYTES` hold when they are made dense."""
    width = max(1, BLOCK_BYTES // max(1, other * itemsize))
    return (slice(first, min(first + width, count)) for first in range(0, count, width))


def _by_columns(matrix: Any) -> tuple[int, NDArray[np.int64], NDArray[np.uint32], Floats]:
    """The number of rows and the arrays of the matrix by columns, rows ascending, each cell once."""
    by_column = matrix.tocsc()
    if not by_column.has_canonical_format:
        by_column = by_column.copy()
        by_column.sum_duplicates()
    start, rows = by_column.indptr.astype(np.int64), by_column.indices.astype(np.uint32)
    return by_column.shape[0], start, rows, np.ascontiguousarray(by_column.data, dtype=np.float64)


def sparse_bins(
    matrix: Any, categorical: NDArray[np.bool_], weights: Floats | None, *, max_bins: int, threads: int
) -> Bins:
    """The bins of a sparse matrix of numbers, equal to those of the same matrix made dense."""
    rows, columns = matrix.shape
    if matrix.nnz <= DENSE_SHARE * rows * columns:
        return Bins.of_sparse(*_by_columns(matrix), weights, max_bins=max_bins, threads=threads)
    by_column = matrix.tocsc()
    parts = [
        Bins.of(
            np.asfortranarray(by_column[:, block].toarray()),
            categorical[block],
            weights,
            max_bins=max_bins,
            threads=threads,
        )
        for block in row_blocks(columns, rows, matrix.dtype.itemsize)
    ]
    return parts[0] if len(parts) == 1 else Bins.beside(parts)


def coded(forest: Forest, matrix: Any, threads: int) -> tuple[Bins, NDArray[np.int64]]:
    """A sparse matrix in the codes of these trees, and the numbers of its rows."""
    return forest.encode(*_by_columns(matrix), threads=threads), np.arange(matrix.shape[0], dtype=np.int64)


def by_rows(matrix: Any, ask: Callable[[NDArray[Any]], NDArray[Any]], axis: int) -> NDArray[Any]:
    """What `ask` says of all rows, which lie along this axis of its answer; of sparse ones, a block at a time."""
    if not is_sparse(matrix):
        return ask(matrix)
    by_row = matrix.tocsr()
    blocks = row_blocks(matrix.shape[0], matrix.shape[1], matrix.dtype.itemsize)
    return np.concatenate([ask(by_row[block].toarray()) for block in blocks], axis=axis)
