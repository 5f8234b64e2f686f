"""Columns as a net wants them: numbers of a like size, each also in pieces, and a column for each category.

A number is taken relative to the median and the spread of the middle half, and drawn in smoothly beyond three of them,
so that one wild value moves little (as in RealMLP, Holzmüller et al. 2024). The same number is written once more in
pieces: for each range between quantiles, how far it has come through it (piecewise linear encoding, Gorishniy et
al. 2022), so that the first layer can bend where the rows are. A missing number is 0 everywhere, and a column of its
own says so. A category is one of as many columns; a missing or unknown one is none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from venire._core import NetColumns as CoreColumns
from venire.states.constraints import Check, array, record, sequence

Floats = NDArray[np.float64]
MOST_LEVELS = 64  # columns that one of categories becomes; rarer ones are none of them
_MOST_PIECES = 4096  # of all numbers together: wide tables are written in fewer, or in none
_MOST_COLUMNS_OF_LEVELS = 16_384  # of all categories together
# As in `core/net/columns.cpp`, which writes them.
FAR = 3.0  # spreads, beyond which numbers are drawn in
WILD = 1e150  # numbers beyond are taken as this one, so that no difference is infinite


class _Flat(NamedTuple):
    """Edges and levels of all columns one after the other, as the core takes them, with where those of each begin."""

    numeric: NDArray[np.uint32]
    centre: Floats
    spread: Floats
    gaps: NDArray[np.bool_]
    edge_starts: NDArray[np.int64]
    edges: Floats
    categorical: NDArray[np.uint32]
    level_starts: NDArray[np.int64]
    levels: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NetColumns:
    """What was learned of the columns of a training part."""

    numeric: NDArray[np.int64]  # column numbers
    centre: Floats  # one a numeric column, as the next
    spread: Floats
    edges: list[Floats]  # of the pieces, rising; none for a column with few values
    gaps: NDArray[np.bool_]  # the training part had missing numbers
    categorical: NDArray[np.int64]  # column numbers
    levels: list[NDArray[np.int64]]  # one a categorical column: the codes that have a column, rising

    @classmethod
    def of(cls, X: NDArray[Any], categorical: NDArray[np.bool_], bins: int) -> Self:
        """Learn from these rows; with so many pieces a numeric column, 0 for none."""
        numeric, chosen = np.flatnonzero(~categorical), np.flatnonzero(categorical)
        bins = min(bins, _MOST_PIECES // max(1, len(numeric)))
        most = max(1, min(MOST_LEVELS, _MOST_COLUMNS_OF_LEVELS // max(1, len(chosen))))
        values = [_present(X[:, j]) for j in numeric]
        middle = [_middle(each) for each in values]
        return cls(
            numeric=numeric,
            centre=np.array([centre for centre, _ in middle], dtype=np.float64),
            spread=np.array([spread for _, spread in middle], dtype=np.float64),
            edges=[_edges(each, bins) for each in values],
            gaps=np.array([len(each) < len(X) for each in values], dtype=bool),
            categorical=chosen,
            levels=[_levels(_present(X[:, j]), most) for j in chosen],
        )

    @property
    def width(self) -> int:
        """How many columns a net sees; at least one."""
        pieces = sum(max(0, len(edges) - 1) for edges in self.edges)
        levels = sum(len(levels) for levels in self.levels)
        return max(1, len(self.numeric) + pieces + int(self.gaps.sum()) + levels)

    def transform(self, X: NDArray[Any]) -> NDArray[np.float32]:
        """These rows for a net: [row, width]."""
        return self.in_core().write(X)

    def in_core(self) -> CoreColumns:
        """The same for the core, which writes them block by block while nets see the rows."""
        return CoreColumns.of(**self._flat._asdict())

    @cached_property
    def _flat(self) -> _Flat:
        return _Flat(
            numeric=self.numeric.astype(np.uint32),
            centre=self.centre,
            spread=self.spread,
            gaps=self.gaps,
            edge_starts=_starts(self.edges),
            edges=np.concatenate([np.empty(0), *self.edges]),
            categorical=self.categorical.astype(np.uint32),
            level_starts=_starts(self.levels),
            levels=np.concatenate([np.empty(0, dtype=np.int64), *self.levels]),
        )


def _starts(parts: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _present(column: NDArray[Any]) -> NDArray[Any]:
    return column[~np.isnan(column)].astype(np.float64).clip(-WILD, WILD) if column.dtype.kind == "f" else column


def _middle(values: NDArray[Any]) -> tuple[float, float]:
    """The median, and the spread of the middle half, or of all where half of the values are one."""
    if not values.size:
        return 0.0, 1.0
    low, centre, high = np.quantile(values.astype(np.float64), [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349  # as large as the standard deviation where values are normal
    if not spread > 0:
        spread = float(values.max()) / 2 - float(values.min()) / 2
    usable = np.isfinite(spread) and spread > np.finfo(np.float64).tiny
    return float(centre), float(spread) if usable else 1.0


def _edges(values: NDArray[Any], bins: int) -> Floats:
    """Quantiles that differ; none where there are too few to bend at."""
    if bins < 2 or not values.size:
        return np.empty(0)
    edges = np.unique(np.quantile(values.astype(np.float64), np.linspace(0, 1, bins + 1)))
    wide = np.concatenate([[True], np.diff(edges) > 1e-9 * np.ptp(edges)]) & np.isfinite(edges)
    edges = edges[wide]
    return edges if len(edges) > 2 else np.empty(0)


def _levels(values: NDArray[Any], most: int) -> NDArray[np.int64]:
    """The codes that are there, the frequent ones where there are many."""
    codes, counts = np.unique(values.astype(np.int64), return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:most]
    return np.asarray(np.sort(codes[frequent]), dtype=np.int64)


COLUMNS: Check = record(
    NetColumns,
    numeric=array("i8", "numeric", low=0, below="features"),
    centre=array("f8", "numeric"),
    spread=array("f8", "numeric", low=np.finfo(np.float64).tiny),
    edges=sequence(array("f8", None), "numeric"),
    gaps=array("?", "numeric"),
    categorical=array("i8", "categorical", low=0, below="features"),
    levels=sequence(array("i8", None), "categorical"),
)  # the check of a stored one
