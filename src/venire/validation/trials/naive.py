"""The plain loop: every setting of every trial is a fresh fit, and nothing is shared with any other.

A family's `refit` is its plain definition: what a user would be handed if the training part were all there is. So the
oracle of a trial is that very thing, fitted on the rows of the training part alone and asked about the held-out rows.
Whatever a fast family shares between settings and trials has to come to the same predictions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table, Task
from venire.metrics.predictions import Output
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Cost, Family, Outcome, Setting, never
from venire.validation.trials.learner_warnings import caught_warnings
from venire.validation.trials.outcomes import Fit, constant, gather, one_class, outcome_of, predict
from venire.validation.trials.reasons import CannotTake
from venire.validation.trials.whose_code import others_code


def naive_outcome(family: Family, table: Table, plan: Plan, trial: Trial, cancel: Cancel = never) -> Outcome:
    """What a trial predicts, by one fit a setting of the family's own definition on the training part."""
    assert table.target is not None
    began = time.perf_counter()
    train = plan.train_rows(trial)
    part = table.take(train)
    rows = plan.predicted_rows(trial)
    wanted, sizes = [table.X[some] for some in rows], [len(some) for some in rows]
    settings = family.path(table)
    kind = family.output(table.target.task)
    with caught_warnings() as caught:
        if one_class(table, part.y):
            fits = constant(part.y[0], len(settings), sizes)
        else:
            fits = _one_by_one(family, settings, part, wanted, trial.seed(plan.seed, family.name), cancel)
        predicted = gather(table, kind, len(settings), sizes, fits)
    return outcome_of(table, kind, predicted, rows[1:], caught, time.perf_counter() - began)


@dataclass(frozen=True, eq=False)
class Naive:
    """A family whose trials are run by the plain loop. Its figures are those of the family it wraps."""

    family: Family

    @property
    def name(self) -> str:
        """The name of the family: seeds follow from it."""
        return self.family.name

    @property
    def tasks(self) -> frozenset[Task]:
        """What it can predict."""
        return self.family.tasks

    @property
    def path_label(self) -> str:
        """What the path varies."""
        return self.family.path_label

    def output(self, task: Task) -> Output:
        """What it gives for a row."""
        return self.family.output(task)

    def unable(self, table: Table) -> CannotTake | None:
        """Why it cannot take this table, if it cannot."""
        return self.family.unable(table)

    def path(self, table: Table) -> tuple[Setting, ...]:
        """Its settings, from simple to complex."""
        return self.family.path(table)

    def prepare(self, table: Table, plan: Plan) -> tuple[Table, Plan]:
        """Nothing is shared."""
        return table, plan

    def run(self, prepared: tuple[Table, Plan], trial: Trial, cancel: Cancel = never) -> Outcome:
        """One fit a setting."""
        return naive_outcome(self.family, *prepared, trial, cancel)

    def others_code(self) -> bool:
        """Whether the family runs other people's code."""
        return others_code(self.family)

    def refit(self, table: Table, setting: Setting, seed: int) -> Any:
        """The estimator a user keeps."""
        return self.family.refit(table, setting, seed)

    def cost(self, table: Table, plan: Plan) -> Cost:
        """What the family says of itself, at the least."""
        return self.family.cost(table, plan)

    def definition(self) -> str:
        """The family's, run in another way: the evidence of both is kept apart."""
        return f"plain loop\n{self.family.definition()}"


def _one_by_one(
    family: Family,
    settings: tuple[Setting, ...],
    part: Table,
    wanted: list[NDArray[np.float64]],
    seed: int,
    cancel: Cancel,
) -> Iterator[Fit]:
    assert part.target is not None
    for setting in settings:
        cancel()
        fitted: Any = family.refit(part, setting, seed)
        classes = np.empty(0)
        if part.target.task is Task.CLASSIFICATION:
            classes = np.asarray(getattr(fitted, "classes_", np.unique(part.y)))
        yield [(classes, predict(fitted, rows, classes)) for rows in wanted]
