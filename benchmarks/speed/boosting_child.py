"""Times one engine on one job in a process of its own and prints the figures as JSON.

python -m benchmarks.speed.boosting_child --engine venire --job d1 [--threads 2] [--quick]
                                          [--settings '{"learning_rate": 0.3}']
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

import numpy as np
from sklearn.metrics import log_loss

from benchmarks.speed.boosting_engines import ENGINES, OURS
from benchmarks.speed.boosting_jobs import Job, Table, jobs
from benchmarks.speed.forest_child import best_of

FIT_ROWS_OF_PREDICT = 100_000
WARM_ROWS = 2_000


def parted(table: Table) -> tuple[Table, Table]:
    """The first four fifths train, the rest tests."""
    cut = len(table.y) * 4 // 5
    first, rest = ((table.x[s], table.y[s]) for s in (slice(cut), slice(cut, None)))
    return Table(*first, table.categorical), Table(*rest, table.categorical)


def loss_of(model: Any, test: Table) -> float:
    rows: Any = test.x
    if type(model).__name__ == "CatBoostClassifier" and test.categorical:
        from benchmarks.speed.boosting_engines import _catboost_rows

        rows = _catboost_rows(test)
    return float(log_loss(test.y, model.predict_proba(rows)))


def one_row(model: Any, test: Table) -> float:
    """Microseconds for one row through Python, the median."""
    rows = [np.ascontiguousarray(test.x[i % len(test.y)][None]) for i in range(300)]
    times = []
    for row in rows:
        start = time.perf_counter()
        model.predict_proba(row)
        times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(times)


def measure(engine: str, job: Job, threads: int, settings: dict[str, Any]) -> dict[str, float]:
    table = job.table()
    fit, test = parted(table)
    start = ENGINES[engine]
    if job.kind == "predict":
        few = Table(fit.x[:FIT_ROWS_OF_PREDICT], fit.y[:FIT_ROWS_OF_PREDICT])
        model = start(job, few, threads)
        many = np.ascontiguousarray(table.x[: job.predict_rows])
        wall, cpu, _ = best_of(3, lambda: model.predict_proba(many))
        return {"wall": wall, "cpu": cpu, "loss": loss_of(model, test), "one_row": one_row(model, test)}
    # Imports and thread pools are no part of the price.
    start(job, Table(fit.x[:WARM_ROWS], fit.y[:WARM_ROWS], fit.categorical), threads)
    wall, cpu, model = best_of(7 if job.kind == "small" else 1, lambda: start(job, fit, threads, **settings))
    figures = {"wall": wall, "cpu": cpu, "loss": loss_of(model, test)}
    if job.kind == "small":
        figures["one_row"] = one_row(model, test)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=ENGINES, default=OURS)
    parser.add_argument("--job", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--settings", type=json.loads, default={})
    asked = parser.parse_args()
    job = next(job for job in jobs(quick=asked.quick) if job.name == asked.job)
    print(json.dumps(measure(asked.engine, job, asked.threads, asked.settings)))


if __name__ == "__main__":
    main()
