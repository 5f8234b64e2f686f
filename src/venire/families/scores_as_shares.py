"""Families that give scores, judged by metrics that ask for probabilities: their scores become shares of the classes.

What is kept as evidence are the shares, under a key of their own. Where a calibration is worth having it is learned on
held-out shares like any other (`verdict.finishing`): for two classes that is Platt's scaling of the scores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from venire.data.table import Table, Task
from venire.metrics.packing import completed
from venire.metrics.predictions import Output
from venire.reductions.score_shares import ScoreShares, shares_of
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Cost, Outcome, PathPredictions, Setting, Turn, never
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.outcomes import training_losses
from venire.validation.trials.reasons import CannotTake


class ScoreSharesFamily:
    """A family whose scores are given out as probabilities; everything else is the family's own."""

    def __init__(self, family: GenericFamily) -> None:
        self._family = family

    @property
    def name(self) -> str:
        """The family's name: it is the same learner."""
        return self._family.name

    @property
    def tasks(self) -> frozenset[Task]:
        """Numbers have no scores."""
        return self._family.tasks & {Task.CLASSIFICATION}

    @property
    def path_label(self) -> str:
        """What the path varies."""
        return self._family.path_label

    @property
    def turn(self) -> Turn:
        """When its trials are run."""
        return self._family.turn

    def output(self, task: Task) -> Output:
        """Probabilities."""
        return Output.PROBABILITIES

    def unable(self, table: Table) -> CannotTake | None:
        """Why it cannot take this table, if it cannot."""
        return self._family.unable(table)

    def path(self, table: Table) -> tuple[Setting, ...]:
        """Its settings."""
        return self._family.path(table)

    def prepare(self, table: Table, plan: Plan) -> Any:
        """Work shared by all trials."""
        return self._family.prepare(table, plan)

    def run(self, prepared: Any, trial: Trial, cancel: Cancel = never) -> Outcome:
        """A trial of the family, its scores as shares."""
        scored = self._family.run(prepared, trial, cancel)
        table, plan = prepared.table, prepared.plan
        held_out = _shares(PathPredictions(scored.outputs, scored.labels))
        seen = None if scored.seen is None else _shares(scored.seen)
        training = dict(scored.training)
        for rows in plan.seen_rows(trial):
            assert seen is not None
            training = training_losses(table.target, table.y[rows], seen, Output.PROBABILITIES)
        return replace(scored, output=Output.PROBABILITIES, outputs=held_out.outputs, training=training, seen=seen)

    def refit(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """The family's pipeline with its classifier behind `ScoreShares`."""
        fitted = self._family.refit(table, setting, seed)
        name, classifier = fitted.steps[-1]
        return Pipeline([*fitted.steps[:-1], (name, ScoreShares.around(classifier))])

    def cost(self, table: Table, plan: Plan) -> Cost:
        """What the family costs."""
        return self._family.cost(table, plan)

    def in_threads(self, table: Table) -> bool:
        """Whether trials may run in threads of one process."""
        return self._family.in_threads(table)

    def others_code(self) -> bool:
        """Whether the family runs other people's code."""
        return self._family.others_code()

    def definition(self) -> str:
        """The family's, and what becomes of its scores."""
        return f"shares of scores\n{self._family.definition()}"


def _shares(scored: PathPredictions) -> PathPredictions:
    """In the form that evidence keeps: of two shares the smaller is float32, and the larger is one minus it."""
    shares = shares_of(scored.outputs).astype(np.float32)
    return PathPredictions(completed(shares, Output.PROBABILITIES), scored.labels)
