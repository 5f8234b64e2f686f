"""Is a forest whose trees leave out whole folds as good as a bootstrap forest?

    python -m benchmarks.accuracy.forest_samples [--repeats 5] [--folds 10] [--bagging] [--tables yeast.csv …]

Needs the real tables in the folder `shared/data` beside the checkout, or in VENIRE_BENCH_DATA; says so where they are
not. All figures are held-out errors (share of wrong labels, or root mean squared error) of 100 trees at the default q,
averaged over the folds of `repeats` splits of 10 (or `folds`) folds; ± is the standard error of the difference
over splits.

bootstrap   a fresh forest of bootstrap samples for every outer fold
drawn       a fresh forest whose trees draw half of the training rows without replacement: what `refit` hands over
shared      the outer forests of trees that leave out folds: what is validated
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import Run
from venire.data import read_table
from venire.data.table import Table, Task
from venire.ensembles.forest.estimators import RandomForestClassifier, RandomForestRegressor
from venire.families.trees.forest import ForestFamily
from venire.families.trees.left_out import SHARE
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Outcome
from venire.validation.trials.naive import naive_outcome

TABLES = ("auto_mpg.csv", "credit_g.csv", "yeast.csv", "banknote_authentication.csv", "abalone.csv")


def folder() -> Path:
    named = os.environ.get("VENIRE_BENCH_DATA")
    return (Path(named) if named else Path(__file__).resolve().parents[2].parent / "shared") / "data"


def family(**samples: Any) -> ForestFamily:
    return ForestFamily(
        "forest",
        classifier=RandomForestClassifier(n_jobs=1, **samples),
        regressor=RandomForestRegressor(n_jobs=1, **samples),
        encoding="none",
    )


def loss(table: Table, plan: Plan, trial: Trial, outcome: Outcome) -> float:
    rows = plan.test_rows(trial)
    if table.target is not None and table.target.task is Task.REGRESSION:
        return float(np.sqrt(np.mean((outcome.outputs[0, :, 0] - table.y[rows]) ** 2)))
    return float(np.mean(outcome.labels[0] != table.y[rows]))


def errors_of_a_split(table: Table, seed: int, folds: int, q: Any) -> dict[str, float]:
    """Mean errors of one split of the rows."""
    plan = make_plan(table, folds=folds, seed=seed)
    drawn, bootstrap = family(bootstrap=False, max_samples=SHARE, max_features=q), family(max_features=q)
    prepared = drawn.prepare(table, plan)
    outer = [trial for trial in plan.trials if len(trial.test) == 1]
    runs = {
        "bootstrap": [(t, naive_outcome(bootstrap, table, plan, t)) for t in outer],
        "drawn": [(t, naive_outcome(drawn, table, plan, t)) for t in outer],
        "shared": [(t, drawn.run(prepared, t)) for t in outer],
    }
    return {name: float(np.mean([loss(table, plan, t, o) for t, o in found])) for name, found in runs.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--bagging", action="store_true", help="look at all columns in every node")
    run = Run.of("accuracy-forest-samples", parser)
    given = run.asked
    if not folder().exists():
        raise SystemExit("the real tables are not there; set VENIRE_BENCH_DATA to the folder that holds data/")
    known = {entry["file"]: entry for entry in json.loads((folder() / "manifest.json").read_text())}
    print(f"{'table':<28}{'bootstrap':>10}{'drawn':>10}{'shared':>10}{'shared − bootstrap':>22}{'shared − drawn':>20}")
    for name in given.tables:
        entry = known[name]
        task = "regression" if entry["task"] == "regression" else "classification"
        table = read_table(folder() / name, entry["target"], task=task, drop=tuple(entry["drop"]))
        found = [
            errors_of_a_split(table, seed, given.folds, None if given.bagging else "log2+1")
            for seed in range(given.repeats)
        ]
        mean = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
        print(f"{name:<28}{mean['bootstrap']:>10.4f}{mean['drawn']:>10.4f}{mean['shared']:>10.4f}", end="")
        run.results.add(name, "venire", **mean)
        print(f"{difference(found, 'shared', 'bootstrap'):>22}{difference(found, 'shared', 'drawn'):>20}", flush=True)
    run.finish()


def difference(found: list[dict[str, float]], one: str, other: str) -> str:
    apart = np.array([each[one] - each[other] for each in found])
    error = apart.std(ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else float("nan")
    return f"{apart.mean():+.4f} ± {error:.4f}"


if __name__ == "__main__":
    main()
