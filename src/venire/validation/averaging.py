"""From losses on folds to one figure and its interval.

The figure is the mean over the folds. Folds of a single row define no ratio and no rank, so metrics made of those are
refused; root mean squares of single rows are averaged as squares, or they would turn into mean absolute errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.advice import Advice, Option
from venire.data.table import Table
from venire.errors import UsageError
from venire.inference.clusters import clustered_beta, too_few_groups
from venire.inference.intervals import Interval, accuracy_interval, cross_validated
from venire.metrics.scores import Metric
from venire.validation.choice import Rule, choose, mean_defined
from venire.validation.plans.plan import Place, Plan

Floats = NDArray[np.float64]

NEED_SEVERAL_ROWS = ("balanced_error", "auc", "f1", "r2")


def refuse_single_rows(plan: Plan, metric: Metric) -> None:
    """Refuse a mean over folds that means something else when every fold is a single row.

    `Averaging` knows what to do about root mean squares; a leaderboard, which compares plain means, does not.
    """
    refuse_undefined(plan, metric)
    if metric.name == "rmse" and single_rows(plan):
        raise UsageError(
            "over folds of a single row the mean RMSE is the mean absolute error",
            code="bad_split",
            hint=Advice("use fewer folds with ", Option("folds"), ", or ", Option("metric", "mae")),
        )


def refuse_undefined(plan: Plan, metric: Metric) -> None:
    """Refuse a metric that no fold defines, before anything is run."""
    if metric.name in NEED_SEVERAL_ROWS and single_rows(plan):
        raise UsageError(
            f"metric {metric.name!r} is not defined on folds of a single row",
            code="bad_split",
            hint="use fewer folds, or a metric that counts rows, such as error or mae",
        )


def single_rows(plan: Plan) -> bool:
    """Whether every fold that is judged is a single row."""
    return max(len(plan.rows(repeat, (fold,))) for repeat, fold in plan.places) == 1


@dataclass(frozen=True)
class Averaging:
    """How the losses of folds become one figure with an interval: the mean of their `power`-th powers."""

    metric: Metric
    test_over_train: float
    rows: float  # tested at least once; copies of one row count as one
    repeats: int = 1  # how often, on average
    dependent: bool = False  # rows hang together: groups, time
    power: int = 1
    groups: NDArray[Any] | None = field(default=None, compare=False)  # of the rows of a single test part
    scarce: int | None = None  # rows of the rarest class
    unit: float = 1.0  # that losses come in: of the rows a choice may look at

    @classmethod
    def over(
        cls, plan: Plan, metric: Metric, *, table: Table | None = None, places: Sequence[Place] | None = None
    ) -> Averaging:
        """The averaging for the folds (all) that a plan judges on; a table tells which of its rows hang together."""
        judged = plan.places if places is None else places
        tested = [plan.rows(repeat, (fold,)) for repeat, fold in judged]
        dependent = table is not None and (table.groups is not None or table.time is not None)
        found = cls.of(tested, plan.test_over_train(judged), metric, dependent=dependent)
        if plan.cases is not None:
            found = replace(found, rows=plan.independent(np.unique(np.concatenate(tested))))
        if table is None:
            return found
        groups = None if table.groups is None or len(tested) > 1 else table.groups[tested[0]]
        return replace(found, scarce=table.scarce, groups=groups, unit=metric.unit(table.y))

    @classmethod
    def of(
        cls, tested: Sequence[NDArray[np.intp]], test_over_train: float, metric: Metric, *, dependent: bool = False
    ) -> Averaging:
        """The averaging for folds of these rows."""
        single = max(len(rows) for rows in tested) == 1
        together = np.concatenate(tested)
        rows = len(np.unique(together))
        power = 2 if single and metric.name == "rmse" else 1
        return cls(metric, test_over_train, rows, max(1, round(len(together) / rows)), dependent, power)

    def mean(self, losses: Floats) -> Floats:
        """The mean along the first axis."""
        return np.asarray(mean_defined(losses**self.power) ** (1 / self.power))

    def choose(self, losses: Floats, rule: Rule, repeats: int = 1, *, unit: float | None = None) -> int:
        """The setting to take, by losses [fold, setting] in this unit, if it is not that of all rows."""
        return choose(losses**self.power, rule, repeats, (self.unit if unit is None else unit) ** self.power)

    @property
    def by_groups(self) -> bool:
        """Whether the figure is an error rate on one test part whose rows come in groups."""
        return self.groups is not None and self.metric.name == "error"

    @property
    def doubt(self) -> str | None:
        """Why the interval is not to be relied on, if it is not."""
        return too_few_groups(self.groups) if self.groups is not None and self.by_groups else None

    def interval(self, losses: Floats, level: float = 0.95, wrong: NDArray[np.bool_] | None = None) -> Interval:
        """Of the mean, as on the leaderboard; of an error rate on one test part, by its counts.

        Where the part's rows come in groups, `wrong` says which of them are errors.
        """
        if self.groups is not None and self.by_groups and wrong is not None:
            return clustered_beta(wrong, self.groups, level=level).interval
        if len(losses) == 1 and self.metric.name == "error":
            error = float(losses[0])
            right = accuracy_interval((1.0 - error) * self.rows, self.rows, level)
            # With no error at all both tails lie on one side of the figure, which belongs in.
            return Interval(min(1.0 - right.high, error), max(1.0 - right.low, error), level)
        rows = self.rows if self.metric.name == "error" else None
        found = cross_validated(
            losses**self.power,
            self.test_over_train,
            rows=rows,
            scarce=self.scarce,
            repeats=self.repeats,
            dependent=self.dependent,
            bounds=self.metric.bounds,
            level=level,
        )
        if self.power == 1:
            return found
        return Interval(found.low ** (1 / self.power), found.high ** (1 / self.power), level)
