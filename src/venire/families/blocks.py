"""What blocks of rows say about the encoded attributes, as sums: every training part's own from the sums of its blocks.

The rows are looked at once, in raw columns: numbers (0 where missing), a mark where a number is missing, one column a
category. Everything the encoder learns on a training part (means, spreads, gaps, categories) and the cross-products of
what it gives follow from the blocks' counts, means and centred cross-products by addition alone:

    C = Σ Cₖ + Σ Wₖ (mₖ − m)(mₖ − m)ᵀ         m = Σ Wₖ mₖ / Σ Wₖ

Nothing is subtracted, so a block that is left out leaves no trace, not even in the last bit; and every block measures
its columns from a value of its own, so that an offset costs no digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from venire.data.encode import OneHotScaled, as_codes, levels, spreads
from venire.data.table import Table, Task
from venire.models.bayes_sums import first_values
from venire.validation.plan import Plan

Floats = NDArray[np.float64]
Blocks = tuple[int, ...]
T = TypeVar("T")
_CELLS = 200_000


def many_cells(table: Table) -> bool:
    """Whether a trial's products are large enough for threads: in smaller ones they wait for each other's Python."""
    return table.X.size >= _CELLS


class OnDemand(Generic[T]):
    """What is made for one dealing of the rows, when it is first asked for; only the last one is kept."""

    def __init__(self, make: Callable[[int], T]) -> None:
        self._make = make
        self._kept: tuple[int, T] | None = None
        self._making = Lock()

    def __call__(self, repeat: int) -> T:
        """Of this repeat; whoever else asks meanwhile waits."""
        with self._making:
            if self._kept is None or self._kept[0] != repeat:
                self._kept = (repeat, self._make(repeat))
            return self._kept[1]


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
class Part:
    """What a training part comes to: its encoder, and means and centred cross-products of what that gives.

    Encoded columns come first and then the targets: one column a class, or the numbers, measured from `origin`.
    """

    encoder: OneHotScaled
    weight: float
    mean: Floats
    products: Floats
    seen: NDArray[np.bool_]  # [class]: whether a row shows it
    origin: float


class BlockSums:
    """Counts, means and cross-products of every block of one dealing of the rows."""

    def __init__(self, table: Table, plan: Plan, repeat: int) -> None:
        assert table.target is not None
        self._table, self._layout = table, Layout.of(table)
        order = np.argsort(plan.block_of[repeat], kind="stable")
        ends = np.cumsum(np.bincount(plan.block_of[repeat], minlength=plan.blocks))
        found = [self._block(rows) for rows in np.split(order, ends[:-1])]
        (
            self._origin,
            self._count,
            self._offset,
            self._squares,
            self._shown,
            self._weight,
            self._mean,
            self._products,
        ) = (np.stack(each) for each in zip(*found, strict=True))

    def _block(self, rows: NDArray[np.intp]) -> tuple[Any, ...]:
        """Origins, then unweighted for the encoder: present values, their means and squares, rows a raw column.

        And weighted, for the learner: weight, means and centred cross-products of all raw columns.
        """
        layout, X, y = self._layout, self._table.X[rows], self._table.y[rows]
        numbers = len(layout.numeric)
        origin = np.zeros(numbers + 1)
        if len(rows):
            origin[:-1] = first_values(X, layout.numeric.astype(np.uint32))
            origin[-1] = y[0]
        raw = layout.raw(X, y, np.nan_to_num(origin))
        count = np.full(numbers, float(len(rows)))
        count[layout.gapped] -= raw[:, layout.marks].sum(axis=0)
        offset = _over(raw[:, :numbers].sum(axis=0), count)
        apart = raw[:, :numbers] - offset
        apart[:, layout.gapped] *= 1.0 - raw[:, layout.marks]
        shown = raw[:, layout.marks.start :].sum(axis=0)
        weights = np.ones(len(rows)) if self._table.weights is None else self._table.weights[rows]
        weight = float(weights.sum())
        mean = weights @ raw / weight if weight > 0 else np.zeros(raw.shape[1])
        heavy = np.sqrt(weights)[:, None] * (raw - mean)
        return origin, count, offset, np.square(apart).sum(axis=0), shown, weight, mean, heavy.T @ heavy

    def part(self, blocks: Blocks) -> Part:
        """The encoder of these blocks together, and what it makes of them."""
        kept, layout = list(blocks), self._layout
        numbers, marks = len(layout.numeric), layout.marks
        origin, moved = _common_origin(self._origin[kept])
        offset, deviation = _merged(self._count[kept], self._offset[kept] + moved[:, :-1], self._squares[kept])
        shown = self._shown[kept].sum(axis=0)
        encoder = self._encoder(origin[:-1], offset, deviation, shown)
        mean, products = self._together(kept, moved)
        # A gap is filled with the training part's own mean: x where present, the mean where marked.
        gapped, fill = layout.gapped, offset[layout.gapped]
        mean[gapped] += fill * mean[marks]
        products[:, gapped] += fill * products[:, marks]
        products[gapped] += fill[:, None] * products[marks]
        mean[:numbers] -= offset
        mean[:numbers] /= encoder.spread_
        products[:, :numbers] /= encoder.spread_
        products[:numbers] /= encoder.spread_[:, None]
        encoded = self._columns(encoder)
        classes = self._table.target is not None and self._table.target.task is Task.CLASSIFICATION
        return Part(
            encoder,
            float(self._weight[kept].sum()),
            encoded.T @ mean if encoded.dtype == np.float64 else mean[encoded],
            encoded.T @ products @ encoded if encoded.dtype == np.float64 else products[np.ix_(encoded, encoded)],
            shown[-layout.targets :] > 0 if classes else np.zeros(0, dtype=bool),
            float(origin[-1]),
        )

    def _encoder(self, origin: Floats, offset: Floats, deviation: Floats, shown: Floats) -> OneHotScaled:
        """What `OneHotScaled` learns from the rows themselves."""
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

    def _together(self, kept: list[int], moved: Floats) -> tuple[Floats, Floats]:
        """Mean and centred cross-products of all raw columns, measured from the common origins."""
        layout, weight = self._layout, self._weight[kept]
        numbers, gapped, marks = len(layout.numeric), layout.gapped, layout.marks
        mean = self._mean[kept]
        mean[:, :numbers] += moved[:, :-1]
        mean[:, gapped] -= moved[:, gapped] * mean[:, marks]
        if self._table.y.dtype.kind == "f":
            mean[:, -1] += moved[:, -1]
        centre = weight @ mean / weight.sum()
        apart = np.sqrt(weight)[:, None] * (mean - centre)
        if not len(gapped):
            return centre, self._products[kept].sum(axis=0) + apart.T @ apart
        products = self._products[kept]
        products[:, :, gapped] -= moved[:, None, gapped] * products[:, :, marks]
        products[:, gapped] -= moved[:, gapped, None] * products[:, marks]
        return centre, products.sum(axis=0) + apart.T @ apart

    def _columns(self, encoder: OneHotScaled) -> NDArray[Any]:
        """Which raw columns (and targets) the encoder gives, or, where categories share one, the sums it takes."""
        layout = self._layout
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


def _common_origin(origin: Floats) -> tuple[Floats, Floats]:
    """The first block's origin of each column that has one, and how far from it the others' are: [block, column]."""
    there = ~np.isnan(origin)
    common = np.nan_to_num(origin[there.argmax(axis=0), np.arange(origin.shape[1])])
    return common, np.where(there, origin - common, 0.0)


def _merged(count: Floats, mean: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of all blocks' values: [column] from [block, column]."""
    total = count.sum(axis=0)
    centre = _over((count * mean).sum(axis=0), total)
    return centre, np.sqrt(_over((squares + count * (mean - centre) ** 2).sum(axis=0), total))


def _over(sums: Floats, count: Floats) -> Floats:
    return np.divide(sums, count, out=np.zeros_like(sums), where=count > 0)
