"""From a table and families to a judgement, in this process and in a temporary folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from venire.data.table import Table
from venire.families.paths import one_by_one
from venire.metrics import default_metric, metric
from venire.validation.choice import Rule
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Family
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.runner import run_trials
from venire.verdict.findings.catalogue import reviewed
from venire.verdict.judgement import Assessment, Judgement


def docket_of(
    home: Path, table: Table, families: Sequence[Family], *, plan: Plan, measure: str | None = None, costs: Any = None
) -> Docket:
    """Run every trial and give what a verdict is drawn from."""
    assert table.target is not None
    task = table.target.task
    found = metric(measure or default_metric(task), task, positive=table.target.positive, costs=costs)
    docket = Docket.of(table, plan, found, Runs(home).open(table, plan), families)
    ran = run_trials(docket)
    assert not ran.failed
    assert not ran.not_tried
    return docket


def judge(
    docket: Docket, families: Sequence[str], combined: Sequence[str], rule: Rule = "best", mute: Sequence[str] = ()
) -> Judgement:
    """Assess families whose evidence is complete, and look for what there is to find."""
    return reviewed(Assessment(docket, rule).judgement(families, combined), {}, mute)


def judged(
    home: Path,
    table: Table,
    families: Sequence[Family],
    combined: Sequence[str] = (),
    *,
    measure: str | None = None,
    costs: Any = None,
    **splitting: Any,
) -> Judgement:
    """The judgement of these families on this table."""
    plan = make_plan(table, **splitting)
    docket = docket_of(home, table, families, plan=plan, measure=measure, costs=costs)
    return judge(docket, [family.name for family in families], combined)


BASELINE = GenericFamily("baseline", classifier=DummyClassifier(strategy="prior"), regressor=DummyRegressor())
BAYES = GenericFamily("bayes", classifier=GaussianNB(), path=one_by_one("var_smoothing", [1.0, 1e-2, 1e-6], "s"))
NEAREST = GenericFamily("nearest", classifier=KNeighborsClassifier(1), regressor=KNeighborsRegressor(1))
RIDGE = GenericFamily(
    "ridge",
    classifier=RidgeClassifier(),
    regressor=Ridge(),
    path=one_by_one("alpha", [100.0, 1.0], "λ"),
)
TREE = GenericFamily(
    "cart",
    classifier=DecisionTreeClassifier(),
    regressor=DecisionTreeRegressor(),
    path=one_by_one("max_depth", [1, 3], "depth"),
    encoding="codes",
)
