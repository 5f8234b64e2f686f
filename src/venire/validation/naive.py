"""The plain loop: every setting of every trial is a fresh fit, and nothing is shared with any other.

A family's `refit` is its plain definition: what a user would be handed if the training part were all there is. So the
oracle of a trial is that very thing, fitted on the rows of the training part alone and asked about the held-out rows.
Whatever a fast family shares between settings and trials has to come to the same predictions.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table, Task
from venire.validation.family import Cancel, Family, Outcome, never
from venire.validation.generic import Fit, Predicted, _Gathered, _one_class, _sentence, predict
from venire.validation.plan import Plan, Trial


def naive_outcome(family: Family, table: Table, plan: Plan, trial: Trial, cancel: Cancel = never) -> Outcome:
    """What a trial predicts, by one fit a setting of the family's own definition on the training part."""
    assert table.target is not None
    began = time.perf_counter()
    train = plan.train_rows(trial)
    part = rows_of(table, train)
    wanted = [table.X[plan.test_rows(trial)]] + [part.X] * plan.is_outer(trial)
    settings = family.path(table)
    gathered = _Gathered(table, family.output(table.target.task), len(settings), [len(rows) for rows in wanted])
    seed = trial.seed(plan.seed, family.name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for s, setting in enumerate(settings):
            cancel()
            if _one_class(table, part.y):
                gathered.add(s, [_always(part.y[0], len(rows)) for rows in wanted])
            else:
                gathered.add(s, _ask(family.refit(part, setting, seed), part, wanted))
    return gathered.outcome(part.y, tuple(_sentence(w) for w in caught), time.perf_counter() - began)


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


def _ask(fitted: Any, part: Table, wanted: list[NDArray[np.float64]]) -> Fit:
    assert part.target is not None
    classes = np.empty(0)
    if part.target.task is Task.CLASSIFICATION:
        classes = np.asarray(getattr(fitted, "classes_", np.unique(part.y)))
    return [(classes, predict(fitted, rows, classes)) for rows in wanted]


def _always(code: Any, rows: int) -> tuple[NDArray[Any], Predicted]:
    """Trained on a single class there is nothing to learn: every row is of that class."""
    return np.array([code]), Predicted(np.ones((rows, 1)), np.full(rows, code))
