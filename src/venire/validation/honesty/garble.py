"""Is anything learned from rows that should not be seen? Overwrite them with nonsense and look for a difference.

A trial may see the attributes and labels of the folds it is trained on and the attributes of a fold it predicts,
nothing else. So everything else is garbled, and what it predicts of that fold must not change by a bit:

    trial without {i, j}      trained on        i          j
    attributes                as they are    garbled    as they are
    labels                    as they are    garbled    garbled

A family that scales with all rows, takes its bins from all rows, or lets its path look at values is caught.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Kind, Table, Task
from venire.validation.honesty.leaking import SeesHeldOutRows
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Family, Gregarious, Outcome, never


@dataclass(frozen=True)
class Leak:
    """The first difference found: which prediction of which trial changed with rows it must not know."""

    family: str
    trial: Trial
    fold: int
    what: str  # "settings", "outputs", "labels" or the name of a training loss
    setting: int = 0
    row: int | None = None

    @property
    def reason(self) -> SeesHeldOutRows:
        """The same as a certificate keeps it, counted from 1."""
        folds = tuple(fold + 1 for fold in self.trial.train)
        return SeesHeldOutRows(self.family, folds, self.what, self.setting + 1, self.fold + 1, self.row)

    def __str__(self) -> str:
        return str(self.reason)


def leaks(
    family: Family, table: Table, plan: Plan, rng: np.random.Generator, *, trials: int | None = None
) -> Leak | None:
    """The first sign that a family learns from rows outside the training part; None when there is none.

    Looks at all trials of the plan, or at that many of them drawn by `rng`. Two fits a trial.
    """
    chosen = plan.trials
    if trials is not None and trials < len(chosen):
        chosen = tuple(chosen[at] for at in sorted(rng.choice(len(chosen), trials, replace=False)))
    prepared = family.prepare(table, plan)
    for trial in chosen:
        found = leak_in(family, family.run(prepared, trial), table, plan, trial, rng)
        if found is not None:
            return found
    return None


def leak_in(
    family: Family,
    clean: Outcome,
    table: Table,
    plan: Plan,
    trial: Trial,
    rng: np.random.Generator,
    cancel: Cancel = never,
) -> Leak | None:
    """Run a trial again with all garbled that it must not know: what differs from its clean outcome, if anything."""
    fold = int(rng.choice(trial.test))
    garbled = family.prepare(garble(table, plan, trial, fold, rng), plan)
    rows = plan.rows(trial.repeat, (fold,))
    found = _difference(clean, run_alone(family, garbled, trial, cancel), np.isin(plan.test_rows(trial), rows))
    if found is None:
        return None
    what, setting, place = found
    return Leak(family.name, trial, fold, what, setting, None if place is None else int(rows[place]))


def run_alone(family: Family, prepared: Any, trial: Trial, cancel: Cancel = never) -> Outcome:
    """One trial of a family, with nothing done for others."""
    return (family.run_alone if isinstance(family, Gregarious) else family.run)(prepared, trial, cancel)


def garble(table: Table, plan: Plan, trial: Trial, fold: int, rng: np.random.Generator) -> Table:
    """The table with nonsense wherever a trial must not look when it predicts a fold."""
    unlabelled = np.setdiff1d(np.arange(table.rows), plan.train_rows(trial))
    unseen = np.setdiff1d(unlabelled, plan.rows(trial.repeat, (fold,)))
    X, y = np.array(table.X, order="F"), np.array(table.y)
    for j, column in enumerate(table.columns):
        if column.kind is Kind.NUMERIC:
            X[unseen, j] = rng.standard_cauchy(len(unseen)) * 1e3
        else:
            X[unseen, j] = rng.integers(max(1, len(column.categories)), size=len(unseen))
        if column.missing:  # a learner that takes no gaps is not to fail where the table has none
            X[unseen[rng.random(len(unseen)) < 0.2], j] = np.nan
    y[unlabelled] = _other_labels(table, y[unlabelled], rng)
    return table.with_values(X, y)


def _other_labels(table: Table, y: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Another class for every row, or a number far away."""
    assert table.target is not None
    if table.target.task is Task.REGRESSION:
        return np.asarray(y + rng.standard_cauchy(len(y)) * 1e3)
    classes = len(table.target.classes)
    return np.asarray((y + rng.integers(1, max(2, classes), size=len(y))) % classes, dtype=y.dtype)


def _difference(clean: Outcome, garbled: Outcome, at: NDArray[np.bool_]) -> tuple[str, int, int | None] | None:
    """What differs first: its name, the setting, and the position among the fold's rows."""
    if clean.outputs.shape != garbled.outputs.shape:
        return "settings", 0, None
    for name in ("outputs", "labels"):
        one, other = getattr(clean, name)[:, at], getattr(garbled, name)[:, at]
        where = _first_different(one, other)
        if where is not None:
            return name, where[0], where[1]
    if clean.seen is not None and garbled.seen is not None:
        where = _first_different(clean.seen.outputs, garbled.seen.outputs)
        if where is not None:
            return "training outputs", where[0], None
    for name, losses in clean.training.items():
        where = _first_different(losses, garbled.training[name])
        if where is not None:
            return f"training {name}", where[0], None
    return None


def _first_different(one: NDArray[Any], other: NDArray[Any]) -> tuple[int, ...] | None:
    """The place of the first bit that differs; NaN equals NaN."""
    different = ~((one == other) | ((one != one) & (other != other)))
    return tuple(int(k) for k in np.argwhere(different)[0]) if different.any() else None
