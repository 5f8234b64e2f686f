"""The forests of all trials of one split of the rows, filled tree by tree.

A tree is grown on the rows of the folds it does not leave out, from bins of those rows. What it then says of folds
is added to the sums of the forests it belongs to: of an outer forest for the fold held out and those its training
error is taken on, of an inner one for the two folds it predicts. When a forest has as many trees as a setting asks
for, its means are kept. Trees are added in the order of their numbers, so sums do not depend on which trial came
first.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight

from venire._core import Bins
from venire.families.fold_encoders import rows_of_folds
from venire.families.trees.codes import CodedTable, Floats, problem_of
from venire.families.trees.left_out import DRAWN, Roster
from venire.metrics.packing import completed
from venire.metrics.predictions import Output
from venire.models.tree.growth import Growth, Problem, shared_settings
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Cancel, Outcome, PathPredictions
from venire.validation.trials.outcomes import kept_as, training_losses
from venire.validation.trials.side_by_side import side_by_side

_MOST_SUMS = 3e8  # bytes of running sums; beyond, the recipes take turns and bins are made again for each


ByFold = dict[int, Floats]  # by fold


@dataclass(frozen=True, eq=False)
class Recipe:
    """Settings that share their trees: an estimator, and the numbers of trees (ascending) of each setting."""

    estimator: Any
    settings: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Bed:
    """The folds of which one forest tells, and the sums of what its trees said of them so far."""

    sums: dict[int, Floats]  # by fold: those it leaves out, then those its training error is taken on

    def add(self, predicted: ByFold) -> None:
        for fold, total in self.sums.items():
            total += predicted[fold]


class Shelf:
    """Outcomes by the folds left out."""

    def __init__(
        self, table: CodedTable, recipes: tuple[Recipe, ...], roster: Roster, repeat: int, output: Output, seed: int
    ) -> None:
        self._prepared, self._recipes, self._roster, self._seed = table, recipes, roster, seed
        self._output = output
        self._folds_of, self._repeat = table.plan.fold_of[repeat], repeat
        self._rows = rows_of_folds(table.plan, repeat)
        target = table.table.target
        assert target is not None
        self._target = target
        self._classes = max(1, len(target.classes))
        pairs = [] if table.plan.layers < 2 else list(combinations(range(table.plan.folds), 2))
        self._withouts: list[tuple[int, ...]] = [*((i,) for i in range(table.plan.folds)), *pairs]
        if barren := self._barren():
            self._withouts = [w for w in self._withouts if barren.isdisjoint(roster.trees[w])]
        self._outcomes = {without: self._empty(without) for without in self._withouts}
        self._growths: dict[tuple[Recipe, int], Growth] = {}
        self._seconds = 0.0
        self._grown = 0  # recipes
        self._added = 0  # trees of those that are being grown
        self._beds: list[dict[tuple[int, ...], _Bed]] = []

    def serves(self, trial: Trial) -> bool:
        """Whether every tree of the trial's forest has a row to grow on: one that counts, in a fold it keeps."""
        return trial.test in self._outcomes

    def outcome(self, trial: Trial) -> Outcome:
        """What the trial's forests say of its held-out rows; the first asked for answers for the time of all."""
        seconds, self._seconds = self._seconds, 0.0
        found = self._outcomes[trial.test]
        return replace(found, outputs=completed(found.outputs, found.output), seconds=seconds)

    def grow(self, threads: int, cancel: Cancel, only: tuple[int, ...] | None = None) -> None:
        """Grow all trees, so many at a time, and fill all outcomes, or `only` the one without these folds.

        After it was stopped it goes on where it was; when all are grown it does nothing.
        """
        if self._grown >= len(self._recipes):
            return
        began = time.perf_counter()
        if only is not None:
            self._withouts = [only]
        rows = self._prepared.table.rows
        bytes_each = 8 * rows * self._classes * (self._prepared.plan.folds + 1)
        together = max(1, int(_MOST_SUMS // bytes_each))
        try:
            while self._grown < len(self._recipes):
                self._grow_some(self._recipes[self._grown : self._grown + together], threads, cancel)
                self._grown, self._added, self._beds = self._grown + together, 0, []
        finally:
            self._seconds += time.perf_counter() - began

    def _grow_some(self, recipes: tuple[Recipe, ...], threads: int, cancel: Cancel) -> None:
        beds = self._beds = self._beds or [{without: self._bed(without) for without in self._withouts} for _ in recipes]
        members = {w: {tree: n for n, tree in enumerate(self._roster.trees[w], start=1)} for w in self._withouts}
        served = [
            [w for w in [*((b,) for b in left_out), *combinations(left_out, 2)] if tree in members.get(w, ())]
            for tree, left_out in enumerate(self._roster.left_out)
        ]

        def grow(tree: int) -> list[ByFold]:
            problem, bins = self._kept(self._roster.left_out[tree])
            folds = sorted({fold for without in served[tree] for fold in beds[0][without].sums})
            rows = np.concatenate([self._rows[fold] for fold in folds])
            ends = list(accumulate((len(self._rows[fold]) for fold in folds), initial=0))
            stretches = [slice(first, last) for first, last in pairwise(ends)]
            predicted = (self._predicted(recipe, tree, problem, bins, rows) for recipe in recipes)
            return [{fold: of_all[at] for fold, at in zip(folds, stretches, strict=True)} for of_all in predicted]

        wanted = [tree for tree, withouts in enumerate(served) if withouts][self._added :]
        for tree, predicted in zip(wanted, side_by_side(grow, wanted, threads), strict=True):
            cancel()
            self._added += 1
            for recipe, bed, what in zip(recipes, beds, predicted, strict=True):
                for without in served[tree]:
                    bed[without].add(what)
                    self._keep(recipe, without, members[without][tree], bed[without])

    def _barren(self) -> set[int]:
        """The trees that keep no row of positive weight. A forest's trees keep rows of its training part alone."""
        table, class_weight = self._prepared.table, getattr(self._prepared.pattern, "class_weight", None)
        weights = np.ones(table.rows) if table.weights is None else table.weights
        if isinstance(class_weight, Mapping):  # a class may count for nothing
            weights = weights * compute_sample_weight(class_weight, table.y)
        counting = frozenset(np.unique(self._folds_of[weights > 0]).tolist())
        return {tree for tree, left_out in enumerate(self._roster.left_out) if counting.issubset(left_out)}

    def _kept(self, left_out: tuple[int, ...]) -> tuple[Problem, Bins]:
        """The rows a tree may see: those of the folds it does not leave out."""
        kept = np.flatnonzero(~np.isin(self._folds_of, left_out))
        weight = getattr(self._prepared.pattern, "class_weight", None)
        problem, _ = problem_of(self._prepared.table, kept, weight, every_class=True)
        return problem, self._prepared.bins(problem.weights)

    def _predicted(self, recipe: Recipe, tree: int, problem: Problem, bins: Bins, rows: NDArray[np.intp]) -> Floats:
        """Tree number `tree` of a recipe, and what it says of these rows."""
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
            return np.asarray(grown.average(table.X[rows], [1], votes=votes, threads=1)[0])
        return np.asarray(grown.average_coded(bins, rows, [1], votes=votes, threads=1)[0])

    # ---- keeping

    def _bed(self, without: tuple[int, ...]) -> _Bed:
        folds = (*without, *self._seen(without))
        return _Bed({fold: np.zeros((len(self._rows[fold]), self._classes)) for fold in folds})

    def _seen(self, without: tuple[int, ...]) -> tuple[int, ...]:
        """The folds a forest's training error is taken on."""
        plan = self._prepared.plan
        return plan.seen_folds(plan.outer(self._repeat, without[0]).trial) if len(without) == 1 else ()

    def _empty(self, without: tuple[int, ...]) -> Outcome:
        predicted, seen = self._blank(without), self._seen(without)
        return Outcome(self._output, predicted.outputs, predicted.labels, {}, seen=self._blank(seen) if seen else None)

    def _blank(self, folds: tuple[int, ...]) -> PathPredictions:
        """Room for what all settings say of these folds."""
        settings, rows = len(self._prepared.settings), sum(len(self._rows[fold]) for fold in folds)
        outputs = np.empty((settings, rows, self._classes), kept_as(self._output))
        return PathPredictions(outputs, np.zeros((settings, rows), np.int16))

    def _keep(self, recipe: Recipe, without: tuple[int, ...], trees: int, bed: _Bed) -> None:
        """The means of a forest that has just got its so-manieth tree, for the settings that ask for so many."""
        if trees not in recipe.counts:
            return
        outcome = self._outcomes[without]
        places = [s for s, count in zip(recipe.settings, recipe.counts, strict=True) if count == trees]
        held_out = bed.sums[without[0]] / trees
        if len(without) == 1:
            self._keep_training(outcome, places, self._seen(without), bed, trees)
        else:
            rows = np.concatenate([self._rows[fold] for fold in without])
            held_out = np.concatenate([bed.sums[fold] for fold in without])[np.argsort(rows)] / trees
        for s in places:
            outcome.outputs[s] = held_out
            outcome.labels[s] = _labels(held_out, self._output)

    def _keep_training(self, outcome: Outcome, places: list[int], seen: tuple[int, ...], bed: _Bed, trees: int) -> None:
        rows = np.concatenate([self._rows[fold] for fold in seen])
        order = np.argsort(rows)
        means = np.concatenate([bed.sums[fold] for fold in seen])[order] / trees
        labels, predicted = _labels(means, self._output), means.astype(outcome.outputs.dtype)
        predicted = completed(predicted[None], self._output)[0]
        y = self._prepared.table.y[rows[order]]
        losses = training_losses(self._target, y, PathPredictions(predicted[None], labels[None]), self._output)
        assert isinstance(outcome.training, dict)
        assert outcome.seen is not None
        outcome.seen.outputs[places], outcome.seen.labels[places] = predicted, labels
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
