"""Which rows are in which fold, and which trials follow from it.

Rows are split once into K folds. Both layers of the validation use the same folds: the model trained without
{i, j} is an inner model of outer fold i (tested on j) and of outer fold j (tested on i), so K + K(K−1)/2 trials
serve the K(K−1) inner and K outer fits of the plain loops.

            without  {2}  {0,2}  {1,2}  {2,3}  …
    outer 2:         test on 2   choose the setting on 0, 1, 3, …

In time order a model trained on the folds before j is an outer model at j and an inner one for every later fold,
so two layers cost no more than one. A hold-out is the shortest such order: train, (validate,) test.

Where the inner folds are split anew for every outer fold, or the parts are given from outside, nothing can be shared
and every outer fold is a repeat of its own: fold 0 is tested, the folds after it are the inner folds. These are left
out in turn, or, in time order, are windows: each is predicted from those before it.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table

Place = tuple[int, int]  # repeat and outer fold

_COMPARED = 2  # so many folds are found faster by comparing with each than by looking each row's fold up


@dataclass(frozen=True, slots=True, order=True)
class Trial:
    """One fit: the folds it is trained on and the folds it predicts, within one split of the rows."""

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
    """Where a held-out prediction is found: the trial that made it, and the fold it is about."""

    trial: Trial
    fold: int


class Ground(NamedTuple):
    """What a trial is prepared and run on: a table, a plan of its rows, and the trial as that plan knows it."""

    table: Table
    plan: Plan
    trial: Trial


@dataclass(frozen=True, eq=False)
class Plan:
    """The folds of every repeat, and what is trained on what."""

    fold_of: NDArray[np.int32]  # [repeat, row]
    folds: int
    splitting: str  # "random", "stratified", "grouped" or "time"; "holdout", "nested", "bootstrap"
    seed: int
    notes: tuple[str, ...] = ()
    layers: int = 2  # 1: nothing is chosen inside, so no pair is left out
    spare: int = 0  # so many of the last folds: their rows take no part
    windows: bool = False  # inner folds of its own are in time order
    keeps_seen: bool = True  # whether evidence has the predictions of rows trained on, and not their losses alone
    cases: NDArray[np.int32] | None = None  # equal for copies of one row; None where no row is a copy

    @property
    def repeats(self) -> int:
        """How often the rows were split anew."""
        return int(self.fold_of.shape[0])

    @property
    def used_folds(self) -> int:
        """The folds whose rows take part."""
        return self.folds - self.spare

    @property
    def ordered(self) -> bool:
        """Whether a fold is only ever predicted from those before it: in time, and from a hold-out's training part."""
        return self.splitting in ("time", "holdout")

    @property
    def own_inner_folds(self) -> bool:
        """Whether every repeat is one outer fold (0) with inner folds of its own."""
        return self.splitting in ("nested", "bootstrap")

    @property
    def own_tables(self) -> bool:
        """Whether every repeat has a table of its own, as a sample has in which a row stands twice."""
        return False

    def within(self, table: Table, trial: Trial) -> Ground:
        """What a trial is prepared and run on: the table and this plan, unless repeats have tables of their own."""
        return Ground(table, self, trial)

    @property
    def inner_folds(self) -> tuple[int, ...]:
        """Of a plan with inner folds of its own: those that are trained on, and chosen on in turn."""
        return tuple(range(1, self.used_folds))

    def rows(self, repeat: int, folds: tuple[int, ...]) -> NDArray[np.intp]:
        """The rows of some folds, in ascending order."""
        return np.flatnonzero(self.among(repeat, folds))

    def among(self, repeat: int, folds: tuple[int, ...]) -> NDArray[np.bool_]:
        """For every row, whether it is in one of some folds."""
        if 0 < len(folds) <= _COMPARED:
            assigned = self.fold_of[repeat]
            return np.asarray(np.logical_or.reduce([assigned == fold for fold in folds]))
        wanted = np.zeros(self.folds, dtype=bool)
        wanted[list(folds)] = True
        return np.asarray(wanted[self.fold_of[repeat]])

    def train_rows(self, trial: Trial) -> NDArray[np.intp]:
        """The rows a trial is trained on."""
        return self.rows(trial.repeat, trial.train)

    def test_rows(self, trial: Trial) -> NDArray[np.intp]:
        """The rows a trial predicts."""
        return self.rows(trial.repeat, trial.test)

    def seen_folds(self, trial: Trial) -> tuple[int, ...]:
        """Of the folds a trial is trained on, those its training error is taken on: none if it is not shown.

        Where folds are shared between the layers it is the one before the fold left out, round the circle: over all
        outer models that is every row once, as it is for the held-out error. All training rows of all of them would
        be as much to predict as everything else together. Elsewhere it is all folds.
        """
        if not self.is_outer(trial):
            return ()
        if self.layers == 1 or self.own_inner_folds or self.splitting == "holdout":
            return trial.train
        before = bisect_left(trial.train, trial.test[0]) - 1
        return (trial.train[before],)

    def copies_apart(self, repeat: int = 0) -> NDArray[np.bool_]:
        """For every row, whether a copy of it is in another fold."""
        if self.cases is None:
            return np.zeros(self.fold_of.shape[1], dtype=bool)
        folds = self.fold_of[repeat]
        low, high = np.full(int(self.cases.max()) + 1, self.folds), np.full(int(self.cases.max()) + 1, -1)
        np.minimum.at(low, self.cases, folds)
        np.maximum.at(high, self.cases, folds)
        return np.asarray((low != high)[self.cases])

    @cached_property
    def copied_share(self) -> float:
        """The share of rows that are copies of one another and share a fold."""
        if self.cases is None or self.copies_apart().any():
            return 0.0
        return float((np.bincount(self.cases)[self.cases] > 1).mean())

    def independent(self, rows: NDArray[np.intp]) -> float:
        """How many independent rows some rows are worth: copies of one row that share a fold count as one.

        Where some rows have more copies than others it is (Σ m)² / Σ m², the effective size of a weighted sample.
        """
        if self.cases is None or not self.copied_share:
            return len(rows)
        sizes = np.bincount(self.cases[rows]).astype(np.float64)
        return float(sizes.sum() ** 2 / np.square(sizes).sum())

    def predicted_rows(self, trial: Trial) -> list[NDArray[np.intp]]:
        """The parts of the rows a trial tells of: those it predicts, and those its training error is taken on."""
        return [self.test_rows(trial), *self.seen_rows(trial)]

    def seen_rows(self, trial: Trial) -> list[NDArray[np.intp]]:
        """The rows a trial's training error is taken on: one part, or none where it is not shown."""
        seen = self.seen_folds(trial)
        return [self.rows(trial.repeat, seen)] if seen else []

    def outer_folds(self) -> tuple[int, ...]:
        """The folds whose error is reported: all, but in time order only those with a fold for each layer before."""
        if self.own_inner_folds:
            return (0,)
        if self.ordered:
            return tuple(range(self.layers, self.used_folds))
        return tuple(range(self.folds))

    def outer(self, repeat: int, i: int) -> Held:
        """The prediction of fold i by what was trained on everything it may see."""
        return Held(self._without(repeat, (i,)), i)

    def inner(self, repeat: int, i: int) -> tuple[Held, ...]:
        """The predictions on which the choice for outer fold i is made; none has seen fold i."""
        if self.ordered:
            return tuple(self.outer(repeat, j) for j in range(1, i))
        if self.own_inner_folds:
            return self._inner_of_its_own(repeat)
        return tuple(Held(self._without(repeat, (i, j)), j) for j in range(self.folds) if j != i)

    def _inner_of_its_own(self, repeat: int) -> tuple[Held, ...]:
        folds = self.inner_folds if len(self.inner_folds) > 1 else ()
        if self.windows:
            return tuple(Held(Trial(repeat, folds[:at], (j,)), j) for at, j in enumerate(folds) if at)
        return tuple(Held(Trial(repeat, tuple(b for b in folds if b != j), (j,)), j) for j in folds)

    def final(self, repeat: int) -> tuple[Held, ...]:
        """The predictions on which the choice for all rows is made: one-layer cross-validation."""
        if self.own_inner_folds or self.splitting == "holdout":
            return (self.outer(repeat, 0 if self.own_inner_folds else self.used_folds - 1),)
        return tuple(self.outer(repeat, j) for j in range(1 if self.ordered else 0, self.used_folds))

    @property
    def places(self) -> tuple[Place, ...]:
        """Every fold whose error is reported, of every repeat."""
        return tuple((repeat, fold) for repeat in range(self.repeats) for fold in self.outer_folds())

    @property
    def finals(self) -> tuple[Held, ...]:
        """The predictions of all repeats on which the choice for all rows is made."""
        return tuple(held for repeat in range(self.repeats) for held in self.final(repeat))

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial of a family, the outer ones first."""
        found: list[Trial] = []
        for repeat in range(self.repeats):
            if self.splitting == "holdout":
                found += [self.outer(repeat, j).trial for j in range(1, self.used_folds)]
                continue
            found += [held.trial for held in self.final(repeat)]
            if self.own_inner_folds and self.layers > 1:
                found += [held.trial for held in self.inner(repeat, 0)]
            elif not self.ordered and not self.own_inner_folds and self.layers > 1:
                found += [self._without(repeat, pair) for pair in combinations(range(self.folds), 2)]
        return tuple(found)

    @property
    def may_end_early(self) -> bool:
        """Whether a trial may leave the last settings of a path out; their outputs are NaN."""
        return False

    def is_outer(self, trial: Trial) -> bool:
        """Whether the trial's training error is shown: it is an outer model."""
        return trial.test == (0,) if self.own_inner_folds else len(trial.test) == 1

    def digest(self) -> str:
        """Equal for equal splits, of whose trials the same is kept."""
        text = f"{self.splitting}|{self.folds}|{self.seed}"
        if (self.layers, self.spare, self.windows, self.keeps_seen) != (2, 0, False, True):
            text += f"|{self.layers}|{self.spare}|{self.windows}|{self.keeps_seen}"
        digest = hashlib.blake2b(text.encode(), digest_size=16)
        digest.update(np.ascontiguousarray(self.fold_of).data)
        return digest.hexdigest()

    def test_over_train(self, places: Sequence[Place] | None = None) -> float:
        """Rows tested over rows trained on, averaged over outer models (all): how much their training sets overlap."""
        sizes = [np.bincount(assigned, minlength=self.folds) for assigned in self.fold_of]
        shares = []
        for repeat, i in self.places if places is None else places:
            if self.ordered or self.own_inner_folds:
                trained = sizes[repeat][list(self.outer(repeat, i).trial.train)].sum()
            else:  # the rest, without counting it fold by fold: there may be a fold a row
                trained = self.fold_of.shape[1] - sizes[repeat][i]
            shares.append(sizes[repeat][i] / trained)
        return float(np.mean(shares))

    def _without(self, repeat: int, left_out: tuple[int, ...]) -> Trial:
        if self.ordered:
            (j,) = left_out
            return Trial(repeat, tuple(range(j)), (j,))
        if self.own_inner_folds:
            return Trial(repeat, self.inner_folds, (0,))
        kept: tuple[int, ...] = ()
        begin = 0
        for fold in sorted(left_out):  # slices of one tuple: with a fold a row there are very many numbers
            kept += self._all[begin:fold]
            begin = fold + 1
        return Trial(repeat, kept + self._all[begin:], tuple(sorted(left_out)))

    @cached_property
    def _all(self) -> tuple[int, ...]:
        return tuple(range(self.folds))
