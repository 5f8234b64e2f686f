"""What was asked of which table: how every document of a result begins."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, TypedDict

from venire.data.document import Account, TaskName, Version
from venire.data.table import Table
from venire.errors import SCHEMA_VERSION
from venire.metrics.scores import Metric


class Measured(TypedDict):
    """What is measured."""

    metric: Annotated[str, "a stable word such as `error`"]
    metric_label: Annotated[str, "the same for people"]
    higher_is_better: Annotated[bool, "as people are shown it; the fields called error are losses"]
    score_label: Annotated[str | None, "what the score is called where higher is better"]


class OfATable(TypedDict):
    """What was read, and what is predicted."""

    schema_version: Version
    venire: Annotated[str, "the version of venire"]
    source: str
    rows: Annotated[int, "with a target"]
    target: str
    task: TaskName
    classes: Annotated[list[str], "empty where numbers are predicted"]


class Question(Measured, OfATable, Account):
    """What was asked of which table."""

    seed: int


def metric_facts(metric: Metric) -> Measured:
    """How a metric is called, and which way is better."""
    return {
        "metric": metric.name,
        "metric_label": metric.label,
        "higher_is_better": metric.higher_is_better,
        "score_label": metric.score_label if metric.higher_is_better else None,
    }


def table_facts(table: Table) -> OfATable:
    """The table, and the target in it."""
    target = table.target
    assert target is not None
    return {
        "schema_version": SCHEMA_VERSION,
        "venire": version("venire"),
        "source": table.source,
        "rows": table.rows,
        "target": target.name,
        "task": str(target.task),
        "classes": list(target.labels),
    }
