"""The plain loop: every setting of every trial is a fresh fit, and nothing is shared with any other.

A family's `refit` is its plain definition: what a user would be handed if the training part were all there is. So the
oracle of a trial is that very thing, fitted on the rows of the training part alone and asked about the held-out rows.
Whatever a fast family shares between settings and trials has to come to the same predictions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table, Task
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Family, Outcome, Setting, never
from venire.validation.trials.learner_warnings import complaints
from venire.validation.trials.outcomes import Fit, constant, gather, one_class, outcome_of, predict


def naive_outcome(family: Family, table: Table, plan: Plan, trial: Trial, cancel: Cancel = never) -> Outcome:
    """What a trial predicts, by one fit a setting of the family's own definition on the training part."""
    assert table.target is not None
    began = time.perf_counter()
    train = plan.train_rows(trial)
    part = rows_of(table, train)
    rows = plan.told_rows(trial)
    wanted, sizes = [table.X[some] for some in rows], [len(some) for some in rows]
    settings = family.path(table)
    kind = family.output(table.target.task)
    with complaints() as heard:
        if one_class(table, part.y):
            fits = constant(part.y[0], len(settings), sizes)
        else:
            fits = _one_by_one(family, settings, part, wanted, trial.seed(plan.seed, family.name), cancel)
        told = gather(table, kind, len(settings), sizes, fits)
    return outcome_of(table, kind, told, rows[1:], heard, time.perf_counter() - began)


def rows_of(table: Table, rows: NDArray[np.intp]) -> Table:
    """The table made of some rows alone; columns and classes stay as they are."""
    assert table.target is not None
    return replace(
        table,
        X=table.X[rows],
        target=replace(table.target, values=table.y[rows]),
        groups=None if table.groups is None else table.groups[rows],
        time=None if table.time is None else table.time[rows],
        weights=None if table.weights is None else table.weights[rows],
        _digest=[],
    )


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
