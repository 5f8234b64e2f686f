"""From losses on blocks to one figure and its interval.

The figure is the mean over the blocks. Blocks of a single row define no ratio and no rank, so metrics made of those are
refused; root mean squares of single rows are averaged as squares, or they would turn into mean absolute errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.inference.intervals import Interval, accuracy_interval, corrected_t
from venire.metrics.scores import Metric
from venire.validation.choice import Rule, choose, mean_defined
from venire.validation.plan import Plan

Floats = NDArray[np.float64]

NEED_SEVERAL_ROWS = ("balanced_error", "auc", "f1", "r2")


@dataclass(frozen=True)
class Averaging:
    """How the losses of blocks become one figure: the mean of their `power`-th powers."""

    metric: Metric
    test_over_train: float
    power: int = 1
    tested: int | None = None  # rows of the only test part, when there is only one

    @classmethod
    def over(cls, plan: Plan, metric: Metric) -> Averaging:
        """The averaging for the blocks that a plan judges on."""
        sizes = [np.bincount(of, minlength=plan.blocks)[list(plan.outer_blocks())] for of in plan.block_of]
        single = max(int(rows.max()) for rows in sizes) == 1
        if single and metric.name in NEED_SEVERAL_ROWS:
            raise UsageError(
                f"metric {metric.name!r} is not defined on blocks of a single row",
                code="bad_split",
                hint="use fewer folds, or a metric that counts rows, such as error or rmse",
            )
        only = int(sizes[0][0]) if len(sizes) == 1 and len(sizes[0]) == 1 else None
        return cls(metric, plan.test_over_train(), 2 if single and metric.name == "rmse" else 1, only)

    def mean(self, losses: Floats) -> Floats:
        """The mean along the first axis."""
        return np.asarray(mean_defined(losses**self.power) ** (1 / self.power))

    def choose(self, losses: Floats, rule: Rule, repeats: int = 1) -> int:
        """The setting to take, by losses [block, setting]."""
        return choose(losses**self.power, rule, repeats)

    def interval(self, losses: Floats, level: float = 0.95) -> Interval:
        """Of the mean, corrected for overlapping training sets; of an error rate on one test part, by its counts."""
        if self.tested is not None and self.metric.name == "error":
            right = accuracy_interval((1.0 - float(losses[0])) * self.tested, self.tested, level)
            return Interval(1.0 - right.high, 1.0 - right.low, level)
        low, high = self.metric.bounds
        found = corrected_t(losses**self.power, self.test_over_train, level).within(low, high)
        if self.power == 1:
            return found
        return Interval(found.low ** (1 / self.power), found.high ** (1 / self.power), level)
