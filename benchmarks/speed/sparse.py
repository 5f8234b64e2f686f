"""Sparse tables: seconds and memory of our learners beside LightGBM and scikit-learn, on one generated table.

The table has 100,000 rows and 10,000 columns, and 0.1 % of the cells are not zero: 12 MB as it comes, 8 GB made dense.
Cells are counts (1, 2, 3, …: few bins a column) or positive numbers (as many bins as cells). The class follows a linear
score of 300 of the columns, with noise; four fifths of the rows train. Every learner runs in a process of its own, all
in one run, and takes turns. `predict` is of all rows (of neighbours, of 2,000). The peak is memory above what the
process held with the table loaded, while it fits and while it predicts.

    python -m benchmarks.speed.sparse [--quick] [--turns 1] [--threads 2] [--jobs boosting …] [--json FILE]

Run it in the environment of the peers (scripts/bench_peers.sh).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import roc_auc_score

from benchmarks.results import Run
from benchmarks.speed.forest_child import PeakMemory
from benchmarks.speed.turns import run_child, take_turns

CELLS = ("counts", "numbers")
TREES = 20  # of a forest; a full tree of the slowest peer takes seconds
ROUNDS = 50


def table(rows: int, columns: int, density: float, cells: str, seed: int = 0) -> tuple[Any, Any]:
    """The matrix by rows, and the classes."""
    rng = np.random.default_rng(seed)
    x: Any = sparse.random(rows, columns, density, format="csr", random_state=rng)
    x.data = rng.geometric(0.4, x.nnz).astype(np.float64) if cells == "counts" else rng.gamma(2.0, 0.5, x.nnz)
    weights = np.zeros(columns)
    weights[rng.choice(columns, columns * 3 // 100, replace=False)] = 3.0 * rng.normal(size=columns * 3 // 100)
    score = x @ weights + rng.normal(scale=0.3, size=rows)
    return x, (score > np.median(score)).astype(np.int32)


def _venire(name: str, threads: int, columns: int) -> Any:
    import venire

    made: Mapping[str, Callable[[], Any]] = {
        "boosting": lambda: venire.GradientBoostingClassifier(n_estimators=ROUNDS, n_jobs=threads),
        "forest": lambda: venire.RandomForestClassifier(
            n_estimators=TREES, max_features="sqrt", random_state=0, n_jobs=threads
        ),
        "tree": lambda: venire.DecisionTreeClassifier(max_leaf_nodes=64, n_jobs=threads),
        "adaboost": lambda: venire.AdaBoostClassifier(n_estimators=ROUNDS),
        "bayes": lambda: venire.NaiveBayesClassifier(count_features=np.arange(columns), n_jobs=threads),
        "neighbours": lambda: venire.KNeighborsClassifier(n_jobs=threads),
        "logistic": lambda: venire.VotingClassifier([("logistic", _sklearn("logistic", threads, columns))]),
        "bagged_logistic": lambda: venire.BaggingClassifier(_sklearn("logistic", threads, columns), random_state=0),
    }
    return made[name]()


def _sklearn(name: str, threads: int, columns: int) -> Any:
    from sklearn import ensemble, linear_model, naive_bayes, neighbors, tree

    made: Mapping[str, Callable[[], Any]] = {
        "forest": lambda: ensemble.RandomForestClassifier(n_estimators=TREES, random_state=0, n_jobs=threads),
        "tree": lambda: tree.DecisionTreeClassifier(max_leaf_nodes=64, random_state=0),
        "adaboost": lambda: ensemble.AdaBoostClassifier(n_estimators=ROUNDS, random_state=0),
        "bayes": naive_bayes.MultinomialNB,
        "neighbours": lambda: neighbors.KNeighborsClassifier(n_jobs=threads),
        "logistic": lambda: linear_model.LogisticRegression(C=0.1, max_iter=200),
        "bagged_logistic": lambda: ensemble.BaggingClassifier(_sklearn("logistic", threads, columns), random_state=0),
    }
    return made[name]()


def _lightgbm(name: str, threads: int, columns: int) -> Any:
    import lightgbm

    settings: dict[str, Any] = {"n_jobs": threads, "verbose": -1, "random_state": 0}
    if name == "forest":
        bagged: dict[str, Any] = {
            "boosting_type": "rf",
            "subsample": 0.632,
            "subsample_freq": 1,
            "colsample_bytree": 0.1,
        }
        # A histogram a leaf would take 20 GB: the pool of them is bounded.
        leaves: dict[str, Any] = {"num_leaves": 1024, "histogram_pool_size": 1024}
        return lightgbm.LGBMClassifier(n_estimators=TREES, **leaves, **bagged, **settings)
    return lightgbm.LGBMClassifier(n_estimators=ROUNDS, **settings)


ENGINES: Mapping[str, Callable[[str, int, int], Any]] = {
    "venire": _venire,
    "scikit-learn": _sklearn,
    "LightGBM": _lightgbm,
}
ASKED = {
    "boosting": ("venire", "LightGBM"),
    "forest": ("venire", "scikit-learn", "LightGBM"),
    "tree": ("venire", "scikit-learn"),
    "adaboost": ("venire", "scikit-learn"),
    "bayes": ("venire", "scikit-learn"),
    "neighbours": ("venire", "scikit-learn"),
    "logistic": ("venire", "scikit-learn"),  # as a member of a vote of one, and alone
    "bagged_logistic": ("venire", "scikit-learn"),
}
MOST_QUERIES = 2_000  # of neighbours
SHAPE, QUICK = (100_000, 10_000), (20_000, 2_000)


def measure(engine: str, job: str, shape: tuple[int, int], cells: str, threads: int) -> dict[str, float]:
    """Seconds, peak memory and quality of one learner."""
    x, y = table(*shape, 0.001 if shape == SHAPE else 0.005, cells)
    train, test = np.split(np.arange(shape[0]), [shape[0] * 4 // 5])
    given, labels = x[train], y[train]
    ENGINES[engine](job, threads, shape[1]).fit(given[:200], labels[:200])  # what is loaded when first used
    model = ENGINES[engine](job, threads, shape[1])
    with PeakMemory() as memory:
        began, worked = time.perf_counter(), time.process_time()
        model.fit(given, labels)
        fitted, fit_cpu = time.perf_counter() - began, time.process_time() - worked
    asked = x[test][:MOST_QUERIES] if job == "neighbours" else x
    with PeakMemory() as more:
        began, worked = time.perf_counter(), time.process_time()
        shares = model.predict_proba(asked)[:, 1]
        predicted, predict_cpu = time.perf_counter() - began, time.process_time() - worked
    at = slice(None) if job == "neighbours" else test
    quality = roc_auc_score(y[test][: len(shares)] if job == "neighbours" else y[test], shares[at])
    return {
        "fit": fitted,
        "predict": predicted,
        "fit_cpu": fit_cpu,  # of all threads: what a busy machine changes less
        "predict_cpu": predict_cpu,
        "peak": memory.bytes / 2**20,
        "predict_peak": more.bytes / 2**20,
        "auc": float(quality),
    }


def row(job: str, cells: str, engine: str, figures: Mapping[str, float]) -> str:
    """One line of the table."""
    names = f"{job:11} {cells:8} {engine:13}"
    times = "  ".join(
        f"{what} {figures[what]:7.2f} s ({figures[f'{what}_cpu']:.2f} s of processor)" for what in ("fit", "predict")
    )
    memory = f"peak {figures['peak']:6.0f} MB, {figures['predict_peak']:6.0f} MB"
    return f"{names} {times}  {memory}  auc {figures['auc']:.4f}"


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20,000 rows of 2,000 columns")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--jobs", nargs="*", default=list(ASKED), choices=list(ASKED))
    parser.add_argument("--engine", help="of a child", choices=list(ENGINES))
    parser.add_argument("--job", help="of a child: learner:cells")
    run = Run.of("speed-sparse", parser, free=("engine", "job"))
    asked, shape = run.asked, QUICK if run.asked.quick else SHAPE
    if asked.engine:
        job, cells = asked.job.split(":")
        print(json.dumps(measure(asked.engine, job, shape, cells, asked.threads)))
        return
    options = ["--threads", str(asked.threads), *(["--quick"] if asked.quick else [])]
    for job in asked.jobs:
        for cells in CELLS:
            name = f"{job}:{cells}"
            child = partial(_child, job=name, options=options)
            for engine, figures in take_turns(child, ASKED[job], asked.turns).items():
                print(row(job, cells, engine, figures), flush=True)
                run.results.add(name, engine, **figures)
    run.finish()


def _child(engine: str, *, job: str, options: list[str]) -> dict[str, float] | None:
    return run_child("benchmarks.speed.sparse", engine, job, *options)


if __name__ == "__main__":
    main()
