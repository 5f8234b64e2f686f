"""Results as plain text: numbers, intervals and columns that line up."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from venire.inference.intervals import Interval
from venire.metrics.scores import Metric
from venire.validation.plans.plan import Plan
from venire.wording import folds


def number(value: float) -> str:
    """Four digits, or a dash where there is nothing.

    >>> number(0.123456), number(1234.5), number(float("nan"))
    ('0.1235', '1234', '—')
    >>> number(0.0), number(4.9e-06), number(24512.3)
    ('0.0000', '4.9e-06', '24512')
    """
    if isnan(value):
        return "—"
    size = abs(value)
    if 1e3 <= size < 1e8:
        return f"{value:.0f}"
    return f"{value:.4f}" if 1e-4 <= size < 10 or size == 0 else f"{value:.4g}"


def figure(loss: float, metric: Metric) -> str:
    """A loss as people know it: the score where higher is better.

    >>> from venire.data import Task
    >>> from venire.metrics import metric
    >>> figure(0.25, metric("auc", Task.CLASSIFICATION)), figure(0.25, metric("error", Task.CLASSIFICATION))
    ('0.7500', '0.2500')
    """
    return number(metric.shown(loss))


def with_interval(loss: float, interval: Interval, metric: Metric) -> str:
    """A figure with its interval behind it.

    >>> from venire.data import Task
    >>> from venire.metrics import metric
    >>> with_interval(0.25, Interval(0.2, 0.3), metric("r2", Task.REGRESSION))
    '0.7500 [0.7000, 0.8000]'
    """
    if not interval.defined:
        return figure(loss, metric)
    low, high = metric.shown_interval(interval.low, interval.high)
    return f"{figure(loss, metric)} [{number(low)}, {number(high)}]"


def table_of(header: Sequence[str], lines: Sequence[Sequence[str]], right: int = 2) -> str:
    """Columns that line up; where there is a header, the last `right` of them on their right side.

    >>> print(table_of(["k", "error"], [["1", "0.2"], ["11", "0.15"]]))
     k  error
     1    0.2
    11   0.15
    """
    every = [list(header), *lines] if header else [list(line) for line in lines]
    columns = len(every[0])
    widths = [max(len(line[c]) for line in every) for c in range(columns)]
    first = columns - right if header else columns
    shown = [
        "  ".join(
            cell.rjust(widths[c]) if c >= first else cell.ljust(widths[c]) for c, cell in enumerate(line)
        ).rstrip()
        for line in every
    ]
    return "\n".join(shown)


def described_plan(plan: Plan) -> str:
    """What a plan does, in words."""
    return "; ".join((_splits(plan), *plan.notes))


def _splits(plan: Plan) -> str:
    if plan.own_inner_folds:
        order = " in time order" if plan.windows else ""
        inner = f", {len(plan.inner_folds)} inner folds{order} each" if plan.layers > 1 else ""
        return f"{plan.repeats} test folds{inner}"
    repeats = f", {plan.repeats} times" if plan.repeats > 1 else ""
    if plan.splitting == "holdout":
        return ("training and test" if plan.used_folds == 2 else "training, validation and test") + repeats
    return folds(plan.used_folds, plan.splitting, repeats=plan.repeats)
