"""Does a budget hold, and is the time left that is shown the time that is left?

    python -m benchmarks.reliability.budgets [--budgets 10 60 300] [--tables credit_g adult] [--again late]

`venire compare TABLE --budget B --save m.venire --json` on ten tables from 150 rows to half a million: seconds from the
start of the process to its end, model included. It holds where that is within 5 % or one second of the budget,
whichever is more. Beside it stand the processor time, how long the first thread waited for a core (on a machine that
others use, too, a budget can be missed for that alone) and the time left as it was shown when a tenth of the run was
over ("2 of 3": it said 2 s, and 3 s were left): it should be within a factor of two.

Every line is kept in build/budgets.jsonl, and an interrupted run goes on; `--again late` repeats what was late,
`--again all` everything.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.honesty.records import Key, Record, complete, read
from benchmarks.measured import compile_first, measured
from benchmarks.reliability.budget_tables import TABLES, Tried
from benchmarks.results import ROOT, Run

FIELDS = ("table", "budget")
_KILLED = 4.0  # times its budget, and a minute
_TENTH = 0.1


def allowed(budget: float) -> float:
    """Seconds beyond a budget that still hold it.

    >>> allowed(10), allowed(60)
    (1.0, 3.0)
    """
    return max(1.0, 0.05 * budget)


class Trial:
    """One table under one budget, from nothing."""

    def __init__(self, data: Path, made: Path, jobs: int | None) -> None:
        self._data, self._made, self._jobs = data, made, jobs

    def __call__(self, key: Key) -> Record:
        name, budget = key
        table = next(one for one in TABLES if one.name == name)
        record = {"table": name, "rows": table.rows, "budget": budget} | self._run(table, budget)
        print(_line(record), flush=True)
        return record

    def _run(self, table: Tried, budget: float) -> Record:
        path, target = table.path(self._data, self._made)
        with tempfile.TemporaryDirectory(prefix="venire-budget-") as place:
            home = Path(place)
            words = [sys.executable, "-m", "benchmarks.reliability.noting_time_left", "compare", str(path)]
            words += ["--target", target, "--budget", f"{budget}s", "--save", str(home / "m.venire"), "--json"]
            words += ["--quiet", *([] if self._jobs is None else ["--jobs", str(self._jobs)])]
            began = time.time()
            notes = home / "notes"
            environment = {"VENIRE_HOME": str(home / "home"), "VENIRE_NOTES": str(notes)}
            ended = measured(words, environment, folder=ROOT, limit=_KILLED * budget + 60)
            document: dict[str, Any] = json.loads(ended.out) if ended.out.strip() else {}
            shown, left = _told(notes, began, ended.wall)
            size = (home / "m.venire").stat().st_size if (home / "m.venire").exists() else 0
        failed = ended.error.strip().splitlines()[-1:] if not document or "error" in document else []
        return {
            **ended.figures,
            "model_bytes": size,
            "complete": len({row["family"] for row in document.get("leaderboard", []) if row["kind"] == "member"}),
            "chosen": next(iter(row["setting"] for row in document.get("leaderboard", [])), ""),
            "stages": document.get("timing", {}).get("stages", {}),
            "shown_left": shown,
            "was_left": left,
            "failed": str(document.get("error", {}).get("message", "")) or "".join(failed),
        }


def _told(notes: Path, began: float, wall: float) -> tuple[float | None, float | None]:
    """What was said to be left when a tenth of the run was over, and what was."""
    lines = notes.read_text().splitlines() if notes.exists() else []
    told = [(float(at) - began, float(left)) for at, left in (line.split() for line in lines)]
    at = next((one for one in told if one[0] >= _TENTH * wall), None)
    return (None, None) if at is None else (round(at[1], 2), round(wall - at[0], 2))


def _line(record: Record) -> str:
    over = record["wall"] - record["budget"]
    verdict = "holds" if over <= allowed(record["budget"]) else "LATE"
    left = "–" if record["shown_left"] is None else f"{record['shown_left']:.0f} of {record['was_left']:.0f}"
    return (
        f"| {record['table']} | {record['rows']:,} | {record['budget']:g} | {record['wall']:.1f} | {over:+.1f} "
        f"| {verdict} | {record['processor']:.1f} | {record['waited']:.1f} | {record['load']:.1f} | {left} "
        f"| {record['complete']} | {record['failed'] or record['chosen']} |"
    )


HEADER = """
| table | rows | budget, s | took, s | beyond | | processor, s | waited, s | load | left at 10 % | models | chosen |
|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|---|"""


def newest(lines: list[Record]) -> list[Record]:
    """Of several lines of one table and budget the last."""
    return list({tuple(line[field] for field in FIELDS): line for line in lines}.values())


def _forget(path: Path, again: str) -> None:
    """Leave out of the results what is to be measured once more; what was there is kept beside them."""
    lines = newest(read(path))
    late = [line for line in lines if again == "all" or line["wall"] - line["budget"] > allowed(line["budget"])]
    if late:
        with path.with_suffix(".earlier.jsonl").open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in late)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines if line not in late))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budgets", type=float, nargs="*", default=[10.0, 60.0, 300.0])
    parser.add_argument("--tables", nargs="*", default=[table.name for table in TABLES])
    parser.add_argument("--again", choices=["late", "all"])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("VENIRE_BENCH_DATA", ROOT.parent / "shared")))
    parser.add_argument("--results", type=Path, default=ROOT / "build/budgets.jsonl")
    run = Run.of("reliability-budgets", parser, free=("data", "results", "again"))
    asked = run.asked
    if asked.again:
        _forget(asked.results, asked.again)
    keys = [(name, budget) for budget in asked.budgets for name in asked.tables]
    compile_first()
    print(HEADER)
    complete(asked.results, keys, FIELDS, Trial(asked.data / "data", ROOT / "build/budget-tables", asked.jobs), 1)
    lines = [line for line in newest(read(asked.results)) if (line["table"], line["budget"]) in keys]
    print("\nall of them:", HEADER)
    for line in lines:
        print(_line(line))
        names = ("wall", "processor", "waited", "load", "shown_left", "was_left")
        run.results.add(f"{line['table']}, {line['budget']:g} s", **{name: line[name] for name in names})
    _summary(lines)
    run.finish()


def _summary(lines: list[Record]) -> None:
    late = [line for line in lines if line["wall"] - line["budget"] > allowed(line["budget"])]
    told = [line for line in lines if line["shown_left"]]
    near = [one for one in told if abs(math.log2(max(one["shown_left"], 0.1) / max(one["was_left"], 0.1))) <= 1]
    print(f"\nwithin the budget and 5 % or 1 s: {len(lines) - len(late)} of {len(lines)}")
    print(f"time left within a factor of two after a tenth of the run: {len(near)} of {len(told)}")
    if late:
        worst = max(line["wall"] - line["budget"] for line in late)
        raise SystemExit(f"{len(late)} budgets were overrun, by up to {worst:.1f} s")


if __name__ == "__main__":
    main()
