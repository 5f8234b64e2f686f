"""Reading a CSV of floats: venire's `read_table` beside DuckDB's `CREATE TABLE AS`, in one run.

Each reading happens in a process of its own, in turns, so that neither finds memory the other warmed up; the best of
the turns counts. Memory is the peak of the process above what it held before reading, over the size of the arrays.

    python -m benchmarks.speed.read_csv [--rows 1000000] [--columns 28] [--turns 3]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.results import Run


def write_csv(path: Path, rows: int, columns: int) -> None:
    generator = np.random.default_rng(0)
    with path.open("w") as out:
        out.write(",".join(f"x{j}" for j in range(columns)) + "\n")
        for start in range(0, rows, 20_000):
            chunk = np.round(generator.standard_normal((min(20_000, rows - start), columns)), 6)
            out.write("".join(",".join(map(repr, row)) + "\n" for row in chunk.tolist()))


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def read_with_duckdb(path: str) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT * FROM read_csv($path)", {"path": path})


def read_with_venire(path: str) -> None:
    from venire.data import read_table

    read_table(path)


READERS = {"duckdb": read_with_duckdb, "venire": read_with_venire}


def measure(reader: str, path: str) -> dict[str, float]:
    """Run in a child: import first, then read against the clock."""
    import duckdb  # noqa: F401  # both sides pay for imports before the clock starts

    import venire.data  # noqa: F401  # the same

    before, start = peak_bytes(), time.perf_counter()
    READERS[reader](path)
    return {"seconds": time.perf_counter() - start, "memory": peak_bytes() - before}


def in_child(reader: str, path: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.speed.read_csv", "--measure", reader, path]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, float] = json.loads(found)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--measure", nargs=2, metavar=("READER", "PATH"))
    run = Run.of("speed-read-csv", parser, free=["measure"])
    options = run.asked
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "floats.csv"
        write_csv(path, options.rows, options.columns)
        found: dict[str, list[dict[str, float]]] = {reader: [] for reader in READERS}
        for _ in range(options.turns):
            for reader, turns in found.items():
                turns.append(in_child(reader, str(path)))
    best = {reader: min(turn["seconds"] for turn in turns) for reader, turns in found.items()}
    arrays = options.rows * options.columns * 8
    for reader, turns in found.items():
        memory = min(turn["memory"] for turn in turns) / arrays
        run.results.add(f"{options.rows:,} × {options.columns}", reader, seconds=best[reader], memory=memory)
        print(f"{reader}: {best[reader]:.2f} s, peak memory {memory:.2f} × the arrays")
    print(f"venire / duckdb: {best['venire'] / best['duckdb']:.2f} (promised: at most 1.5)")
    run.finish()


if __name__ == "__main__":
    main()
