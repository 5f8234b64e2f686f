"""What blocks of rows say about the encoded attributes, as sums: every training part's own from the sums of its blocks.

The rows are looked at once, in raw columns: numbers (0 where missing), a mark where a number is missing, one column a
category. Everything the encoder learns on a training part (means, spreads, gaps, categories) and the cross-products of
what it gives follow from the folds' counts, means and centred cross-products by addition alone:

    C = Σ Cₖ + Σ Wₖ (mₖ − m)(mₖ − m)ᵀ         m = Σ Wₖ mₖ / Σ Wₖ

Nothing is subtracted, so a fold that is left out leaves no trace, not even in the last bit; and every fold measures
its columns from a value of its own, so that an offset costs no digits. Where squaring would cost too many, the same
sum is had as a root: with the triangles Rₖ of the folds' centred rows (Cₖ = RₖᵀRₖ), the rows of all Rₖ and all
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

from venire.data.encode import OneHotScaled
from venire.data.table import Table, Task
from venire.families.fold_encoders import FoldEncoders, Pieces, Shown
from venire.families.raw_columns import Encoding, Layout
from venire.validation.plans.plan import Plan

Floats = NDArray[np.float64]
Folds = tuple[int, ...]
T = TypeVar("T")
_PRODUCTS = 400_000  # cells times classes


def many_products(table: Table) -> bool:
    """Whether cells times classes are many enough for threads: trials with fewer wait for each other's Python."""
    classes = 2 if table.target is None else max(2, len(table.target.classes))
    return table.X.size * classes >= _PRODUCTS


class OnDemand(Generic[T]):
    """What is made for one split of the rows, when it is first asked for; only the last one is kept."""

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


class FoldSums:
    """Counts, means and cross-products of every fold of one split of the rows; triangles when they are needed."""

    def __init__(self, table: Table, plan: Plan, repeat: int) -> None:
        assert table.target is not None
        self._table, self._layout = table, Layout.of(table)
        self._pieces = Pieces.of(plan, repeat)
        self._triangles: list[Floats] | None = None
        self._making = Lock()
        found = [self._piece(rows) for rows in self._pieces.rows]
        self._encoders = FoldEncoders(table, self._layout, self._pieces, [shown for shown, *_ in found])
        self._weight, self._mean, self._products = (
            np.stack(each) for each in zip(*(learned for _, *learned in found), strict=True)
        )

    def _piece(self, rows: NDArray[np.intp]) -> tuple[Any, ...]:
        """What the encoder is shown; weighted, for the learner: weight, means and centred cross-products."""
        shown, raw = Shown.by(self._layout, self._table.X[rows], self._table.y[rows])
        weights = np.ones(len(rows)) if self._table.weights is None else self._table.weights[rows]
        weight = float(weights.sum())
        mean = weights @ raw / weight if weight > 0 else np.zeros(raw.shape[1])
        heavy = self._heavy(rows, raw, mean)
        return shown, weight, mean, heavy.T @ heavy

    def _heavy(self, rows: NDArray[np.intp], raw: Floats, mean: Floats) -> Floats:
        """Rows whose cross-products are the weighted ones about the mean; `raw` is overwritten."""
        raw -= mean
        if self._table.weights is not None:
            raw *= np.sqrt(self._table.weights[rows])[:, None]
        return raw

    def part(self, folds: Folds) -> Part:
        """The encoder of these folds together, and what it makes of them."""
        kept, layout = self._pieces.of_folds(folds), self._layout
        learned = self._encoders.together(folds)
        encoder, moved = learned.encoder, learned.moved
        # A gap is filled with the training part's own mean: x where present, the mean where marked.
        encoded = Encoding.of(layout, encoder)
        mean, apart = self._means(kept, moved)
        mean[: len(layout.numeric)] -= encoder.offset_
        products = self._filled(self._filled(self._products[kept], moved).swapaxes(1, 2), moved).sum(axis=0)
        products += apart.T @ apart
        classes = self._table.target is not None and self._table.target.task is Task.CLASSIFICATION
        return Part(
            encoder,
            float(self._weight[kept].sum()),
            encoded(mean[None])[0],
            encoded(encoded(products).T),
            partial(self._root, kept, moved, apart, encoded),
            learned.shown[-layout.targets :] > 0 if classes else np.zeros(0, dtype=bool),
            learned.origin,
        )

    def _root(self, kept: list[int], moved: Floats, apart: Floats, encoded: Encoding) -> Floats:
        with self._making:
            if self._triangles is None:
                self._triangles = [self._triangle(piece) for piece in range(len(self._pieces.rows))]
        found = [self._filled(self._triangles[b][None], moved[[k]])[0] for k, b in enumerate(kept)]
        return encoded(np.concatenate([*found, apart]))

    def _triangle(self, piece: int) -> Floats:
        """R of the piece's centred rows."""
        rows = self._pieces.rows[piece]
        _, raw = Shown.by(self._layout, self._table.X[rows], self._table.y[rows])
        return np.asarray(qr(self._heavy(rows, raw, self._mean[piece]), mode="r"))

    def _means(self, kept: list[int], moved: Floats) -> tuple[Floats, Floats]:
        """The mean of all raw columns, measured from the common origins, and rows for how far apart the folds are."""
        layout, weight = self._layout, self._weight[kept]
        mean = self._mean[kept]
        mean[:, : len(layout.numeric)] += moved[:, :-1]
        mean[:, layout.gapped] -= moved[:, layout.gapped] * mean[:, layout.marks]
        if self._table.y.dtype.kind == "f":
            mean[:, -1] += moved[:, -1]
        centre = weight @ mean / weight.sum()
        return centre, np.sqrt(weight)[:, None] * (mean - centre)

    def _filled(self, raw: Floats, moved: Floats) -> Floats:
        """Matrices in raw columns, [fold] each, for other origins: where a value is missing it stays 0."""
        gapped = self._layout.gapped
        if not len(gapped):
            return raw
        raw = raw.copy()
        raw[:, :, gapped] -= moved[:, None, gapped] * raw[:, :, self._layout.marks]
        return raw
