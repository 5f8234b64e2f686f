"""From losses on folds to one mean, which is what settings are chosen by.

Root mean squares are averaged as squares, as on the leaderboard; of single rows they would turn into mean absolute
errors. Folds of a single row define no ratio and no rank, so metrics made of those are refused. The figure that is
shown, and its interval, go by rows: `outer_rows`.
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
from venire.inference.clusters import too_few_groups
from venire.metrics.scores import Metric
from venire.validation.choice import Rule, choose, mean_defined
from venire.validation.plans.plan import Place, Plan

Floats = NDArray[np.float64]

NEED_SEVERAL_ROWS = ("balanced_error", "auc", "f1", "r2")


def refuse_single_rows(plan: Plan, metric: Metric) -> None:
    """Refuse a mean over folds that means something else when every fold is a single row."""
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
    """How the losses of folds become one mean: of their `power`-th powers."""

    metric: Metric
    repeats: int = 1  # how often a row is tested, on average
    power: int = 1
    groups: NDArray[Any] | None = field(default=None, compare=False)  # of the rows of a single test part
    unit: float = 1.0  # that losses come in: of the rows a choice may look at

    @classmethod
    def over(
        cls, plan: Plan, metric: Metric, *, table: Table | None = None, places: Sequence[Place] | None = None
    ) -> Averaging:
        """The averaging for the folds (all) that a plan judges on; a table tells which of its rows hang together."""
        judged = plan.places if places is None else places
        tested = [plan.rows(repeat, (fold,)) for repeat, fold in judged]
        together = np.concatenate(tested)
        repeats = max(1, round(len(together) / len(np.unique(together))))
        found = cls(metric, repeats, metric.power)
        if table is None:
            return found
        groups = None if table.groups is None or len(tested) > 1 else table.groups[tested[0]]
        return replace(found, groups=groups, unit=metric.unit(table.y))

    def mean(self, losses: Floats) -> Floats:
        """The mean along the first axis."""
        return np.asarray(mean_defined(losses**self.power) ** (1 / self.power))

    def choose(self, losses: Floats, rule: Rule, repeats: int = 1, *, unit: float | None = None) -> int:
        """The setting to take, by losses [fold, setting] in this unit, if it is not that of all rows."""
        return choose(losses**self.power, rule, repeats, (self.unit if unit is None else unit) ** self.power)

    @property
    def doubt(self) -> str | None:
        """Why the interval is not to be relied on, if it is not."""
        return None if self.groups is None else too_few_groups(self.groups)
