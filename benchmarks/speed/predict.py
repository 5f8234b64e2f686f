"""Predicting a numeric CSV with `venire predict`'s engine, beside what the reader reaches alone; and peak memory.

Each job is a process of its own, in turns; the best of the turns counts. The models are trained on 1,000 rows of two
classes (least squares: of numbers), and their predictions are written with all probabilities. The reader alone is the
same blocks read into arrays, without a model and without writing; `read_table` reads all of it at once.
Seconds of computing (all threads together) are given beside those on the clock: on a machine that does other work too,
they are what can be compared. Peak memory is that of the whole
process, for a file and for one of a quarter of its size.

    python -m benchmarks.speed.predict [--megabytes 400] [--columns 20] [--turns 3] [--models linear logistic …]
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
MODELS = ("linear", "logistic", "naive_bayes", "tree", "boosting", "neural_net", "forest")
ROWS = 1_000  # that the models are trained on


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
    y = signal if name == "linear" else np.where(signal > 0, "yes", "no")
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(columns)]).assign(y=y)
    venire.compare(frame, "y", models=[name], folds=3, home=home, progress=False).save(path)


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
        work = partial(predict_file, load(model), table, Path(model).with_suffix(f".{ending}"))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=MODELS)
    run = Run.of("speed-predict", parser)
    asked = run.asked
    jobs = {**dict.fromkeys(READING, ""), **{name: name for name in asked.models}, "linear to parquet": "linear"}
    with tempfile.TemporaryDirectory() as folder:
        whole, quarter = (Path(folder, name) for name in ("whole.csv", "quarter.csv"))
        write_csv(whole, asked.megabytes, asked.columns)
        write_csv(quarter, asked.megabytes // 4, asked.columns)
        models = {job: Path(folder, f"{name}.venire") for job, name in jobs.items()}
        for name in {*jobs.values()} - {""}:
            write_model(Path(folder, f"{name}.venire"), name, asked.columns, Path(folder, "home"))
        size = whole.stat().st_size / 1e6
        found: dict[str, list[dict[str, float]]] = {job: [] for job in jobs}
        for _ in range(asked.turns):
            for job, model in models.items():
                found[job].append(measure(job, whole, model))
        small = {job: measure(job, quarter, model)["peak"] for job, model in models.items()}
    print(f"numeric CSV of {size:.0f} MB\n")
    print("| | MB/s | of the reader's | computing, s | peak MB | peak MB, a quarter of the file |")
    print("|---|--:|--:|--:|--:|--:|")
    fastest = {job: size / min(one["seconds"] for one in turns) for job, turns in found.items()}
    for job, turns in found.items():
        computing, peak = (min(one[what] for one in turns) for what in ("computing", "peak"))
        share = fastest[job] / fastest[READING[0]]
        peaks = f"{peak / 1e6:.0f} | {small[job] / 1e6:.0f}"
        print(f"| {job} | {fastest[job]:.0f} | {share:.0%} | {computing:.1f} | {peaks} |")
        figures = {"MB_per_second": fastest[job], "seconds_of_computing": computing, "peak_MB": peak / 1e6}
        run.results.add(f"numeric CSV of {size:.0f} MB", job, **figures)
        run.results.add(f"numeric CSV of {size / 4:.0f} MB", job, peak_MB=small[job] / 1e6)
    run.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:5])
    else:
        main()
