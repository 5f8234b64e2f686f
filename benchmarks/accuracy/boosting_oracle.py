"""Gradient boosting beside LightGBM at equal parameters on real tables: log loss, or squared error over variance.

    python benchmarks/accuracy/boosting_oracle.py --data DIRECTORY [--tables covertype letter] [--rows 40000] [--quick]

DIRECTORY holds the tables and their `manifest.json`. Both fit 100 rounds of 31 leaves at rate 0.1 on bins of single
values where there are no more than 255. Small tables are parted many times, because one fit on a few hundred rows
differs from its neighbour by far more than 0.002; differences are means over partings with their standard errors.

Two comparisons. "Same rules": a leaf needs a hessian of 2 (20 for numbers), and groups of categories grow by 100 rows,
the rules both programs share; here the losses must agree to 0.002, or to two standard errors where the table is too
small to see 0.002. "Defaults", 20 rows a leaf on both sides, differ in two things. LightGBM estimates rows from
hessians, bin by bin: a few rows of a rare class, whose hessians are large, pass for twenty; venire counts the rows. And
venire lets groups of categories grow by an eighth of a small node, where LightGBM asks for 100 rows.
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

from venire.ensembles.gradient import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.gradient_base import Goal

TABLES = ["credit_g", "abalone", "hypothyroid", "mammography", "yeast", "ames", "adult", "letter", "covertype"]
TESTED_ROWS = 20_000  # over all partings of a table
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
    words = [c for c in table if c in entry["categorical"] or not pd.api.types.is_numeric_dtype(table[c])]
    for column in words:
        codes = table[column].astype("category").cat.codes
        table[column] = codes.astype(float).where(codes >= 0)
    numbers = entry["task"] == "regression"
    target = y.to_numpy(float) if numbers else y.astype("category").cat.codes.to_numpy()
    where = [list(table.columns).index(c) for c in words]
    return Problem(name, entry["task"], table.to_numpy(float), target, where)


class _SameRule:
    """Leaves are limited by their hessian alone, and groups of categories by 100 rows in every node."""

    def _plan(self, goal: Goal, seed: int) -> Any:
        plan = super()._plan(goal, seed)  # type: ignore[misc]  # of the class it is mixed into
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


def compare(problem: Problem, most_partings: int, *, same_rule: bool) -> tuple[float, float, float]:
    """LightGBM's mean loss, the mean difference, and its standard error."""
    partings = min(most_partings, max(2, math.ceil(TESTED_ROWS / (len(problem.y) / 4))))
    pairs = np.array([losses(problem, seed, same_rule=same_rule) for seed in range(partings)])
    difference = pairs[:, 0] - pairs[:, 1]
    return pairs[:, 1].mean(), difference.mean(), difference.std(ddof=1) / math.sqrt(partings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--quick", action="store_true", help="few partings")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", module="sklearn")  # LightGBM's wrapper and the names of columns
    heads = f"{'':14}{'task':12}{'LightGBM':>9}{'same rules':>11}{'±':>8}{'agrees':>8}"
    print(f"{heads}{'LightGBM':>11}{'defaults':>10}{'±':>8}")
    for name in options.tables:
        problem = read(options.data, name, options.rows)
        most = 3 if options.quick else 80
        loss, same, error = compare(problem, most, same_rule=True)
        usual, default, default_error = compare(problem, most, same_rule=False)
        agrees = "yes" if abs(same) <= max(0.002, 2 * error) else "no"
        print(
            f"{name:14}{problem.task:12}{loss:9.4f}{same:+11.4f}{error:8.4f}{agrees:>8}"
            f"{usual:11.4f}{default:+10.4f}{default_error:8.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
