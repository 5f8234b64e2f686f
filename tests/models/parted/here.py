"""Parts in this process, one of which may be lost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from venire.models.parted.part_rows import PartRows
from venire.models.parted.partitions import Wanted
from venire.models.parted.team import LostPart


class Here:
    """Parts in this process; `lost` is how many questions they answer before one of them is gone."""

    def __init__(
        self,
        sources: Sequence[Any],
        cuts: Sequence[int],
        *,
        numeric: bool,
        part: type = PartRows,
        lost: int = 0,
        **wanted: Any,
    ) -> None:
        self._asked = [(first, sources[first:last]) for first, last in pairwise(cuts)]
        self._wanted = Wanted(numeric=numeric, categories=True, **wanted)
        self._part, self._lost, self.renewed, self.questions = part, lost, 0, 0
        self.methods: list[str] = []
        self._parts: list[Any] = []

    def ask(self, method: str, *given: Sequence[Any]) -> list[Any]:
        self.questions += 1
        self.methods.append(method)
        if self.questions == self._lost:
            raise LostPart
        return [getattr(part, method)(*(each[i] for each in given)) for i, part in enumerate(self._parts)]

    def keep(self, which: Sequence[int]) -> None:
        self._parts = [self._parts[i] for i in which]

    def renew(self) -> None:
        self.renewed += 1
        self._parts = [self._part(first, self._wanted, None, *sources) for first, sources in self._asked]


def in_pieces(X: np.ndarray, y: np.ndarray, parts: int, w: np.ndarray | None = None, **more: Any) -> Here:
    """A team of so many parts, cut wherever, with pieces that are shorter than a block and one that is empty."""
    rows = len(X)
    ends = sorted({0, 1, rows // 5, 8_192, rows // 2, rows // 2 + 1, rows // 2 + 7, rows - 1, rows})
    columns = (X, y) if w is None else (X, y, w)
    sources = [tuple(each[a:b] for each in columns) for a, b in [*pairwise(ends), (0, 0)]]
    sources.insert(2, sources.pop())
    cuts = [len(sources) * k // parts for k in range(parts + 1)]
    return Here(sources, cuts, **more)
