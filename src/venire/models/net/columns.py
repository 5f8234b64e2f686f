"""Columns as a net wants them: numbers of a like size, each also in pieces, and a column for each category.

A number is taken relative to the median and the spread of the middle half, and drawn in smoothly beyond three of them,
so that one wild value moves little (as in RealMLP, Holzmüller et al. 2024). The same number is written once more in
pieces: for each range between quantiles, how far it has come through it (piecewise linear encoding, Gorishniy et
al. 2022), so that the first layer can bend where the rows are. A missing number is 0 everywhere, and a column of its
own says so. A category is one of as many columns; a missing or unknown one is none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from venire.models.few_rows import FEW_ROWS
from venire.states.constraints import Check, array, record, sequence

Floats = NDArray[np.float64]
MOST_LEVELS = 64  # columns that one of categories becomes; rarer ones are none of them
_MOST_PIECES = 4096  # of all numbers together: wide tables are written in fewer, or in none
_MOST_COLUMNS_OF_LEVELS = 16_384  # of all categories together
FAR = 3.0  # spreads, beyond which numbers are drawn in
WILD = 1e150  # numbers beyond are taken as this one, so that no difference is infinite


class _Places(NamedTuple):
    """Where what is written of numbers goes: itself, whether it is missing, and its pieces with their columns."""

    scaled: NDArray[np.int64]
    gaps: NDArray[np.int64]
    pieces: NDArray[np.int64]
    of: NDArray[np.int64]
    lows: Floats
    widths: Floats
    end: int


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
        out = np.zeros((len(X), self.width), dtype=np.float32)
        at = 0
        if len(X) <= FEW_ROWS:
            at = self._write_few(X[:, self.numeric].astype(np.float64), out)
        else:
            for place, j in enumerate(self.numeric):
                at = self._write_number(X[:, j].astype(np.float64), place, out, at)
        for j, levels in zip(self.categorical, self.levels, strict=True):
            out[:, at : at + len(levels)] = X[:, j, None] == levels
            at += len(levels)
        return out

    @cached_property
    def _places(self) -> _Places:
        scaled: list[int] = []
        gaps: list[int] = []
        pieces, at = [np.empty(0, dtype=np.int64)], 0
        for edges, gap in zip(self.edges, self.gaps.tolist(), strict=True):
            scaled.append(at)
            pieces.append(np.arange(at + 1, at + max(1, len(edges))))
            at += max(1, len(edges)) + gap
            gaps += [at - 1] if gap else []
        lows = np.concatenate([np.empty(0), *(edges[:-1] for edges in self.edges)])
        highs = np.concatenate([np.empty(0), *(edges[1:] for edges in self.edges)])
        of = np.repeat(np.arange(len(scaled)), [len(each) for each in pieces[1:]])
        return _Places(np.array(scaled, int), np.array(gaps, int), np.concatenate(pieces), of, lows, highs - lows, at)

    def _write_few(self, numbers: Floats, out: NDArray[np.float32]) -> int:
        """All numeric columns at once: the same numbers in the same places, in fewer calls."""
        places, missing = self._places, np.isnan(numbers)
        numbers = numbers.clip(-WILD, WILD)
        with np.errstate(over="ignore"):
            scaled = np.where(missing, 0.0, (numbers - self.centre) / self.spread)
        scaled = scaled.clip(-WILD, WILD)
        out[:, places.scaled] = scaled / np.sqrt(1 + (scaled / FAR) ** 2)
        through = ((numbers[:, places.of] - places.lows) / places.widths).clip(0.0, 1.0)
        out[:, places.pieces] = np.where(missing[:, places.of], 0.0, through)
        out[:, places.gaps] = missing[:, self.gaps]
        return places.end

    def _write_number(self, column: Floats, place: int, out: NDArray[np.float32], at: int) -> int:
        missing = np.isnan(column)
        column = column.clip(-WILD, WILD)
        with np.errstate(over="ignore"):
            scaled = np.where(missing, 0.0, (column - self.centre[place]) / self.spread[place])
        scaled = scaled.clip(-WILD, WILD)
        out[:, at] = scaled / np.sqrt(1 + (scaled / FAR) ** 2)
        at += 1
        for low, high in pairwise(self.edges[place]):
            through = ((column - low) / (high - low)).clip(0.0, 1.0)
            out[:, at] = np.where(missing, 0.0, through)
            at += 1
        if self.gaps[place]:
            out[:, at] = missing
            at += 1
        return at


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
