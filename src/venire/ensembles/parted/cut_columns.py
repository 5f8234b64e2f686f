"""Where the columns of a table in parts are cut: the very cuts of one machine, from counts alone.

Values are written as keys, whole numbers of the same order. Parts count how many begin with which 16 bits; added up,
these are weights of stretches, and the core's rule for bins says in which stretches a bin ends. Of these and their
neighbours further bits are asked, until every end lies between two values that are known to the last bit. Inside a bin
nothing has to be known but how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire._core import BlockBinner, bin_ends

Keys = NDArray[np.uint64]
Counts = NDArray[np.int64]
Asked = tuple[int, int, Keys, int]  # a column, how many bits are known, these bits, and how many are wanted
Counted = tuple[Keys, Counts]
Cut = tuple[list[float], list[float], float, float]
Ask = Callable[[Sequence[Asked]], list[list[Counted]]]  # the answers of all parts

_FIRST, _FINER, _FURTHER = 16, 4, 6  # bits: at first, then of all heavy stretches, then where bins end
_FEW = 1 << 18  # values: their keys are asked whole, and those around them
_AROUND = 16  # stretches on each side of where a bin seems to end: it may move as others do
_FINE = 16  # stretches that weigh more than this share of a bin are looked into first
_TOGETHER = 16  # columns in one message


@dataclass(frozen=True)
class Codes:
    """The codes of a column of categories, and what each weighs."""

    codes: NDArray[np.float64]
    weights: Counts


def together_coded(parts: Sequence[tuple[NDArray[np.float64], Counts]]) -> Codes:
    """The codes of all parts."""
    codes, place = np.unique(np.concatenate([codes for codes, _ in parts]), return_inverse=True)
    weights = np.zeros(len(codes), dtype=np.int64)
    np.add.at(weights, place, np.concatenate([weights for _, weights in parts]))
    return Codes(codes, weights)


class _Column:
    """Stretches of keys: the first key of each, how many of its bits are known, and how many values it has."""

    def __init__(self, number: int, bits: int) -> None:
        self.number, self.bits = number, bits
        self.keys: Keys = np.zeros(1, dtype=np.uint64)
        self.known: Counts = np.zeros(1, dtype=np.int64)
        self.counts: Counts = np.zeros(1, dtype=np.int64)

    def wanted(self, max_bins: int) -> list[Asked]:
        """What is still to be asked."""
        if not self.known[0:1].any() and len(self.keys) == 1:
            return [(self.number, 0, np.zeros(1, dtype=np.uint64), _FIRST)]
        open_ = self._open(max_bins)
        asked = []
        for known in np.unique(self.known[open_]):
            these = open_[self.known[open_] == known]
            few = self.counts[these].sum() <= _FEW
            more = _FINER if known == _FIRST else _FURTHER
            wanted = self.bits if few else min(self.bits, int(known) + more)
            prefixes = self.keys[these] >> np.uint64(self.bits - int(known))
            asked.append((self.number, int(known), prefixes, wanted))
        return asked

    def _open(self, max_bins: int) -> NDArray[np.intp]:
        """The stretches of more than one key that the cuts rest on."""
        if not len(self.keys):
            return np.zeros(0, dtype=np.intp)
        if len(self.keys) <= max_bins:
            needed = np.ones(len(self.keys), dtype=bool)
        else:
            needed = np.zeros(len(self.keys), dtype=bool)
            ends = bin_ends(self.counts, max_bins=max_bins).astype(np.intp)
            rests = np.array([0, len(needed) - 1, *ends, *(ends[:-1] + 1)])
            needed[rests] = True
            if (needed & (self.known < self.bits)).any():  # ends may move, a little
                needed[np.clip(np.concatenate([rests - 1, rests + 1, rests + 2]), 0, len(needed) - 1)] = True
            coarse = self.known == _FIRST
            needed |= coarse & (self.counts > self.counts.sum() / (max_bins * _FINE))
        inexact = self.known < self.bits
        for _ in range(_AROUND if (needed & inexact).any() else 0):
            wider = needed.copy()
            wider[1:] |= needed[:-1]
            wider[:-1] |= needed[1:]
            if self.counts[wider & inexact].sum() > _FEW:
                break
            needed = wider
        return np.flatnonzero(needed & inexact)

    def learn(self, asked: Asked, answers: Sequence[Counted]) -> None:
        """Stretches that were looked into give way to those inside them."""
        _, known, prefixes, wanted = asked
        old = np.isin(self.keys, prefixes << np.uint64(self.bits - known) if known else prefixes) & (
            self.known == known
        )
        keys, place = np.unique(np.concatenate([keys for keys, _ in answers]), return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([counts for _, counts in answers]))
        self.keys = np.concatenate([self.keys[~old], keys << np.uint64(self.bits - wanted)])
        self.known = np.concatenate([self.known[~old], np.full(len(keys), wanted)])
        self.counts = np.concatenate([self.counts[~old], counts])
        order = np.argsort(self.keys)
        self.keys, self.known, self.counts = self.keys[order], self.known[order], self.counts[order]

    def cut(self, max_bins: int) -> Cut:
        """By the core; a stretch inside a bin stands for its values."""
        binner = BlockBinner.of(max(1, len(self.keys)), 1, max_bins=max_bins)
        if len(self.keys):
            binner.take_weighed(0, _values(self.keys, self.bits).reshape(-1, 1), self.counts)
        binner.cut(0, categorical=False)
        edges, centers, _, _ = binner.cuts(0)
        return edges, centers, 0.0, 1.0  # boosting looks at no means


def _values(keys: Keys, bits: int) -> NDArray[np.float64]:
    """The numbers that keys stand for.

    >>> _values(np.array([1 << 31, (1 << 31) - 1 - 0x3F800000], dtype=np.uint64), 32).tolist()
    [0.0, -1.0]
    """
    top = np.uint64(1 << (bits - 1))
    words = np.where(keys & top, keys ^ top, ~keys)
    if bits == 64:
        return words.view(np.float64)
    return words.astype(np.uint32).view(np.float32).astype(np.float64)


def cut_columns(ask: Ask, columns: Sequence[int], max_bins: int, *, wide: bool) -> dict[int, Cut]:
    """The cuts of these columns, some columns a message."""
    cuts: dict[int, Cut] = {}
    for first in range(0, len(columns), _TOGETHER):
        together = [_Column(j, 64 if wide else 32) for j in columns[first : first + _TOGETHER]]
        while True:
            asked = [(one, each) for one in together for each in one.wanted(max_bins)]
            if not asked:
                break
            answers = ask([each for _, each in asked])
            for i, (one, each) in enumerate(asked):
                one.learn(each, [part[i] for part in answers])
        cuts.update({one.number: one.cut(max_bins) for one in together})
    return cuts
