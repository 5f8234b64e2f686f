"""Predicting a numeric CSV with `venire predict`'s engine, beside what the reader reaches alone; and peak memory.

Each job is a process of its own, in turns; the best of the turns counts. The models are trained on 1,000 rows of two
classes (or of numbers, where their name says so), with the setting that a comparison chose, and their predictions are
written with all probabilities. The reader alone is the same blocks read into arrays, without a model and without
writing; `read_table` reads all of it at once, where that fits into memory.
Seconds of computing (all threads together) are given beside those on the clock: on a machine that does other work too,
they are what can be compared. Peak memory is that of the whole process, for a file and for one of a quarter of its
size. Models that take more than `--patience` seconds for the smaller file are measured on it alone.

    python -m benchmarks.speed.predict [--megabytes 400] [--columns 20] [--turns 3] [--models linear logistic …]
    python -m benchmarks.speed.predict --models boosting --parquet boosting --megabytes 10000 --turns 1 --patience 60
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import Run

READING = ("reader alone", "read_table")
NUMBERS = "_of_numbers"
ALONE = (
    "baseline", "naive_bayes", "knn", "tree", "linear", "logistic", "perceptron", "svm", "neural_net", "bagging",
    "forest", "extra_trees", "forest_rc", "adaboost", "boosting", "boosting_small", "boosting_slow",
)  # fmt: skip
TOGETHER = {name: ("naive_bayes", "logistic", "tree", "boosting", name) for name in ("vote", "stack", "blend")}
OF_NUMBERS = tuple(f"{name}{NUMBERS}" for name in ("linear", "knn", "svm", "neural_net", "forest", "boosting"))
MODELS = (*ALONE, *TOGETHER, *OF_NUMBERS)
ROWS = 1_000  # that the models are trained on
AT_ONCE = 2_000  # MB that `read_table` is given


Found = dict[str, list[dict[str, float]]]


def write_csv(path: Path, megabytes: int, columns: int) -> None:
    generator = np.random.default_rng(0)
    numbers = np.round(generator.standard_normal((50_000, columns)), 6)
    block = "".join(",".join(map(repr, row)) + "\n" for row in numbers.tolist())
    with path.open("w") as out:
        out.write(",".join(f"x{j}" for j in range(columns)) + "\n")
        for _ in range(max(1, megabytes * 1_000_000 // len(block))):
            out.write(block)


def write_model(path: Path, name: str, columns: int, home: Path) -> None:
    import pandas as pd

    import venire

    rng = np.random.default_rng(1)
    X = rng.standard_normal((ROWS, columns))
    signal = X[:, : columns // 2].sum(axis=1) + X[:, 0] * X[:, 1] + rng.standard_normal(ROWS)
    family = name.removesuffix(NUMBERS)
    y = signal if name.endswith(NUMBERS) else np.where(signal > 0, "yes", "no")
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(columns)]).assign(y=y)
    asked = TOGETHER.get(family, (family,))
    venire.compare(frame, "y", models=asked, folds=3, home=home, progress=False).save(path, family)


def read_alone(table: str) -> None:
    from venire.data.readers.in_chunks import open_chunks
    from venire.data.readers.sources import Options

    with open_chunks(table, Options()) as chunks:
        for chunk in chunks:
            for name in chunk.facts.names:
                chunk.column(name)


def child(job: str, table: str, model: str) -> None:
    from venire import load
    from venire.data import read_table
    from venire.use.predicting import predict_file

    work: Callable[[], Any]
    if job == READING[0]:
        work = partial(read_alone, table)
    elif job == READING[1]:
        work = partial(read_table, table)
    else:
        ending = "parquet" if job.endswith("parquet") else "csv"
        work = partial(predict_file, load(model), table, Path(table).with_name(f"predicted.{ending}"))
    began, busy = time.perf_counter(), time.process_time()
    work()
    seconds, computing = time.perf_counter() - began, time.process_time() - busy
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    print(json.dumps({"seconds": seconds, "computing": computing, "peak": int(status["VmHWM"].split()[0]) * 1024}))


def measure(job: str, table: Path, model: Path) -> dict[str, float]:
    words = [sys.executable, "-m", "benchmarks.speed.predict", "--child", job, str(table), str(model)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measured(jobs: dict[str, Path], whole: Path, quarter: Path, turns: int, patience: float) -> tuple[Found, Found]:
    """Of each job what it took for the larger file, turn by turn, where there is time for it; and for the smaller."""
    small = {job: [measure(job, quarter, model)] for job, model in jobs.items()}
    quick = {job: model for job, model in jobs.items() if small[job][0]["seconds"] <= patience}
    large: Found = {job: [] for job in quick}
    for _ in range(turns):
        for job, model in quick.items():
            large[job].append(measure(job, whole, model))
    return large, small


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=MODELS)
    parser.add_argument("--patience", type=float, default=10.0)
    parser.add_argument("--parquet", nargs="*", default=["linear"], choices=MODELS, help="written to Parquet, too")
    parser.add_argument("--kept", type=Path, help="a folder of models that are taken, or left there, not fitted anew")
    run = Run.of("speed-predict", parser, free=["kept"])
    asked = run.asked
    models = {**{name: name for name in asked.models}, **{f"{name} to parquet": name for name in asked.parquet}}
    with tempfile.TemporaryDirectory() as folder:
        kept = asked.kept or Path(folder)
        kept.mkdir(exist_ok=True)
        whole, quarter = (Path(folder, name) for name in ("whole.csv", "quarter.csv"))
        write_csv(whole, asked.megabytes, asked.columns)
        write_csv(quarter, asked.megabytes // 4, asked.columns)
        for name in {*models.values()}:
            if not (kept / f"{name}.venire").exists():
                write_model(kept / f"{name}.venire", name, asked.columns, Path(folder, "home"))
        jobs = {
            **dict.fromkeys(READING, Path(folder)),
            **{job: kept / f"{name}.venire" for job, name in models.items()},
        }
        megabytes = [path.stat().st_size / 1e6 for path in (whole, quarter)]
        large, small = measured(jobs, whole, quarter, asked.turns, asked.patience)
    print(f"numeric CSV of {megabytes[0]:.0f} MB, and of {megabytes[1]:.0f} MB where the larger would take too long\n")
    print("| | MB/s | of the reader's | computing, s | peak MB | peak MB, a quarter of the file |")
    print("|---|--:|--:|--:|--:|--:|")
    reader = megabytes[0] / min(one["seconds"] for one in large[READING[0]])
    for job in jobs:
        size, turns = (megabytes[0], large[job]) if job in large else (megabytes[1], small[job])
        seconds, computing, peak = (min(one[what] for one in turns) for what in ("seconds", "computing", "peak"))
        shown = f"{peak / 1e6:.0f}" if job in large else ""
        less = f"{small[job][0]['peak'] / 1e6:.0f}"
        print(f"| {job} | {size / seconds:.0f} | {size / seconds / reader:.0%} | {computing:.1f} | {shown} | {less} |")
        figures = {"MB_per_second": size / seconds, "seconds_of_computing": computing, "peak_MB": peak / 1e6}
        run.results.add(f"numeric CSV of {size:.0f} MB", job, **figures)
        if job in large:
            run.results.add(f"numeric CSV of {megabytes[1]:.0f} MB", job, peak_MB=small[job][0]["peak"] / 1e6)
    run.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:5])
    else:
        main()
