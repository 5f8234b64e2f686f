"""One part of the rows, whose codes all parts share: each then grows trees of its own, on all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import Bins, BlockBinner
from venire.ensembles.parted.cut_columns import Codes, Cut
from venire.ensembles.parted.part import Part
from venire.models.tree.growth import Growth, Problem
from venire.models.tree.storage import arrays_of

OneByte = NDArray[np.uint8]
Target = tuple[NDArray[Any] | None, NDArray[np.float64] | None, NDArray[np.float64] | None]  # labels, y, weights


class ForestPart(Part):
    """A part of the rows, and a worker for trees."""

    _codes: OneByte  # [column, row], of its own rows
    _cuts: Sequence[Cut | Codes]
    _max_bins: int
    _gathered: BlockBinner
    _bins: Bins | None = None
    _problem: Problem | None = None

    def target(self) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        """The target as it came, and what rows weigh."""
        return self._read.y, self._read.weights

    def take_units(self, units: NDArray[np.int64] | None) -> None:
        """What its rows weigh in whole units, as bins count them."""
        self._units = units

    def encode(self, cuts: Sequence[Cut | Codes], max_bins: int, wide: bool, rows: int) -> None:
        """Its own rows as codes; and room for those of all."""
        self._cuts, self._max_bins = cuts, max_bins
        self._codes = self._encoded(cuts, max_bins, wide).codes
        self._gathered = BlockBinner.of(rows, len(cuts), max_bins=max_bins)
        self._adopt(self._gathered, cuts)
        self._bins = None

    def own_codes(self, first: int, last: int) -> OneByte:
        """The codes of some columns."""
        return self._codes[first:last]

    def take_codes(self, column: int, pieces: Sequence[tuple[int, OneByte]]) -> None:
        """Codes of some columns, by the first row of each piece."""
        for row, codes in pieces:
            for j, one in enumerate(codes, start=column):
                self._gathered.put(j, row, np.ascontiguousarray(one))

    def take_target(self, classes: int, rows: int, first: int, told: Target) -> None:
        """A stretch of what is to be predicted."""
        if first == 0:
            labels, y, weights = told
            self._problem = Problem(
                classes,
                None if labels is None else np.zeros(rows, dtype=np.int32),
                None if y is None else np.zeros(rows),
                None if weights is None else np.zeros(rows),
            )
        assert self._problem is not None
        for to, one in zip((self._problem.labels, self._problem.y, self._problem.weights), told, strict=True):
            if to is not None and one is not None:
                to[first : first + len(one)] = one

    def trees_grown(self, growth: Growth) -> Mapping[str, Any] | None:
        """Some trees; None where there are none to grow."""
        if growth.count == 0:
            return None
        if self._bins is None:
            self._bins = self._gathered.finish()
        assert self._problem is not None
        return dict(arrays_of(growth.grow(self._bins, None, self._problem)))
