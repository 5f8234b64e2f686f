"""The encoder of any training part from what its folds show, without another look at their rows.

Counts, means and squares of every fold are taken once; those of a training part are sums of them. Nothing is
subtracted, so a fold that is left out leaves no trace, and every fold measures its columns from a value of its
own, so that an offset costs no digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from venire.data.encode import OneHotScaled, levels, spreads
from venire.data.table import Table
from venire.families.raw_columns import Layout
from venire.models.bayes.sums import first_values
from venire.validation.plans.plan import Plan

Floats = NDArray[np.float64]
PIECE_ROWS = 1 << 20


def rows_of_folds(plan: Plan, repeat: int) -> list[NDArray[np.intp]]:
    """The rows of every fold of one split."""
    order = np.argsort(plan.fold_of[repeat], kind="stable")
    return np.split(order, np.cumsum(np.bincount(plan.fold_of[repeat], minlength=plan.folds))[:-1])


def piece_bytes(table: Table) -> float:
    """What it takes to look at a table piece by piece: some copies of a piece, and the rows' numbers and targets."""
    width = Layout.of(table).attributes + 1
    return 8.0 * (6 * width * min(table.rows, PIECE_ROWS) + 4 * table.rows)


@dataclass(frozen=True, eq=False)
class Pieces:
    """The rows of every fold of one split, in pieces of at most `PIECE_ROWS`: as many are looked at together.

    What is summed up of a piece adds up to a fold in the way that folds add up to a training part.
    """

    rows: list[NDArray[np.intp]]
    fold: NDArray[np.intp]  # of each piece

    @classmethod
    def of(cls, plan: Plan, repeat: int) -> Self:
        """Those of one split; a fold without rows is one piece."""
        cut = [np.split(rows, range(PIECE_ROWS, len(rows), PIECE_ROWS)) for rows in rows_of_folds(plan, repeat)]
        fold = np.repeat(np.arange(len(cut)), [len(pieces) for pieces in cut])
        return cls([piece for pieces in cut for piece in pieces], fold)

    def of_folds(self, folds: Sequence[int]) -> list[int]:
        """The pieces that these folds consist of, fold by fold."""
        return [int(piece) for fold in folds for piece in np.flatnonzero(self.fold == fold)]


@dataclass(frozen=True, eq=False)
class Shown:
    """What one piece of a fold shows an encoder: example weights do not count here."""

    origin: Floats  # of the numbers and of the target: the first value that is there, or NaN
    count: Floats  # of the numbers: how many are there,
    offset: Floats  # their mean, from the origin,
    squares: Floats  # and the sum of their squares about it
    rows: Floats  # how many rows show each mark of a gap, each category and each class

    @classmethod
    def by(cls, layout: Layout, X: Floats, y: NDArray[Any]) -> tuple[Self, Floats]:
        """By some rows; and those rows in raw columns."""
        numbers = len(layout.numeric)
        origin = np.zeros(numbers + 1)
        if len(X):
            origin[:-1] = first_values(X, layout.numeric.astype(np.uint32))
            origin[-1] = y[0]
        raw = layout.raw(X, y, np.nan_to_num(origin))
        count = np.full(numbers, float(len(X)))
        count[layout.gapped] -= raw[:, layout.marks].sum(axis=0)
        offset = _over(raw[:, :numbers].sum(axis=0), count)
        apart = raw[:, :numbers] - offset
        apart[:, layout.gapped] *= 1.0 - raw[:, layout.marks]
        rows = raw[:, layout.marks.start :].sum(axis=0)
        return cls(origin, count, offset, np.square(apart).sum(axis=0), rows), raw


@dataclass(frozen=True, eq=False)
class Learned:
    """The encoder of some folds, and what else their origins and counts come to."""

    encoder: OneHotScaled
    origin: float  # of the target
    moved: Floats  # [piece, column]: how far each piece's origins are from the common ones
    shown: Floats  # rows that show each mark of a gap, each category and each class


def pays(table: Table, plan: Plan) -> bool:
    """Whether what is kept of the folds is smaller than the table itself."""
    assert table.target is not None
    return (Layout.of(table).attributes + len(table.target.classes)) * plan.folds <= table.rows


class FoldEncoders:
    """Any training part's encoder, by the folds it consists of."""

    def __init__(self, table: Table, layout: Layout, pieces: Pieces, folds: list[Shown]) -> None:
        self._table, self._layout, self._pieces = table, layout, pieces
        self._origin = np.stack([fold.origin for fold in folds])
        self._count = np.stack([fold.count for fold in folds])
        self._offset = np.stack([fold.offset for fold in folds])
        self._squares = np.stack([fold.squares for fold in folds])
        self._shown = np.stack([fold.rows for fold in folds])

    @classmethod
    def of(cls, table: Table, plan: Plan, repeat: int) -> Self:
        """Those of one split of the rows."""
        layout, pieces = Layout.of(table), Pieces.of(plan, repeat)
        shown = [Shown.by(layout, table.X[rows], table.y[rows])[0] for rows in pieces.rows]
        return cls(table, layout, pieces, shown)

    def together(self, folds: Sequence[int]) -> Learned:
        """What `OneHotScaled` learns from the rows of these folds."""
        kept = self._pieces.of_folds(folds)
        origin, moved = _common_origin(self._origin[kept])
        offset, deviation = _merged(self._count[kept], self._offset[kept] + moved[:, :-1], self._squares[kept])
        shown = self._shown[kept].sum(axis=0)
        encoder = self._encoder(origin[:-1], offset, deviation, shown)
        return Learned(encoder, float(origin[-1]), moved, shown)

    def _encoder(self, origin: Floats, offset: Floats, deviation: Floats, shown: Floats) -> OneHotScaled:
        layout = self._layout
        encoder = OneHotScaled(categorical=self._table.categorical)
        encoder.n_features_in_ = len(self._table.columns)
        encoder.numeric_ = layout.numeric
        encoder.origin_, encoder.offset_, encoder.mean_ = origin, offset, origin + offset
        encoder.spread_ = spreads(origin + offset, deviation)
        encoder.gaps_ = layout.gapped[shown[: len(layout.gapped)] > 0]
        at, encoder.levels_ = len(layout.gapped), []
        for j, count in layout.codes:
            counts = shown[at : at + count].astype(np.int64)
            encoder.levels_.append((j, *levels(counts, encoder.max_categories)))
            at += count
        return encoder


def _common_origin(origin: Floats) -> tuple[Floats, Floats]:
    """The first fold's origin of each column that has one, and how far from it the others' are: [fold, column]."""
    there = ~np.isnan(origin)
    common = np.nan_to_num(origin[there.argmax(axis=0), np.arange(origin.shape[1])])
    return common, np.where(there, origin - common, 0.0)


def _merged(count: Floats, mean: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of all folds' values: [column] from [fold, column]."""
    total = count.sum(axis=0)
    centre = _over((count * mean).sum(axis=0), total)
    return centre, np.sqrt(_over((squares + count * (mean - centre) ** 2).sum(axis=0), total))


def _over(sums: Floats, count: Floats) -> Floats:
    return np.divide(sums, count, out=np.zeros_like(sums), where=count > 0)
