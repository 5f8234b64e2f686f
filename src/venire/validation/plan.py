"""Which rows are in which block, and which trials follow from it.

Rows are dealt once into K blocks. Both layers of the validation use the same blocks: the model trained without
{i, j} is an inner model of outer block i (tested on j) and of outer block j (tested on i), so K + K(K−1)/2 trials
serve the K(K−1) inner and K outer fits of the plain loops.

            without  {2}  {0,2}  {1,2}  {2,3}  …
    outer 2:         test on 2   choose the setting on 0, 1, 3, …

In time order a model trained on the blocks before j is an outer model at j and an inner one for every later block,
so two layers cost no more than one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, order=True)
class Trial:
    """One fit: the blocks it is trained on and the blocks it predicts, within one dealing of the rows."""

    repeat: int
    train: tuple[int, ...]
    test: tuple[int, ...]

    @property
    def key(self) -> str:
        """A short name, the same whenever the trial is the same."""
        text = f"{self.repeat}|{','.join(map(str, self.train))}|{','.join(map(str, self.test))}"
        return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()

    def seed(self, seed: int, family: str) -> int:
        """The random state of this fit: a hash of what is trained on what, never of when it runs."""
        text = f"{seed}|{self.repeat}|{family}|{','.join(map(str, self.train))}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little") >> 1


@dataclass(frozen=True, slots=True)
class Held:
    """Where a held-out prediction is found: the trial that made it, and the block it is about."""

    trial: Trial
    block: int


@dataclass(frozen=True, eq=False)
class Plan:
    """The blocks of every repeat, and what is trained on what."""

    block_of: NDArray[np.int32]  # [repeat, row]
    blocks: int
    dealing: str  # "random", "stratified", "grouped" or "time"
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def repeats(self) -> int:
        """How often the rows were dealt anew."""
        return int(self.block_of.shape[0])

    @property
    def ordered(self) -> bool:
        """Whether the blocks follow each other in time."""
        return self.dealing == "time"

    def rows(self, repeat: int, blocks: tuple[int, ...]) -> NDArray[np.intp]:
        """The rows of some blocks, in ascending order."""
        return np.flatnonzero(self.among(repeat, blocks))

    def among(self, repeat: int, blocks: tuple[int, ...]) -> NDArray[np.bool_]:
        """For every row, whether it is in one of some blocks."""
        wanted = np.zeros(self.blocks, dtype=bool)
        wanted[list(blocks)] = True
        return np.asarray(wanted[self.block_of[repeat]])

    def train_rows(self, trial: Trial) -> NDArray[np.intp]:
        """The rows a trial is trained on."""
        return self.rows(trial.repeat, trial.train)

    def test_rows(self, trial: Trial) -> NDArray[np.intp]:
        """The rows a trial predicts."""
        return self.rows(trial.repeat, trial.test)

    def outer_blocks(self) -> tuple[int, ...]:
        """The blocks whose error is reported: all, but in time order only those with two before them."""
        return tuple(range(2, self.blocks)) if self.ordered else tuple(range(self.blocks))

    def outer(self, repeat: int, i: int) -> Held:
        """The prediction of block i by what was trained on everything it may see."""
        return Held(self._without(repeat, (i,)), i)

    def inner(self, repeat: int, i: int) -> tuple[Held, ...]:
        """The predictions on which the choice for outer block i is made; none has seen block i."""
        if self.ordered:
            return tuple(self.outer(repeat, j) for j in range(1, i))
        return tuple(Held(self._without(repeat, (i, j)), j) for j in range(self.blocks) if j != i)

    def final(self, repeat: int) -> tuple[Held, ...]:
        """The predictions on which the choice for all rows is made: one-layer cross-validation."""
        return tuple(self.outer(repeat, j) for j in range(1 if self.ordered else 0, self.blocks))

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial of a family, the outer ones first."""
        found: list[Trial] = []
        for repeat in range(self.repeats):
            found += [held.trial for held in self.final(repeat)]
            if not self.ordered:
                found += [self._without(repeat, pair) for pair in combinations(range(self.blocks), 2)]
        return tuple(found)

    def is_outer(self, trial: Trial) -> bool:
        """Whether the trial's training error is shown: it is an outer model."""
        return len(trial.test) == 1

    def digest(self) -> str:
        """Equal for equal dealings."""
        digest = hashlib.blake2b(f"{self.dealing}|{self.blocks}|{self.seed}".encode(), digest_size=16)
        digest.update(np.ascontiguousarray(self.block_of).data)
        return digest.hexdigest()

    def test_over_train(self) -> float:
        """Rows tested over rows trained on, averaged over the outer models: how much their training sets overlap."""
        shares = []
        for repeat in range(self.repeats):
            sizes = np.bincount(self.block_of[repeat], minlength=self.blocks)
            for i in self.outer_blocks():
                trained = sizes[list(self.outer(repeat, i).trial.train)].sum()
                shares.append(sizes[i] / trained)
        return float(np.mean(shares))

    def _without(self, repeat: int, left_out: tuple[int, ...]) -> Trial:
        if self.ordered:
            (j,) = left_out
            return Trial(repeat, tuple(range(j)), (j,))
        return Trial(repeat, tuple(b for b in range(self.blocks) if b not in left_out), tuple(sorted(left_out)))
