"""Which folds each tree of a cross-validated forest leaves out, so that few trees serve all its trials.

Every tree leaves out s of the K folds, about half of them. The forest without fold i is made of trees that leave i
out, and the forest without {i, j} of trees that leave out both. With K = 10 and s = 5, four and a half forests' worth
of trees serve the ten outer forests and the forty-five inner ones, each with all its trees.

            folds   0 1 2 3 4 5 6 7 8 9
    tree 0           . x x . . x . x x .       in the forests without 0, 3, 4, 6, 9 and without any two of them
    tree 1           x . . x x . x . . x       …

What a tree keeps is about half the training part of an outer forest. Decision 10 says why that is enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

SHARE = 0.5  # of the training rows: what a tree is grown on
DRAWN = 0.9  # of the rows it keeps: what a tree draws, so that two that leave out the same folds differ


def folds_left_out(folds: int) -> int:
    """How many of so many folds a tree leaves out: all but half of an outer forest's.

    >>> [folds_left_out(k) for k in (3, 5, 10, 20)]
    [2, 3, 5, 10]
    """
    return folds - math.ceil((folds - 1) / 2)


@dataclass(frozen=True, eq=False)
class Roster:
    """What every tree leaves out, for forests of `size` trees."""

    folds: int
    left_out: tuple[tuple[int, ...], ...]
    size: int

    @cached_property
    def trees(self) -> dict[tuple[int, ...], tuple[int, ...]]:
        """For every fold and every pair of folds: the numbers of the trees of the forest without it."""
        found: dict[tuple[int, ...], list[int]] = {}
        for tree, folds in enumerate(self.left_out):
            for without in [*((b,) for b in folds), *combinations(folds, 2)]:
                chosen = found.setdefault(without, [])
                if len(chosen) < self.size:
                    chosen.append(tree)
        return {without: tuple(chosen) for without, chosen in found.items()}


def make_roster(folds: int, size: int, rng: np.random.Generator, *, pairs: bool = True) -> Roster:
    """Enough trees for forests of `size` trees without each fold (and with `pairs`, each pair), split evenly.

    >>> roster = make_roster(10, 100, np.random.default_rng(0))
    >>> 450 <= len(roster.left_out) <= 475
    True
    """
    count = folds_left_out(folds)
    together = np.zeros((folds, folds), dtype=np.int64)  # how often two were left out together; once, on the diagonal
    left_out: list[tuple[int, ...]] = []
    while (together if pairs else together.diagonal()).min() < size:
        chosen = _rarest(together, count, rng)
        together[np.ix_(chosen, chosen)] += 1
        left_out.append(tuple(sorted(chosen.tolist())))
    return Roster(folds, tuple(left_out), size)


def _rarest(together: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Folds that were left out, and left out together, least often; of equals at random."""
    alone = together.diagonal() + rng.random(len(together))
    beside = np.zeros(len(together))
    chosen: list[int] = []
    while len(chosen) < size:
        rarity = beside * 2.0**20 + alone  # how often beside the others counts first
        rarity[chosen] = np.inf
        chosen.append(int(rarity.argmin()))
        beside += together[chosen[-1]]
    return np.array(chosen)
