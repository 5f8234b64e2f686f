"""Boosting side by side with its peers: time to fit, log loss on unseen rows, time to predict, one row through Python.

    python benchmarks/speed/boosting.py --peers /path/to/an/environment/with/lightgbm/bin/python

Peers live in an environment of their own. Every measurement is a process of its own, and the contestants take turns, so
that a busy neighbour meets all of them; wall and processor time are both shown, medians over the turns. Data is made
outside the clock, from fixed seeds. All fit 100 rounds of 31 leaves on 255 bins at rate 0.1, without sampling.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

CONTESTANTS = ["venire", "lightgbm", "lightgbm_quantised", "xgboost", "sklearn", "catboost"]


def wide(rows: int) -> tuple[Any, Any]:
    """28 numeric columns with interactions and noise; two classes."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((rows, 28), dtype=np.float32)
    z = x[:, 0] * x[:, 1] + 0.8 * np.abs(x[:, 2]) + 0.9 * np.maximum(x[:, 3], x[:, 4]) + np.tanh(x[:, 5] * x[:, 6])
    return x, (z - np.median(z) + rng.logistic(size=rows) > 0).astype(np.int32)


def one_hot(rows: int) -> tuple[Any, Any]:
    """14 numeric columns and 40 that are zero or one, of which one in each group is set; seven classes."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((rows, 14), dtype=np.float32)
    group = rng.integers(0, 40, size=rows)
    z = x[:, :7] @ rng.normal(size=(7, 7)) + rng.normal(size=(40, 7))[group] + rng.gumbel(size=(rows, 7))
    return np.hstack([x, np.eye(40, dtype=np.float32)[group]]), z.argmax(axis=1).astype(np.int32)


def small(rows: int) -> tuple[Any, Any]:
    """The breast cancer table that scikit-learn ships; `rows` is not used."""
    from sklearn.datasets import load_breast_cancer

    return load_breast_cancer(return_X_y=True)


TABLES: dict[str, Callable[[int], tuple[Any, Any]]] = {"wide": wide, "one_hot": one_hot, "small": small}


def make(name: str, threads: int) -> Any:
    if name == "venire":
        from venire.ensembles.gradient import GradientBoostingClassifier

        return GradientBoostingClassifier(n_jobs=threads)
    if name.startswith("lightgbm"):
        from lightgbm import LGBMClassifier

        quantised = name == "lightgbm_quantised"
        return LGBMClassifier(n_jobs=threads, verbose=-1, use_quantized_grad=quantised)
    if name == "xgboost":
        from xgboost import XGBClassifier

        return XGBClassifier(
            n_estimators=100, max_leaves=31, max_depth=0, grow_policy="lossguide", learning_rate=0.1, max_bin=255,
            tree_method="hist", n_jobs=threads,
        )  # fmt: skip
    if name == "catboost":
        from catboost import CatBoostClassifier

        return CatBoostClassifier(
            iterations=100, depth=5, learning_rate=0.1, border_count=254, thread_count=threads, verbose=False,
            allow_writing_files=False,
        )  # fmt: skip
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=100, early_stopping=False)


def measure(name: str, table: str, rows: int, threads: int) -> dict[str, float]:
    """One contestant on one table, in this process."""
    from sklearn.metrics import log_loss

    x, y = TABLES[table](rows)
    order = np.random.default_rng(0).permutation(len(y))
    fit, test = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
    x_fit, x_test = np.ascontiguousarray(x[fit]), np.ascontiguousarray(x[test])
    model = make(name, threads)
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(x_fit, y[fit])
    out = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    wall, cpu = time.perf_counter(), time.process_time()
    shares = model.predict_proba(x_test)
    out |= {"predict_wall": time.perf_counter() - wall, "predict_cpu": time.process_time() - cpu}
    out["log_loss"] = float(log_loss(y[test], shares))
    turns = []
    for i in range(200):
        wall = time.perf_counter()
        model.predict_proba(x_test[i % len(test)][None])
        turns.append(time.perf_counter() - wall)
    out["one_row_us"] = 1e6 * statistics.median(turns)
    return out


def turn(python: str, name: str, table: str, rows: int, threads: int) -> dict[str, float] | None:
    command = [python, __file__, "--run", name, "--tables", table, "--rows", str(rows), "--threads", str(threads)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        print(f"{name} did not run: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    result: dict[str, float] = json.loads(done.stdout)
    return result


def compete(table: str, options: argparse.Namespace) -> None:
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in options.contestants}
    for _ in range(options.turns):
        for name in options.contestants:
            python = sys.executable if name == "venire" else options.peers
            result = turn(python, name, table, options.rows, options.threads)
            if result is not None:
                seen[name].append(result)
    print(f"\n{table}, {options.threads} threads, medians of {options.turns}")
    print(f"{'':20}{'fit s':>9}{'fit cpu':>9}{'predict s':>11}{'pred. cpu':>11}{'log loss':>10}{'one row µs':>12}")
    for name, results in seen.items():
        if results:
            middle = {key: statistics.median(one[key] for one in results) for key in results[0]}
            print(
                f"{name:20}{middle['wall']:9.2f}{middle['cpu']:9.2f}{middle['predict_wall']:11.3f}"
                f"{middle['predict_cpu']:11.3f}{middle['log_loss']:10.4f}{middle['one_row_us']:12.0f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--peers", default=sys.executable, help="the Python of an environment with the peers")
    parser.add_argument("--contestants", nargs="+", default=CONTESTANTS, choices=CONTESTANTS)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--run", choices=CONTESTANTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(measure(options.run, options.tables[0], options.rows, options.threads)))
        return
    for table in options.tables:
        compete(table, options)


if __name__ == "__main__":
    main()
