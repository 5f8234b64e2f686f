"""Bagging and forests: every tree leaves out some folds, and serves all trials that leave out any of them.

The model is a forest whose trees are each grown on half of the training rows, drawn without replacement, which is about
as good as a bootstrap sample. Under cross-validation the rows a tree does without are whole folds first, so that
one tree belongs to the forests of many trials (`roster`), none of whose held-out rows it has seen. It is grown once, at
the first trial, and its predictions go to all of them. Decision 10 has the definition and its statistics.

Where the folds are not split at random (in time order, a hold-out, inner folds of their own), and for an estimator
that draws its samples in another way, nothing is shared, and each trial grows a forest of its own. So does a trial
one of whose trees would keep no row of positive weight.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from venire.data.table import Table
from venire.families.trees.codes import CodedFamily, CodedTable, Floats, path_predictions
from venire.families.trees.left_out import SHARE, Roster, folds_left_out, make_roster
from venire.families.trees.shared_growth import Recipe, Shelf
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Cost, Outcome, PathPredictions, Setting, never
from venire.validation.trials.generic import Prepared
from venire.validation.trials.reasons import CannotTake, TooFewNumericColumns

_FEW_COPIES = 0.05  # of the rows


@dataclass(frozen=True, eq=False)
class Woods(CodedTable):
    """What the trials of a forest share: with the ranks, one shelf of grown forests for each split of the rows."""

    recipes: tuple[Recipe, ...]
    shelves: dict[int, Shelf] = field(default_factory=dict)


class ForestFamily(CodedFamily):
    """The path is the number of trees T (the first T of one forest are the forest of T), or q, or both."""

    def prepare(self, table: Table, plan: Plan) -> Woods:
        """Rank all values once; the trees wait for the first trial."""
        ranked = super().prepare(table, plan)
        recipes = self._recipes(table, ranked.settings)
        return Woods(table, plan, ranked.settings, ranked.ranks, ranked.pattern, recipes)

    def run(self, prepared: Prepared, trial: Trial, cancel: Cancel = never) -> Outcome:
        """What the trial's forests say; the first trial of a split grows the trees of all."""
        assert isinstance(prepared, Woods)
        plan = prepared.plan
        if not shares(plan, trial) or not takes_halves(prepared.pattern):
            return super().run(prepared, trial, cancel)
        shelf = self._shelf(prepared, trial.repeat, 1, cancel)
        return shelf.outcome(trial) if shelf.serves(trial) else super().run(prepared, trial, cancel)

    def in_one_piece(self, plan: Plan) -> bool:
        """All trials of a split share their trees, so two processes would grow them twice."""
        return shares(plan, plan.trials[0])

    def share(self, prepared: Any, trials: Sequence[Trial], threads: int, cancel: Cancel = never) -> None:
        """Grow the trees of every split, several at a time."""
        assert isinstance(prepared, Woods)
        if takes_halves(prepared.pattern):
            for repeat in sorted({trial.repeat for trial in trials}):
                self._shelf(prepared, repeat, threads, cancel)

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """A forest of the trial's own for every recipe, the smaller ones read off the largest."""
        assert isinstance(prepared, Woods)
        lesson = self.lesson(prepared, trial, cancel)
        found: list[list[Floats]] = [[]] * len(lesson.settings)  # [setting][part]
        classes = np.empty(0, dtype=np.intp)
        for recipe in prepared.recipes:
            cancel()
            largest = lesson.settings[recipe.settings[-1]]
            fitted = self._estimator(lesson.table, largest, lesson.seed).fit(lesson.X, lesson.y, lesson.weights)
            classes = np.asarray(getattr(fitted, "classes_", classes), dtype=np.intp)
            read = fitted.predict_proba_path if len(classes) else fitted.predict_path
            parts = [np.asarray(read(part, list(recipe.counts))) for part in lesson.parts]
            for place, s in enumerate(recipe.settings):
                found[s] = [part[place] if len(classes) else part[place][:, None] for part in parts]
        return [path_predictions(np.array(part), classes, prepared.class_count) for part in zip(*found, strict=True)]

    def in_brief(self, table: Table) -> ForestFamily:
        """The simplest settings: trees of the others are grown from the same bins of the same rows."""
        settings = self.path(table)
        return self.with_path(settings[: max(1, len(settings) // 4)])

    def cost(self, table: Table, plan: Plan) -> Cost:
        """The trees of all trials are grown once, in one process."""
        plain = super().cost(table, plan)
        assert table.target is not None
        if not shares(plan, plan.trials[0]) or not takes_halves(self._estimators[table.target.task]):
            return plain
        k, left_out = plan.folds, folds_left_out(plan.folds)
        pairs = k * (k - 1) / (left_out * (left_out - 1)) if plan.layers > 1 else k / left_out
        forests = plan.repeats * pairs * SHARE
        classes = max(1, len(table.target.classes))
        sums = 8.0 * table.rows * classes * 2 * plan.folds * (len(self.path(table)) + 1)
        return replace(plain, seconds=plain.seconds * forests / len(plan.trials), bytes=plain.bytes + sums)

    def _fits(self, settings: int) -> float:
        """Numbers of trees cost one fit, values of q one each; marked by the name of the path."""
        return 1.0 if self._path_label == "T" else settings

    def _recipes(self, table: Table, settings: tuple[Setting, ...]) -> tuple[Recipe, ...]:
        """The settings by what they grow: those that differ in the number of trees alone share their trees."""
        same: dict[str, list[int]] = {}
        for s, setting in enumerate(settings):
            rest = {name: value for name, value in setting.params.items() if name != "n_estimators"}
            same.setdefault(repr(sorted(rest.items())), []).append(s)
        recipes = []
        for places in same.values():
            estimators = {s: self._estimator(table, settings[s], 0) for s in places}
            ordered = sorted(places, key=lambda s: estimators[s].n_estimators)
            counts = tuple(int(estimators[s].n_estimators) for s in ordered)
            recipes.append(Recipe(estimators[ordered[-1]], tuple(ordered), counts))
        return tuple(recipes)

    def run_alone(self, prepared: Any, trial: Trial, cancel: Cancel = never) -> Outcome:
        """The trial's own trees alone."""
        assert isinstance(prepared, Woods)
        if not shares(prepared.plan, trial) or not takes_halves(prepared.pattern):
            return self.run(prepared, trial, cancel)
        shelf = self._new_shelf(prepared, trial.repeat)
        if not shelf.serves(trial):
            return super().run(prepared, trial, cancel)
        shelf.grow(1, cancel, only=trial.test)
        return shelf.outcome(trial)

    def _shelf(self, prepared: Woods, repeat: int, threads: int, cancel: Cancel) -> Shelf:
        if repeat not in prepared.shelves:
            prepared.shelves[repeat] = self._new_shelf(prepared, repeat)
        shelf = prepared.shelves[repeat]
        shelf.grow(threads, cancel)
        return shelf

    def _new_shelf(self, prepared: Woods, repeat: int) -> Shelf:
        roster, seed = self._roster(prepared, repeat)
        return Shelf(prepared, prepared.recipes, roster, repeat, self._kind(prepared.table), seed)

    def _roster(self, prepared: Woods, repeat: int) -> tuple[Roster, int]:
        """Who leaves out what, and the seed of the trees: a hash of the plan's seed, never of the data."""
        text = f"{prepared.plan.seed}|{repeat}|{self.name}|trees"
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 1
        most = max(recipe.counts[-1] for recipe in prepared.recipes)
        rng, plan = np.random.default_rng(seed), prepared.plan
        return make_roster(plan.folds, most, rng, pairs=plan.layers > 1), seed


def shares(plan: Plan, trial: Trial) -> bool:
    """Whether a trial is one of the K outer or K(K−1)/2 inner ones of folds split at random.

    Where many rows are copies that share a fold, a tree that does without folds does without all copies of a row,
    and a tree of the model hardly ever does: it draws rows one by one. There each trial grows its own.
    """
    drawn = not plan.ordered and not plan.own_inner_folds and plan.folds >= 3 and plan.copied_share <= _FEW_COPIES
    return drawn and len(trial.test) <= 2 and len(trial.train) + len(trial.test) == plan.folds


def takes_halves(estimator: Any) -> bool:
    """Whether an estimator is the model of decision 10: trees on half of the rows, drawn without replacement."""
    return not estimator.bootstrap and estimator.max_samples == SHARE


class CombiningFamily(ForestFamily):
    """Forest-RC: splits on random linear combinations, so it needs numbers to combine."""

    def unable(self, table: Table) -> CannotTake | None:
        """Two numeric columns are the least that can be combined."""
        numeric = int((~table.categorical).sum())
        if numeric < 2:
            return TooFewNumericColumns(numeric)
        return super().unable(table)
