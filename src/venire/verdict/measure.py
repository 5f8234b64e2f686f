"""What is measured: the metric asked for, or the cost when costs are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from venire.combine.least_cost import cost_matrix
from venire.data.table import Table
from venire.metrics import Metric
from venire.validation import subject


def measure_of(table: Table, name: str | None = None, costs: Any = None) -> Metric:
    """The metric of a table; costs as `read_costs` takes them, and such that a threshold can be drawn from them."""
    assert table.target is not None
    found = subject.measure_of(table, name, costs)
    if found.costs is not None:
        cost_matrix(found.costs, np.array(table.target.labels))
    return found
