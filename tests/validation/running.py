"""The trials of some families under the metric that does not matter to them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from venire.data.table import Table
from venire.metrics import default_metric, metric
from venire.validation.evidence.evidence import Evidence
from venire.validation.plans.plan import Plan
from venire.validation.trials import runner
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort
from venire.validation.trials.family import Family
from venire.validation.trials.runner import Ran

EFFORT = ("jobs", "budget", "began", "tick")


def docket_for(table: Table, plan: Plan, families: Sequence[Family], evidence: Evidence) -> Docket:
    assert table.target is not None
    task = table.target.task
    measure = metric(default_metric(task), task, positive=table.target.positive)
    return Docket.of(table, plan, measure, evidence, families)


def run_trials(table: Table, plan: Plan, families: Sequence[Family], evidence: Evidence, **how: Any) -> Ran:
    effort = {"began": time.monotonic()} | {name: how.pop(name) for name in EFFORT if name in how}
    return runner.run_trials(docket_for(table, plan, families, evidence), Effort(**effort), **how)


def one_of_a_class(families: Iterable[Family]) -> list[Family]:
    """The first of every class: what families of one class share is looked at once."""
    found: dict[type, Family] = {}
    for family in families:
        found.setdefault(type(family), family)
    return list(found.values())
