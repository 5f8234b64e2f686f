"""Losses row by row for nested intervals, of a family that chooses its setting: models without one to three folds.

A nested interval needs the procedure's loss on fold i when trained without {i, j}. Where a setting is chosen, that
choice has to be made inside the training set, on models without {i, j, k} tested on each further fold k. One such
model serves three pairs, so K(K−1)(K−2)/6 trials do: 120 more for ten folds, affordable for the cheap families. A
family with a single setting has nothing to choose, and pairs are enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.errors import UsageError
from venire.inference import Estimate, nested_interval
from venire.metrics.predictions import Predictions
from venire.metrics.scores import Metric
from venire.validation.choice import Rule, choose
from venire.validation.evidence.evidence import InMemory
from venire.validation.plans.plan import Held, Plan, Trial
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Family
from venire.validation.trials.ledger import Ledger
from venire.validation.trials.runner import refuse_failures, run_trials

Floats = NDArray[np.float64]

# The metrics that are a mean of one loss a row.
_DECOMPOSABLE = ("error", "cost", "log_loss", "brier", "mae")


@dataclass(frozen=True, eq=False, repr=False)
class NestedLosses:
    """The loss of every row by the models that may judge it, in the shape `nested_interval` takes.

    Attributes
    ----------
    outer
        By the model without the row's fold, `[repeat, row]`.
    inner
        Without its fold and another one, `[repeat, row, fold]`; NaN for its own.
    fold_of
        The fold of each row, `[repeat, row]`.

    Examples
    --------
    >>> import numpy as np
    >>> folds = np.array([[0, 0, 1, 1, 2, 2]])
    >>> outer = np.array([[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]])
    >>> inner = np.where(np.arange(3) == folds[:, :, None], np.nan, outer[:, :, None])
    >>> round(NestedLosses(outer, inner, folds).interval().value, 2)
    0.33
    """

    outer: Floats  # [repeat, row]: by the model without the row's fold
    inner: Floats  # [repeat, row, fold]: without its fold and another one; NaN for its own
    fold_of: NDArray[np.int32]  # [repeat, row]

    def __repr__(self) -> str:
        repeats, rows, folds = self.inner.shape
        return f"<NestedLosses of {rows:,} rows in {folds} folds, split {repeats} times>"

    def interval(self, level: float = 0.95, *, at_all_rows: bool = False) -> Estimate:
        """The nested interval of these losses."""
        return nested_interval(self.outer, self.inner, self.fold_of, level=level, at_all_rows=at_all_rows)


def nested_losses(family: Family, table: Table, plan: Plan, metric: Metric, *, rule: Rule = "best") -> NestedLosses:
    """Run all trials of a family without one, two and three folds, and choose its setting inside each training set.

    Parameters
    ----------
    family
        Whose trials are run.
    table
        The rows.
    plan
        Their folds; at least four.
    metric
        A mean over rows.
    rule
        How a setting is chosen: "best" or "one_standard_error".

    Returns
    -------
    NestedLosses
        The loss of every row.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from venire.data import Task, read_table
    >>> from venire.metrics import metric
    >>> from venire.validation.plans.folds import make_plan
    >>> from venire.validation.trials.generic import GenericFamily
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> table = read_table((X, X[:, 0] > 0))
    >>> bayes = GenericFamily("bayes", classifier=GaussianNB())
    >>> nested_losses(bayes, table, make_plan(table, folds=4), metric("error", Task.CLASSIFICATION)).inner.shape
    (1, 40, 4)
    """
    if metric.name not in _DECOMPOSABLE:
        raise UsageError(
            f"{metric.name} is no mean over rows, so it has no nested interval",
            hint=f"use one of {', '.join(_DECOMPOSABLE)}, or another interval such as corrected_t",
        )
    if plan.splitting not in ("random", "stratified", "grouped") or plan.folds < 4:
        raise UsageError(
            f"nested intervals need four folds or more that are left out in turn, not {plan.folds} split as "
            f"{plan.splitting}",
            hint="use K-fold cross-validation",
        )
    deeper = _Deeper(plan.fold_of, plan.folds, plan.splitting, plan.seed, depth=3 if len(family.path(table)) > 1 else 2)
    docket = Docket.of(table, deeper, metric, InMemory(seen=False), [family])
    refuse_failures(docket, run_trials(docket, selective=False))
    losses = docket.ledger(family.name)
    outer = np.full(plan.fold_of.shape, np.nan)
    inner = np.full((*plan.fold_of.shape, plan.folds), np.nan)
    for repeat in range(plan.repeats):
        for i in range(plan.folds):
            setting = _choice(docket, losses, repeat, (i,), rule)
            outer[repeat, plan.rows(repeat, (i,))] = _of_rows(docket, deeper.without(repeat, (i,), i), setting)
        for i, j in combinations(range(plan.folds), 2):
            setting = _choice(docket, losses, repeat, (i, j), rule)
            for own, other in ((i, j), (j, i)):
                rows = plan.rows(repeat, (own,))
                inner[repeat, rows, other] = _of_rows(docket, deeper.without(repeat, (i, j), own), setting)
    return NestedLosses(outer, inner, plan.fold_of)


@dataclass(frozen=True, eq=False)
class _Deeper(Plan):
    """The plan with trials that leave out up to `depth` folds."""

    depth: int = 2

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial of a family, those that leave out one fold first."""
        return tuple(
            self.without(repeat, left_out, left_out[0]).trial
            for repeat in range(self.repeats)
            for many in range(1, self.depth + 1)
            for left_out in combinations(range(self.folds), many)
        )

    def without(self, repeat: int, left_out: tuple[int, ...], fold: int) -> Held:
        """The prediction of a fold by the model without it and some others."""
        return Held(self._without(repeat, left_out), fold)


def _choice(docket: Docket, losses: Ledger, repeat: int, left_out: tuple[int, ...], rule: Rule) -> int:
    """The setting to use when trained without these folds, chosen on the folds that are left."""
    plan = docket.plan
    assert isinstance(plan, _Deeper)
    if len(losses.settings) == 1:
        return 0
    others = [k for k in range(plan.folds) if k not in left_out]
    held = [plan.without(repeat, (*left_out, k), k) for k in others]
    return choose(losses.on(held), rule, unit=docket.unit(held))


def _of_rows(docket: Docket, held: Held, setting: int) -> Floats:
    """One setting's loss on every row of a fold that was left out."""
    (family,) = docket.families
    y, predicted = docket.truth(held), docket.decided(family, held, setting)
    return np.concatenate(list(_row_by_row(docket.metric, y, predicted)))[np.argsort(_by_value(y))]


def _by_value(y: NDArray[Any]) -> NDArray[np.intp]:
    """The order in which `_row_by_row` goes through rows."""
    return np.argsort(y, kind="stable")


def _row_by_row(metric: Metric, y: NDArray[Any], predicted: Predictions) -> Iterator[Floats]:
    """The losses of rows, all rows of one actual value together: to the metric each is a setting of a one-row block."""
    assert predicted.labels is not None
    assert predicted.outputs is not None
    order = _by_value(y)
    _, starts = np.unique(y[order], return_index=True)
    for rows in np.split(order, starts[1:]):
        labels, outputs = predicted.labels[rows][:, None], predicted.outputs[rows][:, None]
        yield metric.losses(y[rows[:1]], labels.astype(np.int32), outputs, predicted.output)
