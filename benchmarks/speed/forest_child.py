"""Times one engine on one job in a process of its own and prints the figures as JSON.

python -m benchmarks.speed.forest_child --engine venire --job d1 [--threads 2] [--quick] [--judge]
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, roc_auc_score

from benchmarks.speed.forest_engines import ENGINES, OURS, Fit
from benchmarks.speed.forest_jobs import Job, Parts, d1, jobs, parts_of, sets_of


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    start, started = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - start, time.process_time() - started, result


def best_of(repeats: int, work: Callable[[], Any]) -> tuple[float, float, Any]:
    runs = [timed(work) for _ in range(repeats)]
    return min(run[0] for run in runs), min(run[1] for run in runs), runs[-1][2]


class PeakMemory:
    """Bytes above what the process held at the start of its block; exact on Linux, otherwise the peak of its life.

    Memory that was freed before but is still in the process's hands goes back first: whoever took it again would seem
    to need none.
    """

    def __enter__(self) -> PeakMemory:
        with contextlib.suppress(OSError, AttributeError):  # there in glibc alone
            ctypes.CDLL(None).malloc_trim(0)
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        self.start = self._status("VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        self.bytes = max(0, self._status("VmHWM") - self.start)

    @staticmethod
    def _status(field: str) -> int:
        status = Path("/proc/self/status")
        if not status.exists():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        line = next(line for line in status.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) * 1024


def quality(parts: Parts, predict: Callable[[Any], Any]) -> float:
    shares = np.asarray(predict(parts.x_test))
    if parts.y.max() == 1:
        return float(roc_auc_score(parts.y_test, shares if shares.ndim == 1 else shares[:, 1]))
    return float(accuracy_score(parts.y_test, shares.argmax(axis=1)))


def quality_of_small(job: Job, fit: Fit, threads: int) -> float:
    """The mean over thirty random partings of a small table: one test part of a few dozen rows says nothing."""
    x, y = job.table()
    found = []
    for seed in range(30):
        order = np.random.default_rng(seed).permutation(len(y))
        test, train = np.split(order, [len(y) // 5])
        parts = Parts(x[train], y[train], x[test], y[test], x[:0])
        found.append(quality(parts, fit(job, parts.x, parts.y, threads)))
    return float(np.mean(found))


def measure(engine: str, job: Job, threads: int) -> dict[str, float]:
    fit, parts = ENGINES[engine](), parts_of(job)
    if job.small:
        fit(job, parts.x, parts.y, threads)  # thread pools and lazy imports are no part of a small table's price
    with PeakMemory() as memory:
        wall, cpu, predict = best_of(15 if job.small else 1, lambda: fit(job, parts.x, parts.y, threads))
    found = quality_of_small(job, fit, threads) if job.small else quality(parts, predict)
    figures = {"wall": wall, "cpu": cpu, "peak": memory.bytes, "quality": found}
    if len(parts.x_many):
        figures["predict_wall"], figures["predict_cpu"], _ = best_of(2, lambda: predict(parts.x_many))
    return figures


def judge(engine: str, job: Job, threads: int) -> dict[str, float]:
    """The quality on every training set of the job; nothing is timed."""
    fit = ENGINES[engine]()
    found = {}
    for number, parts in enumerate(sets_of(job)):
        found[f"set_{number}"] = quality(parts, fit(job, parts.x, parts.y, threads))
    return found


def grow_on(rows: int, threads: int) -> dict[str, float]:
    """A small forest of full trees on so many rows of D1, for the growth of cost in rows."""
    job = Job("rows", "", lambda: d1(rows), trees=4)
    fit, (x, y) = ENGINES[OURS](), job.table()
    with PeakMemory() as memory:
        wall, cpu, _ = best_of(1 if rows > 1_000_000 else 2, lambda: fit(job, x, y, threads))
    return {"wall": wall, "cpu": cpu, "peak": memory.bytes}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=ENGINES, default=OURS)
    parser.add_argument("--job", required=True, help="a job's name, or a number of rows of D1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--judge", action="store_true", help="the quality on every training set, instead of times")
    asked = parser.parse_args()
    if asked.job.isdecimal():
        figures = grow_on(int(asked.job), asked.threads)
    else:
        job = next(job for job in jobs(quick=asked.quick) if job.name == asked.job)
        figures = (judge if asked.judge else measure)(asked.engine, job, asked.threads)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
