"""Gradient boosting beside LightGBM at equal parameters on real tables: log loss, or squared error over variance.

    python -m benchmarks.accuracy.boosting_oracle --data DIRECTORY [--tables covertype letter] [--rows 40000] [--quick]

DIRECTORY holds the tables and their `manifest.json`. Both fit 100 rounds of 31 leaves at rate 0.1 on bins of single
values where there are no more than 255. Tables are parted many times, because one fit on a few hundred rows differs
from its neighbour by far more than 0.002; differences are means over partings with their standard errors. Partings are
added until the error is 0.0007: the error alone decides, never the difference.

Two comparisons. "Same rules": a leaf needs a hessian of 2 (20 for numbers), and groups of categories grow by 100 rows,
the rules both programs share; here the losses must agree to 0.002. "Defaults", 20 rows a leaf on both sides, differ in
two things. LightGBM estimates rows from hessians, bin by bin: a few rows of a rare class, whose hessians are large,
pass for twenty; venire counts the rows. And venire lets groups of categories grow by an eighth of a small node, where
LightGBM asks for 100 rows.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.metrics import log_loss

from benchmarks.results import Run
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.gradient.settings import Goal

TABLES = ["credit_g", "abalone", "hypothyroid", "mammography", "yeast", "ames", "adult", "letter", "covertype"]
ALLOWED = 0.002
WANTED_ERROR = 0.0007
FEWEST, MOST, FEW_ROWS = (
    4,
    600,
    3000,
)  # partings; small tables, whose errors are still rough then, start with ten times as many
LEAST_HESSIAN = {"squared": 20.0}


@dataclass(frozen=True)
class Problem:
    name: str
    task: str
    x: Any
    y: Any
    categorical: list[int]


def read(folder: Path, name: str, most: int) -> Problem:
    """A table as a matrix of numbers and codes, cut to `most` rows."""
    entry = next(one for one in json.loads((folder / "manifest.json").read_text()) if one["name"] == name)
    file = folder / entry["file"]
    table = pd.read_csv(file) if file.suffix == ".csv" else pd.read_parquet(file)
    if len(table) > most:
        table = table.iloc[np.sort(np.random.default_rng(0).choice(len(table), most, replace=False))]
    y = table[entry["target"]]
    table = table.drop(columns=[entry["target"], *(c for c in entry.get("drop", {}) if c in table)])
    words = [str(c) for c in table if c in entry["categorical"] or not pd.api.types.is_numeric_dtype(table[c])]
    for column in words:
        codes = table[column].astype("category").cat.codes
        table[column] = codes.astype(float).where(codes >= 0)
    numbers = entry["task"] == "regression"
    target = y.to_numpy(float) if numbers else y.astype("category").cat.codes.to_numpy()
    where = [list(table.columns).index(c) for c in words]
    return Problem(name, entry["task"], table.to_numpy(float), target, where)


class _SameRule:
    """Leaves are limited by their hessian alone, and groups of categories by 100 rows in every node."""

    def _plan(self, goal: Goal, seed: int, rows: int) -> Any:
        plan = super()._plan(goal, seed, rows)  # type: ignore[misc]  # of the class it is mixed into
        plan.count_rows = plan.rows_by_hessian = False
        plan.min_samples_leaf = 0.0
        plan.group_share = 1.0
        plan.min_hessian = LEAST_HESSIAN.get(goal.loss, 2.0)
        return plan


class _SameRuleClassifier(_SameRule, GradientBoostingClassifier):
    pass


class _SameRuleRegressor(_SameRule, GradientBoostingRegressor):
    pass


def contestants(problem: Problem, *, same_rule: bool) -> tuple[Any, Any]:
    # Five bins are four categories and a place for gaps: up to so many, both try one category against the rest.
    theirs: dict[str, Any] = {"n_estimators": 100, "min_data_in_bin": 1, "max_cat_to_onehot": 5}
    theirs |= {"verbose": -1, "n_jobs": 1}
    numbers = problem.task == "regression"
    if same_rule:
        theirs |= {"min_child_samples": 0, "min_child_weight": LEAST_HESSIAN["squared"] if numbers else 2.0}
    if numbers:
        kind: Any = _SameRuleRegressor if same_rule else GradientBoostingRegressor
        return kind(categorical_features=problem.categorical), LGBMRegressor(**theirs)
    kind = _SameRuleClassifier if same_rule else GradientBoostingClassifier
    return kind(categorical_features=problem.categorical), LGBMClassifier(**theirs)


def losses(problem: Problem, seed: int, *, same_rule: bool) -> tuple[float, float]:
    """Ours and theirs on one parting: three quarters to fit, a quarter to test."""
    order = np.random.default_rng(seed).permutation(len(problem.y))
    cut = len(order) * 3 // 4
    fit, test = order[:cut], order[cut:]
    y_fit, y_test = problem.y[fit], problem.y[test]
    if problem.task != "regression":
        classes = np.unique(y_fit)
        test = test[np.isin(y_test, classes)]  # a class that no training row has is out of reach for both
        y_fit, y_test = np.searchsorted(classes, y_fit), np.searchsorted(classes, problem.y[test])
    ours, theirs = contestants(problem, same_rule=same_rule)
    ours.fit(problem.x[fit], y_fit)
    theirs.fit(problem.x[fit], y_fit, categorical_feature=problem.categorical)

    def loss(model: Any) -> float:
        if problem.task == "regression":
            return float(np.mean((model.predict(problem.x[test]) - y_test) ** 2) / np.var(y_test))
        return float(log_loss(y_test, model.predict_proba(problem.x[test]), labels=np.arange(len(classes))))

    return loss(ours), loss(theirs)


@dataclass(frozen=True)
class Gap:
    """Our loss less LightGBM's, with its standard error, over so many partings, and LightGBM's."""

    partings: int
    mean: float
    error: float
    theirs: float

    @classmethod
    def of(cls, found: list[tuple[float, float]]) -> Gap:
        ours, theirs = np.array(found).T
        gap = ours - theirs
        return cls(len(gap), float(gap.mean()), float(gap.std(ddof=1)) / math.sqrt(len(gap)), float(theirs.mean()))

    def __str__(self) -> str:
        return f"{self.theirs:10.4f}{self.mean:+9.4f}{self.error:8.4f}{self.partings:6}"

    @property
    def verdict(self) -> str:
        if abs(self.mean) <= ALLOWED:
            return "agree"
        return "open" if abs(self.mean) - 2 * self.error <= ALLOWED else "differ"


def compare(problem: Problem, *, same_rule: bool, quick: bool) -> Gap:
    fewest = 3 if quick else FEWEST * (10 if len(problem.y) < FEW_ROWS else 1)
    found = [losses(problem, seed, same_rule=same_rule) for seed in range(fewest)]
    while not quick and Gap.of(found).error > WANTED_ERROR and len(found) < MOST:
        found.append(losses(problem, len(found), same_rule=same_rule))
    return Gap.of(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--quick", action="store_true", help="few partings")
    run = Run.of("accuracy-boosting-oracle", parser, free=["data"])
    options = run.asked
    warnings.filterwarnings("ignore", module="sklearn")  # LightGBM's wrapper and the names of columns
    columns = f"{'LightGBM':>10}{'ours −':>9}{'±':>8}{'parts':>6}"
    print(f"{'':14}{'task':12}{columns}{columns}  (same rules; defaults)")
    for name in options.tables:
        problem = read(options.data, name, options.rows)
        same, usual = (compare(problem, same_rule=rule, quick=options.quick) for rule in (True, False))
        print(f"{name:14}{problem.task:12}{same}{usual}  same rules: {same.verdict}", flush=True)
        for rules, gap in (("same rules", same), ("defaults", usual)):
            run.results.add(f"{name}, {rules}", "LightGBM", loss=gap.theirs)
            run.results.add(f"{name}, {rules}", "venire − LightGBM", loss=gap.mean, standard_error=gap.error)
    run.finish()


if __name__ == "__main__":
    main()
