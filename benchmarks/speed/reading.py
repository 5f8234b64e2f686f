"""Files of numbers, texts and dates, and how long DuckDB and venire take to read them: a process for every reading.

python -m benchmarks.speed.reading duckdb|venire FILE      seconds by the clock and of the processor, as JSON
python -m benchmarks.speed.reading write FOLDER ROWS       the files
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

# What a column holds: numbers with six digits; words of 200 and of very many; days, and ISO timestamps that all differ.
_COLUMNS = {
    "numbers": ", ".join(f"round((random() * 200 - 100)::DOUBLE, 6) AS x{j}" for j in range(20)),
    "texts": ", ".join(
        [
            *(f"'word ' || (random() * 200)::INT AS w{j}" for j in range(6)),
            "'customer ' || i AS customer",
            "round(random() * 100, 2) AS amount",
        ]
    ),
    "dates": ", ".join(
        [
            *(f"DATE '2015-01-01' + (random() * 3000)::INT AS day{j}" for j in range(3)),
            *(f"TIMESTAMP '2015-01-01' + to_seconds((random() * 2.5e8)::INT) AS at{j}" for j in range(3)),
            "round(random() * 100, 2) AS amount",
        ]
    ),
}
_FORMS = {"csv": "(FORMAT csv, HEADER)", "parquet": "(FORMAT parquet)", "jsonl": "(FORMAT json)"}
FILES = [f"{kind}.{form}" for kind in _COLUMNS for form in _FORMS]


def write(folder: Path, rows: int) -> None:
    """All files that are not there."""
    import duckdb

    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as db:
        for kind, columns in _COLUMNS.items():
            if all((folder / f"{kind}.{form}").exists() for form in _FORMS):
                continue
            db.execute("SELECT setseed(0.5)")
            db.execute(f"CREATE OR REPLACE TABLE t AS SELECT {columns} FROM range({rows}) AS r(i)")
            for form, how in _FORMS.items():
                db.execute(f"COPY t TO '{folder / f'{kind}.{form}'}' {how}")


def read_with_duckdb(path: Path) -> None:
    """Into a table of its own."""
    import duckdb

    call = {".csv": "read_csv($p)", ".parquet": "read_parquet($p)", ".jsonl": "read_json($p)"}[path.suffix]
    duckdb.connect().execute(f"CREATE TABLE t AS SELECT * FROM {call}", {"p": str(path)})


def read_with_venire(path: Path) -> None:
    """As a table to be learned from: columns that are no use, such as names that all differ, are noticed."""
    from venire.data import read_table

    read_table(path)


def main() -> None:
    who, place, *more = sys.argv[1:]
    if who == "write":
        write(Path(place), int(more[0]))
        return
    import duckdb  # noqa: F401  # both sides pay for imports before the clock starts

    import venire.data  # noqa: F401  # the same

    began, used = time.perf_counter(), time.process_time()
    (read_with_duckdb if who == "duckdb" else read_with_venire)(Path(place))
    found = {"seconds": time.perf_counter() - began, "of_processor": time.process_time() - used}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
