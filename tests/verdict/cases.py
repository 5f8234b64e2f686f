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
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.trials.evidence import FamilyKey
from venire.validation.trials.family import Family
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.runner import run_trials
from venire.validation.trials.runs import Runs
from venire.verdict.judge import Judgement, judge
from venire.verdict.ledger import Docket


def docket_of(
    home: Path, table: Table, families: Sequence[Family], *, plan: Plan, measure: str | None = None, costs: Any = None
) -> Docket:
    """Run every trial and give what a verdict is drawn from."""
    assert table.target is not None
    evidence = Runs(home).open(table, plan)
    settings = {family.name: family.path(table) for family in families}
    keys = {family.name: FamilyKey.of(family, settings[family.name]) for family in families}
    ran = run_trials(table, plan, families, evidence)
    assert not ran.failed
    assert not ran.not_tried
    task = table.target.task
    found = metric(measure or default_metric(task), task, positive=table.target.positive, costs=costs)
    return Docket(table, plan, evidence, found, keys, settings)


def judged(
    home: Path,
    table: Table,
    families: Sequence[Family],
    combined: Sequence[str] = (),
    *,
    measure: str | None = None,
    costs: Any = None,
    **dealing: Any,
) -> Judgement:
    """The judgement of these families on this table."""
    plan = make_plan(table, **dealing)
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
