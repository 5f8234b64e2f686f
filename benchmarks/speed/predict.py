"""Predicting a numeric CSV with `venire predict`'s engine, beside what the reader reaches alone; and peak memory.

Each job is a process of its own, in turns; the best of the turns counts. The reader alone is the same blocks read into
arrays, without a model and without writing. Seconds of computing (all threads together) are given beside those on the
clock: on a machine that does other work too, they are what can be compared. Peak memory is that of the whole process,
for a file and for one of a quarter of its size.

    python -m benchmarks.speed.predict [--megabytes 200] [--columns 20] [--turns 3]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.results import Run

JOBS = ("reader alone", "read_table", "predict to csv", "predict to parquet")


def write_csv(path: Path, megabytes: int, columns: int) -> None:
    generator = np.random.default_rng(0)
    numbers = np.round(generator.standard_normal((50_000, columns)), 6)
    block = "".join(",".join(map(repr, row)) + "\n" for row in numbers.tolist())
    with path.open("w") as out:
        out.write(",".join(f"x{j}" for j in range(columns)) + "\n")
        for _ in range(max(1, megabytes * 1_000_000 // len(block))):
            out.write(block)


def write_model(path: Path, columns: int, home: Path) -> None:
    import pandas as pd

    import venire

    X = np.random.default_rng(1).standard_normal((500, columns))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(columns)]).assign(y=X.sum(axis=1))
    venire.compare(frame, "y", models=["linear"], folds=5, home=home, progress=False).save(path)


def child(job: str, table: str, model: str) -> None:
    from venire import load
    from venire.data import read_table
    from venire.data.readers.in_chunks import open_chunks
    from venire.data.readers.sources import Options
    from venire.use.predicting import predict_file

    loaded = load(model)
    began, busy = time.perf_counter(), time.process_time()
    if job == "reader alone":
        with open_chunks(table, Options()) as chunks:
            for chunk in chunks:
                for name in chunk.facts.names:
                    chunk.column(name)
    elif job == "read_table":
        read_table(table)
    else:
        ending = job.rpartition(" ")[2]
        predict_file(loaded, table, Path(table).with_suffix(f".out.{ending}"))
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
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--turns", type=int, default=3)
    run = Run.of("speed-predict", parser)
    asked = run.asked
    with tempfile.TemporaryDirectory() as folder:
        whole, quarter, model = (Path(folder, name) for name in ("whole.csv", "quarter.csv", "m.venire"))
        write_csv(whole, asked.megabytes, asked.columns)
        write_csv(quarter, asked.megabytes // 4, asked.columns)
        write_model(model, asked.columns, Path(folder, "home"))
        size = whole.stat().st_size / 1e6
        found: dict[str, list[dict[str, float]]] = {job: [] for job in JOBS}
        for _ in range(asked.turns):
            for job in JOBS:
                found[job].append(measure(job, whole, model))
        small = {job: measure(job, quarter, model)["peak"] for job in JOBS}
    print(f"numeric CSV of {size:.0f} MB\n")
    print("| | MB/s | computing, s | of it the reader's | peak MB | peak MB, a quarter of the file |")
    print("|---|--:|--:|--:|--:|--:|")
    reading = min(one["computing"] for one in found[JOBS[0]])
    for job in JOBS:
        speed = size / min(one["seconds"] for one in found[job])
        computing = min(one["computing"] for one in found[job])
        peak = min(one["peak"] for one in found[job])
        ends = f"{computing:.1f} | {reading / computing:.0%} | {peak / 1e6:.0f} | {small[job] / 1e6:.0f}"
        print(f"| {job} | {speed:.0f} | {ends} |")
        figures = {"MB_per_second": speed, "seconds_of_computing": computing, "peak_MB": peak / 1e6}
        run.results.add(f"numeric CSV of {size:.0f} MB", job, **figures)
        run.results.add(f"numeric CSV of {size / 4:.0f} MB", job, peak_MB=small[job] / 1e6)
    run.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:5])
    else:
        main()
