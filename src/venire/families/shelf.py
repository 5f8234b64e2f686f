"""The forests of all trials of one dealing of the rows, filled tree by tree.

A tree is grown on the rows of the blocks it does not leave out, from bins of those rows. It then says something of
every row, which is added to the sums of the forests it belongs to: of an outer forest for all rows (the held-out ones,
and the training rows for the training error), of an inner one for the two blocks it predicts. When a forest has as many
trees as a setting asks for, its means are kept. Trees are added in the order of their numbers, so sums do not depend on
which trial came first.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import Bins
from venire.families.coded import CodedTable, Floats, problem_of
from venire.families.roster import DRAWN, Roster
from venire.metrics.predictions import Output
from venire.models.tree_growth import Growth, Problem, shared_settings
from venire.validation.family import Cancel, Outcome
from venire.validation.plan import Trial
from venire.validation.side_by_side import side_by_side
from venire.validation.training import training_losses

_MOST_SUMS = 3e8  # bytes of running sums; beyond, the recipes take turns and bins are made again for each


@dataclass(frozen=True, eq=False)
class Recipe:
    """Settings that share their trees: an estimator, and the numbers of trees (ascending) of each setting."""

    estimator: Any
    settings: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Bed:
    """A stretch of rows in block order whose predictions are summed for one forest."""

    stretches: tuple[slice, ...]
    sums: list[Floats]  # one an entry of `stretches`

    def add(self, said: Floats) -> None:
        for stretch, total in zip(self.stretches, self.sums, strict=True):
            total += said[stretch]


class Shelf:
    """Outcomes by the blocks left out."""

    def __init__(
        self, table: CodedTable, recipes: tuple[Recipe, ...], roster: Roster, repeat: int, output: Output, seed: int
    ) -> None:
        self._prepared, self._recipes, self._roster, self._seed = table, recipes, roster, seed
        self._output = output
        self._blocks_of = table.plan.block_of[repeat]
        self._order = np.argsort(self._blocks_of, kind="stable")  # rows, block after block
        ends = np.cumsum(np.bincount(self._blocks_of, minlength=table.plan.blocks))
        self._block = [slice(int(a), int(b)) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        target = table.table.target
        assert target is not None
        self._target = target
        self._classes = max(1, len(target.classes))
        pairs = [] if table.plan.layers < 2 else list(combinations(range(table.plan.blocks), 2))
        self._withouts: list[tuple[int, ...]] = [*((i,) for i in range(table.plan.blocks)), *pairs]
        self._outcomes = {without: self._empty(without) for without in self._withouts}
        self._growths: dict[tuple[Recipe, int], Growth] = {}
        self._seconds = 0.0

    def outcome(self, trial: Trial) -> Outcome:
        """What the trial's forests say of its held-out rows; the first asked for answers for the time of all."""
        found = replace(self._outcomes[trial.test], seconds=self._seconds)
        self._seconds = 0.0
        return found

    def grow(self, threads: int, cancel: Cancel, only: tuple[int, ...] | None = None) -> None:
        """Grow all trees, so many at a time, and fill all outcomes, or `only` the one without these blocks."""
        began = time.perf_counter()
        if only is not None:
            self._withouts = [only]
        rows = self._prepared.table.rows
        bytes_each = 8 * rows * self._classes * 2 * self._prepared.plan.blocks
        together = max(1, int(_MOST_SUMS // bytes_each))
        for first in range(0, len(self._recipes), together):
            self._grow_some(self._recipes[first : first + together], threads, cancel)
        self._seconds = time.perf_counter() - began

    def _grow_some(self, recipes: tuple[Recipe, ...], threads: int, cancel: Cancel) -> None:
        beds = [{without: self._bed(without) for without in self._withouts} for _ in recipes]
        members = {w: {tree: n for n, tree in enumerate(self._roster.trees[w], start=1)} for w in self._withouts}
        served = [
            [w for w in [*((b,) for b in left_out), *combinations(left_out, 2)] if tree in members.get(w, ())]
            for tree, left_out in enumerate(self._roster.left_out)
        ]

        def grow(tree: int) -> list[Floats]:
            problem, bins = self._kept(self._roster.left_out[tree])
            return [self._said(recipe, tree, problem, bins) for recipe in recipes]

        wanted = [tree for tree, withouts in enumerate(served) if withouts]
        for tree, said in zip(wanted, side_by_side(grow, wanted, threads), strict=True):
            cancel()
            for recipe, bed, what in zip(recipes, beds, said, strict=True):
                for without in served[tree]:
                    bed[without].add(what)
                    self._keep(recipe, without, members[without][tree], bed[without])

    def _kept(self, left_out: tuple[int, ...]) -> tuple[Problem, Bins]:
        """The rows a tree may see: those of the blocks it does not leave out."""
        kept = np.flatnonzero(~np.isin(self._blocks_of, left_out))
        weight = getattr(self._prepared.pattern, "class_weight", None)
        problem, _ = problem_of(self._prepared.table, kept, weight, every_class=True)
        return problem, self._prepared.bins(problem.weights)

    def _said(self, recipe: Recipe, tree: int, problem: Problem, bins: Bins) -> Floats:
        """Tree number `tree` of a recipe, and what it says of all rows in block order."""
        table = self._prepared.table
        assert problem.weights is not None
        kept = int(np.count_nonzero(problem.weights))
        known = self._growths.get((recipe, kept))
        if known is None:
            known = growth_of(recipe.estimator, kept, table.X.shape[1])
            self._growths[recipe, kept] = known
        growth = replace(known, seed=self._seed, first=tree)
        grown = growth.grow(bins, table.X, problem)
        votes = getattr(recipe.estimator, "voting", "soft") == "hard"
        if growth.combined:
            return np.asarray(grown.average(table.X, [1], votes=votes, threads=1)[0][self._order])
        return np.asarray(grown.average_coded(bins, self._order, [1], votes=votes, threads=1)[0])

    # ---- keeping

    def _bed(self, without: tuple[int, ...]) -> _Bed:
        everything = slice(0, self._prepared.table.rows)
        stretches = (everything,) if len(without) == 1 else tuple(self._block[b] for b in without)
        return _Bed(stretches, [np.zeros((s.stop - s.start, self._classes)) for s in stretches])

    def _empty(self, without: tuple[int, ...]) -> Outcome:
        settings = len(self._prepared.settings)
        rows = sum(self._block[b].stop - self._block[b].start for b in without)
        width = np.float64 if self._output is Output.VALUES else np.float32
        outputs = np.empty((settings, rows, self._classes), width)
        return Outcome(self._output, outputs, np.zeros((settings, rows), np.int16), {}, (), 0.0)

    def _keep(self, recipe: Recipe, without: tuple[int, ...], trees: int, bed: _Bed) -> None:
        """The means of a forest that has just got its so-manieth tree, for the settings that ask for so many."""
        if trees not in recipe.counts:
            return
        outcome = self._outcomes[without]
        places = [s for s, count in zip(recipe.settings, recipe.counts, strict=True) if count == trees]
        if len(without) == 1:
            held_out = bed.sums[0][self._block[without[0]]] / trees
            self._keep_training(outcome, places, without[0], bed.sums[0] / trees)
        else:
            rows = np.concatenate([self._order[stretch] for stretch in bed.stretches])
            held_out = np.concatenate(bed.sums)[np.argsort(rows)] / trees
        for s in places:
            outcome.outputs[s] = held_out
            outcome.labels[s] = _labels(held_out, self._output)

    def _keep_training(self, outcome: Outcome, places: list[int], block: int, means: Floats) -> None:
        inside = np.ones(len(means), dtype=bool)
        inside[self._block[block]] = False
        said = means[inside].astype(outcome.outputs.dtype)
        y = self._prepared.table.y[self._order[inside]]
        labels = _labels(means[inside], self._output)
        losses = training_losses(self._target, y, labels[None], said[None], self._output)
        assert isinstance(outcome.training, dict)
        for name, loss in losses.items():
            kept = outcome.training.setdefault(name, np.zeros(len(outcome.outputs)))
            kept[places] = loss[0]


def growth_of(estimator: Any, kept: int, columns: int) -> Growth:
    """How a tree grows on so many rows of positive weight; its seed and its number are still to come."""
    settings = shared_settings(estimator, kept, columns)
    settings["threads"] = 1
    draws = max(1, round(DRAWN * kept))
    combined = 0 if estimator.combinations is None else int(estimator.combinations)
    return Growth(**settings, combined=combined, sampling="without_replacement", draws=draws, keep_stats=False)


def _labels(means: Floats, output: Output) -> NDArray[np.int16]:
    if output is Output.VALUES:
        return np.zeros(len(means), dtype=np.int16)
    return np.asarray(means.argmax(axis=1), dtype=np.int16)
