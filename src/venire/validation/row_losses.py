"""Losses row by row for nested intervals, of a family that chooses its setting: models without one to three blocks.

A nested interval needs the procedure's loss on block i when trained without {i, j}. Where a setting is chosen, that
choice has to be made inside the training set, on models without {i, j, k} tested on each further block k. One such
model serves three pairs, so K(K−1)(K−2)/6 trials do: 120 more for ten blocks, affordable for the cheap families. A
family with a single setting has nothing to choose, and pairs are enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.errors import UsageError
from venire.inference import Estimate, nested_interval
from venire.metrics.scores import Metric
from venire.validation.choice import Rule, choose
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Family, Outcome

Floats = NDArray[np.float64]

# The metrics that are a mean of one loss a row.
_DECOMPOSABLE = ("error", "cost", "log_loss", "brier", "mae")


@dataclass(frozen=True, eq=False)
class NestedLosses:
    """The loss of every row by the models that may judge it, in the shape `nested_interval` takes."""

    outer: Floats  # [repeat, row]: by the model without the row's block
    inner: Floats  # [repeat, row, block]: without its block and another one; NaN for its own
    block_of: NDArray[np.int32]  # [repeat, row]

    def interval(self, level: float = 0.95, *, at_all_rows: bool = False) -> Estimate:
        """The nested interval of these losses."""
        return nested_interval(self.outer, self.inner, self.block_of, level=level, at_all_rows=at_all_rows)


def nested_losses(family: Family, table: Table, plan: Plan, metric: Metric, *, rule: Rule = "best") -> NestedLosses:
    """Run all trials of a family without one, two and three blocks, and choose its setting inside each training set."""
    if metric.name not in _DECOMPOSABLE:
        raise UsageError(
            f"{metric.name} is no mean over rows, so it has no nested interval",
            hint=f"use one of {', '.join(_DECOMPOSABLE)}, or another interval such as corrected_t",
        )
    if plan.dealing not in ("random", "stratified", "grouped") or plan.blocks < 4:
        raise UsageError(
            f"nested intervals need four blocks or more that are left out in turn, not {plan.blocks} dealt as "
            f"{plan.dealing}",
            hint="use K-fold cross-validation",
        )
    told = _Told(family, table, plan, metric)
    outer = np.full(plan.block_of.shape, np.nan)
    inner = np.full((*plan.block_of.shape, plan.blocks), np.nan)
    for repeat in range(plan.repeats):
        for i in range(plan.blocks):
            setting = told.choice(repeat, (i,), rule)
            outer[repeat, plan.rows(repeat, (i,))] = told.row_losses(repeat, (i,), i, setting)
        for i, j in combinations(range(plan.blocks), 2):
            setting = told.choice(repeat, (i, j), rule)
            for own, other in ((i, j), (j, i)):
                rows = plan.rows(repeat, (own,))
                inner[repeat, rows, other] = told.row_losses(repeat, (i, j), own, setting)
    return NestedLosses(outer, inner, plan.block_of)


class _Told:
    """What the models without some blocks said of them; each is fitted once."""

    def __init__(self, family: Family, table: Table, plan: Plan, metric: Metric) -> None:
        self.table, self.plan, self.metric = table, plan, metric
        self.settings = len(family.path(table))
        self._family, self._prepared = family, family.prepare(table, plan)
        self._kept: dict[tuple[int, tuple[int, ...]], Outcome] = {}

    def choice(self, repeat: int, left_out: tuple[int, ...], rule: Rule) -> int:
        """The setting to use when trained without these blocks, chosen on the blocks that are left."""
        if self.settings == 1:
            return 0
        others = [k for k in range(self.plan.blocks) if k not in left_out]
        losses = np.stack([self._losses(repeat, tuple(sorted((*left_out, k))), k) for k in others])
        return choose(losses, rule, unit=self.metric.unit(self.table.y[self.plan.rows(repeat, tuple(others))]))

    def row_losses(self, repeat: int, left_out: tuple[int, ...], block: int, setting: int) -> Floats:
        """One setting's loss on every row of a block that was left out."""
        y, outcome = self._of_block(repeat, left_out, block)
        return np.concatenate(list(_row_by_row(self.metric, y, outcome, setting)))[np.argsort(_by_value(y))]

    def _losses(self, repeat: int, left_out: tuple[int, ...], block: int) -> Floats:
        y, said = self._of_block(repeat, left_out, block)
        return self.metric.losses(y, said.labels.astype(np.int32), said.outputs, said.output)

    def _of_block(self, repeat: int, left_out: tuple[int, ...], block: int) -> tuple[NDArray[Any], Outcome]:
        outcome = self._outcome(repeat, left_out)
        at = self.plan.block_of[repeat][self.plan.among(repeat, left_out)] == block
        part = Outcome(outcome.output, outcome.outputs[:, at], outcome.labels[:, at], {})
        return self.table.y[self.plan.rows(repeat, (block,))], part

    def _outcome(self, repeat: int, left_out: tuple[int, ...]) -> Outcome:
        if (repeat, left_out) not in self._kept:
            train = tuple(b for b in range(self.plan.blocks) if b not in left_out)
            outcome = self._family.run(self._prepared, Trial(repeat, train, left_out))
            self._kept[repeat, left_out] = outcome.decided_by(self.metric)
        return self._kept[repeat, left_out]


def _by_value(y: NDArray[Any]) -> NDArray[np.intp]:
    """The order in which `_row_by_row` goes through rows."""
    return np.argsort(y, kind="stable")


def _row_by_row(metric: Metric, y: NDArray[Any], said: Outcome, setting: int) -> Iterator[Floats]:
    """The losses of rows, all rows of one actual value together: to the metric each is a setting of a one-row block."""
    order = _by_value(y)
    _, starts = np.unique(y[order], return_index=True)
    for rows in np.split(order, starts[1:]):
        labels, outputs = said.labels[setting][rows][:, None], said.outputs[setting][rows][:, None]
        yield metric.losses(y[rows[:1]], labels.astype(np.int32), outputs, said.output)
