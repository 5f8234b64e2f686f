"""What is measured: the metric asked for, or the cost when costs are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from venire.combine.costs import cost_matrix
from venire.data.costs import read_costs
from venire.data.table import Table, Task
from venire.errors import UsageError
from venire.metrics import Metric, default_metric
from venire.metrics import metric as metric_named


def measure_of(table: Table, name: str | None = None, costs: Any = None) -> Metric:
    """The metric of a table; costs as `read_costs` takes them."""
    assert table.target is not None
    task = table.target.task
    if costs is not None and task is Task.REGRESSION:
        raise UsageError("costs are for classes, and the target is a number", code="costs", hint="leave out --costs")
    if costs is not None:
        costs = read_costs(costs, table.target.labels, table.target.positive)
    wanted = name or (default_metric(task) if costs is None else "cost")
    found = metric_named(wanted, task, positive=table.target.positive, costs=costs)
    if found.costs is not None and len(found.costs) != len(table.target.classes):
        raise UsageError(
            f"the costs are for {len(found.costs)} classes, but the target has {len(table.target.classes)}",
            code="costs",
            hint=f"give one row and one column a class, in this order: {', '.join(table.target.labels[:10])}",
        )
    if found.costs is not None:
        cost_matrix(found.costs, np.array(table.target.labels))
    return found
