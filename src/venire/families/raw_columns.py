"""The columns in which blocks of rows are summed up, before any training part has had its say about them.

Numbers (0 where missing), a mark where a number is missing, one column a category, then the targets. What a training
part's encoder gives are sums of these, so that it can be applied to what was summed up instead of to the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from venire.data.encode import OneHotScaled, as_codes
from venire.data.store.stored_matrix import StoredMatrix
from venire.data.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layout:
    """The raw columns: numbers, marks of gaps, categories (that of a missing value first), then targets."""

    numeric: NDArray[np.intp]  # columns of the table
    gapped: NDArray[np.intp]  # positions among the numeric ones
    codes: tuple[tuple[int, int], ...]  # column of the table, number of categories
    targets: int

    @classmethod
    def of(cls, table: Table) -> Layout:
        """By the kinds of columns; a mark wherever the table has a gap at all."""
        assert table.target is not None
        numeric = np.flatnonzero(~table.categorical)
        with_gaps = [table.columns[j].missing > 0 or bool(np.isnan(table.X[:, j]).any()) for j in numeric]
        codes = [(int(j), len(table.columns[j].categories) + 1) for j in np.flatnonzero(table.categorical)]
        return cls(numeric, np.flatnonzero(with_gaps), tuple(codes), max(1, len(table.target.classes)))

    @property
    def marks(self) -> slice:
        """Where the marks of gaps are."""
        return slice(len(self.numeric), len(self.numeric) + len(self.gapped))

    @property
    def attributes(self) -> int:
        """How many raw columns there are before the targets."""
        return len(self.numeric) + len(self.gapped) + sum(count for _, count in self.codes)

    def raw(self, X: Floats, y: NDArray[Any], origin: Floats) -> Floats:
        """Some rows in raw columns; the origins are those of the numbers and of the target."""
        out = np.zeros((len(X), self.attributes + self.targets))
        numbers = X[:, self.numeric] - origin[:-1]
        missing = np.isnan(numbers)
        out[:, : len(self.numeric)] = np.where(missing, 0.0, numbers)
        out[:, self.marks] = missing[:, self.gapped]
        at, rows = self.marks.stop, np.arange(len(X))
        for j, count in self.codes:
            out[rows, at + as_codes(X[:, j])] = 1.0
            at += count
        if y.dtype.kind in "iu":
            out[rows, at + y] = 1.0
        else:
            out[:, at] = y - origin[-1]
        return out


@dataclass(frozen=True, eq=False)
class Encoding:
    """What a training part's encoder does to raw columns whose means are taken out: fill gaps, scale, choose."""

    layout: Layout
    fill: Floats  # what a gap is filled with, of the columns that have any
    spread: Floats
    columns: NDArray[Any]  # which raw columns (and targets) it gives, or, where categories share one, the sums it takes

    @classmethod
    def of(cls, layout: Layout, encoder: OneHotScaled) -> Self:
        """That of an encoder which has seen the training part."""
        return cls(layout, encoder.offset_[layout.gapped], encoder.spread_, _chosen(layout, encoder))

    def __call__(self, raw: Floats) -> Floats:
        """Of a matrix in raw columns, which is overwritten, one in encoded columns."""
        raw[:, self.layout.gapped] += self.fill * raw[:, self.layout.marks]
        raw[:, : len(self.spread)] /= self.spread
        return raw @ self.columns if self.columns.dtype == np.float64 else raw[:, self.columns]


def _chosen(layout: Layout, encoder: OneHotScaled) -> NDArray[Any]:
    """The `columns` of an encoding."""
    numbers, width = len(layout.numeric), layout.attributes + layout.targets
    rank = np.searchsorted(layout.gapped, encoder.gaps_)
    chosen: list[Any] = [*range(numbers), *(numbers + rank)]
    at = layout.marks.stop
    for (_, kept, shared), (_, count) in zip(encoder.levels_, layout.codes, strict=True):
        chosen += (at + kept).tolist()
        if shared:
            chosen.append(at + np.setdiff1d(np.arange(count), kept))
        at += count
    chosen += range(layout.attributes, width)
    if not any(isinstance(one, np.ndarray) for one in chosen):
        return np.array(chosen, dtype=np.intp)
    sums = np.zeros((width, len(chosen)))
    for place, one in enumerate(chosen):
        sums[one, place] = 1.0
    return sums


def encoded_rows(encoder: OneHotScaled, X: Floats | StoredMatrix, rows: NDArray[np.intp]) -> Floats:
    """What the encoder makes of some rows, in Fortran order; plain numbers column by column, which is quicker."""
    if len(encoder.numeric_) == X.shape[1] and not len(encoder.gaps_):
        columns = X.by_columns(rows) if isinstance(X, StoredMatrix) else np.take(X.T, rows, axis=1)
        columns -= encoder.origin_[:, None]
        columns -= encoder.offset_[:, None]
        columns /= encoder.spread_[:, None]
        columns[np.isnan(columns)] = 0.0
        return columns.T
    return np.asfortranarray(encoder.transform(X[rows]))
