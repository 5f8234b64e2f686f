"""Which blocks each tree of a cross-validated forest leaves out, so that few trees serve all its trials.

Every tree leaves out s of the K blocks. The forest without block i is made of the trees that leave i out, and the
forest without {i, j} of those that leave out both. With K = 10 and s = 4, two and a half forests' worth of trees serve
the ten outer forests and the forty-five inner ones, which have (s − 1)/(K − 1), a third, of the outer ones' trees.

            blocks   0 1 2 3 4 5 6 7 8 9
    tree 0           . x x . x x . x x .       in the forests without 0, 3, 6, 9 and without any two of them
    tree 1           x . . x x . x x . x       …

s is chosen so that what a tree keeps is just above 1 − 1/e = 63 % of the training part of an outer forest: as many rows
as a bootstrap sample holds. See decision 10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

SHARE = 1 - 1 / math.e  # of the training rows: how many different ones a bootstrap sample holds on average
# With few ways to leave out blocks many trees leave out the same ones, and are to differ all the same.
_FEW_WAYS, _MOST_DRAWN = 50, 0.95
_MOST_EXTRA = 1.25  # trees, over the fewest possible, that go into giving every pair its number


def blocks_left_out(blocks: int) -> int:
    """How many of so many blocks a tree leaves out.

    >>> [blocks_left_out(k) for k in (3, 5, 10, 20)]
    [2, 2, 4, 7]
    """
    return 1 + max(1, math.floor((blocks - 1) / math.e))


def drawn_share(blocks: int) -> float:
    """What share of the rows it keeps a tree draws, so that it holds SHARE of an outer forest's training part.

    >>> round(drawn_share(10), 3), drawn_share(3)
    (0.948, 0.95)
    """
    size = blocks_left_out(blocks)
    most = _MOST_DRAWN if math.comb(blocks, size) < _FEW_WAYS else 1.0
    return min(most, SHARE * (blocks - 1) / (blocks - size))


@dataclass(frozen=True, eq=False)
class Roster:
    """What every tree leaves out. An outer forest is of `outer` trees, an inner one of `inner`."""

    blocks: int
    left_out: tuple[tuple[int, ...], ...]
    outer: int
    inner: int

    @cached_property
    def trees(self) -> dict[tuple[int, ...], tuple[int, ...]]:
        """For every block and every pair of blocks: the numbers of the trees of the forest without it."""
        found: dict[tuple[int, ...], list[int]] = {}
        for tree, blocks in enumerate(self.left_out):
            for without in [*((b,) for b in blocks), *combinations(blocks, 2)]:
                chosen = found.setdefault(without, [])
                if len(chosen) < (self.outer if len(without) == 1 else self.inner):
                    chosen.append(tree)
        return {without: tuple(chosen) for without, chosen in found.items()}

    def counts(self, without: tuple[int, ...], wanted: Sequence[int]) -> list[int]:
        """How many trees stand for outer forests of so many: an inner forest has its share of each."""
        if len(without) == 1:
            return list(wanted)
        return [max(1, math.ceil(self.inner * count / self.outer)) for count in wanted]


def make_roster(blocks: int, outer: int, rng: np.random.Generator) -> Roster:
    """Enough trees for outer forests of `outer` trees, dealt so that blocks and pairs are left out evenly.

    >>> roster = make_roster(10, 100, np.random.default_rng(0))
    >>> 250 <= len(roster.left_out) <= 313, 30 <= roster.inner <= 34
    (True, True)
    """
    size = blocks_left_out(blocks)
    target = math.ceil(outer * (size - 1) / (blocks - 1))
    together = np.zeros((blocks, blocks), dtype=np.int64)  # how often two were left out together; once, on the diagonal
    left_out: list[tuple[int, ...]] = []
    enough = math.ceil(_MOST_EXTRA * outer * blocks / size)
    while True:
        fewest = int(together[~np.eye(blocks, dtype=bool)].min())
        if together.diagonal().min() >= outer and (fewest >= target or (fewest >= 1 and len(left_out) >= enough)):
            return Roster(blocks, tuple(left_out), outer, min(target, fewest))
        chosen = _rarest(together, size, rng)
        together[np.ix_(chosen, chosen)] += 1
        left_out.append(tuple(sorted(chosen.tolist())))


def _rarest(together: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Blocks that were left out, and left out together, least often; of equals at random."""
    luck = rng.random(len(together))
    chosen: list[int] = [int(np.lexsort((luck, together.diagonal()))[0])]
    beside = together[chosen[0]].copy()
    while len(chosen) < size:
        order = np.lexsort((luck, together.diagonal(), beside))
        following = next(int(b) for b in order if b not in chosen)
        chosen.append(following)
        beside += together[following]
    return np.array(chosen)
