"""What blocks of rows say about the encoded attributes, as sums: every training part's own from the sums of its blocks.

The rows are looked at once, in raw columns: numbers (0 where missing), a mark where a number is missing, one column a
category. Everything the encoder learns on a training part (means, spreads, gaps, categories) and the cross-products of
what it gives follow from the blocks' counts, means and centred cross-products by addition alone:

    C = Σ Cₖ + Σ Wₖ (mₖ − m)(mₖ − m)ᵀ         m = Σ Wₖ mₖ / Σ Wₖ

Nothing is subtracted, so a block that is left out leaves no trace, not even in the last bit; and every block measures
its columns from a value of its own, so that an offset costs no digits. Where squaring would cost too many, the same
sum is had as a root: with the triangles Rₖ of the blocks' centred rows (Cₖ = RₖᵀRₖ), the rows of all Rₖ and all
√Wₖ (mₖ − m)ᵀ under each other are a matrix whose cross-products are C, a few times as long as it is wide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.linalg import qr
from numpy.typing import NDArray

from venire.data.encode import OneHotScaled, levels, spreads
from venire.data.table import Table, Task
from venire.families.raw_columns import Encoding, Layout
from venire.models.bayes_sums import first_values
from venire.validation.plan import Plan

Floats = NDArray[np.float64]
Blocks = tuple[int, ...]
T = TypeVar("T")
_PRODUCTS = 400_000  # cells times classes


def many_products(table: Table) -> bool:
    """Whether cells times classes are many enough for threads: trials with fewer wait for each other's Python."""
    classes = 2 if table.target is None else max(2, len(table.target.classes))
    return table.X.size * classes >= _PRODUCTS


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
class Part:
    """What a training part comes to: its encoder, and means and centred cross-products of what that gives.

    Encoded columns come first and then the targets: one column a class, or the numbers, measured from `origin`.
    """

    encoder: OneHotScaled
    weight: float
    mean: Floats
    products: Floats
    root: Callable[[], Floats]  # a matrix whose cross-products these are, without having been squared
    seen: NDArray[np.bool_]  # [class]: whether a row shows it
    origin: float


class BlockSums:
    """Counts, means and cross-products of every block of one dealing of the rows; triangles when they are needed."""

    def __init__(self, table: Table, plan: Plan, repeat: int) -> None:
        assert table.target is not None
        self._table, self._layout = table, Layout.of(table)
        order = np.argsort(plan.block_of[repeat], kind="stable")
        ends = np.cumsum(np.bincount(plan.block_of[repeat], minlength=plan.blocks))
        self._rows = np.split(order, ends[:-1])
        self._triangles: list[Floats] | None = None
        self._making = Lock()
        found = [self._block(rows) for rows in self._rows]
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
        heavy = self._heavy(rows, raw, mean)
        return origin, count, offset, np.square(apart).sum(axis=0), shown, weight, mean, heavy.T @ heavy

    def _heavy(self, rows: NDArray[np.intp], raw: Floats, mean: Floats) -> Floats:
        """Rows whose cross-products are the weighted ones about the mean; `raw` is overwritten."""
        raw -= mean
        if self._table.weights is not None:
            raw *= np.sqrt(self._table.weights[rows])[:, None]
        return raw

    def part(self, blocks: Blocks) -> Part:
        """The encoder of these blocks together, and what it makes of them."""
        kept, layout = list(blocks), self._layout
        origin, moved = _common_origin(self._origin[kept])
        offset, deviation = _merged(self._count[kept], self._offset[kept] + moved[:, :-1], self._squares[kept])
        shown = self._shown[kept].sum(axis=0)
        encoder = self._encoder(origin[:-1], offset, deviation, shown)
        # A gap is filled with the training part's own mean: x where present, the mean where marked.
        encoded = Encoding.of(layout, encoder)
        mean, apart = self._means(kept, moved)
        mean[: len(layout.numeric)] -= offset
        products = self._filled(self._filled(self._products[kept], moved).swapaxes(1, 2), moved).sum(axis=0)
        products += apart.T @ apart
        classes = self._table.target is not None and self._table.target.task is Task.CLASSIFICATION
        return Part(
            encoder,
            float(self._weight[kept].sum()),
            encoded(mean[None])[0],
            encoded(encoded(products).T),
            partial(self._root, kept, moved, apart, encoded),
            shown[-layout.targets :] > 0 if classes else np.zeros(0, dtype=bool),
            float(origin[-1]),
        )

    def _root(self, kept: list[int], moved: Floats, apart: Floats, encoded: Encoding) -> Floats:
        with self._making:
            if self._triangles is None:
                self._triangles = [self._triangle(block) for block in range(len(self._rows))]
        found = [self._filled(self._triangles[b][None], moved[[k]])[0] for k, b in enumerate(kept)]
        return encoded(np.concatenate([*found, apart]))

    def _triangle(self, block: int) -> Floats:
        """R of the block's centred rows."""
        rows = self._rows[block]
        raw = self._layout.raw(self._table.X[rows], self._table.y[rows], np.nan_to_num(self._origin[block]))
        return np.asarray(qr(self._heavy(rows, raw, self._mean[block]), mode="r"))

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

    def _means(self, kept: list[int], moved: Floats) -> tuple[Floats, Floats]:
        """The mean of all raw columns, measured from the common origins, and rows for how far apart the blocks are."""
        layout, weight = self._layout, self._weight[kept]
        mean = self._mean[kept]
        mean[:, : len(layout.numeric)] += moved[:, :-1]
        mean[:, layout.gapped] -= moved[:, layout.gapped] * mean[:, layout.marks]
        if self._table.y.dtype.kind == "f":
            mean[:, -1] += moved[:, -1]
        centre = weight @ mean / weight.sum()
        return centre, np.sqrt(weight)[:, None] * (mean - centre)

    def _filled(self, raw: Floats, moved: Floats) -> Floats:
        """Matrices in raw columns, [block] each, for other origins: where a value is missing it stays 0."""
        gapped = self._layout.gapped
        if not len(gapped):
            return raw
        raw = raw.copy()
        raw[:, :, gapped] -= moved[:, None, gapped] * raw[:, :, self._layout.marks]
        return raw


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
