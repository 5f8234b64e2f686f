"""Does a budget hold?

    python -m benchmarks.reliability.budgets [--rows 5000] [--budgets 2 5 10 20 40] [--seed 0]

One command with all models under ever longer budgets, each from nothing: how long it took from start to end (starting
Python, reading and judging included), how many models are complete, how many were cut or not tried and said so.
Then the same budget again and again on what is kept: it goes on from there until nothing is missing.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.reliability.command import Ended, make_table, venire
from benchmarks.results import Run

ALLOWED = 2.0  # seconds beyond a budget: starting and ending Python


def _line(name: str, budget: float, ended: Ended) -> str:
    over = ended.seconds - budget
    if ended.document is None:
        return f"| {name} | {ended.seconds:.1f} | {over:+.1f} | none | {ended.code}: {ended.error.splitlines()[0]} |"
    complete = len({row["family"] for row in ended.document["leaderboard"] if row["kind"] == "member"})
    return f"| {name} | {ended.seconds:.1f} | {over:+.1f} | {complete} | {len(ended.document['not_tried'])} not tried |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--budgets", type=float, nargs="*", default=[2, 5, 10, 20, 40])
    parser.add_argument("--seed", type=int, default=0)
    run = Run.of("reliability-budgets", parser)
    asked = run.asked
    late = []
    with tempfile.TemporaryDirectory(prefix="venire-reliability-") as place:
        root = Path(place)
        table = make_table(root / "table.csv", asked.rows, 20, asked.seed)
        print(f"{asked.rows:,} rows, 20 columns, all models\n")
        print("| budget, s | took, s | beyond | models complete | the others |\n|---|--:|--:|--:|---|")
        for budget in asked.budgets:
            ended = venire(table, root / f"of-{budget}", "--budget", f"{budget}s")
            late.append(ended.seconds - budget)
            print(_line(f"{budget:g}", budget, ended), flush=True)
            run.results.add(f"budget of {budget:g} s", took=ended.seconds)
        budget = asked.budgets[len(asked.budgets) // 2]
        for turn in range(1, 4):
            ended = venire(table, root / "again", "--budget", f"{budget}s")
            late.append(ended.seconds - budget)
            print(_line(f"{budget:g}, turn {turn}", budget, ended), flush=True)
    run.finish()
    if max(late) > ALLOWED:
        raise SystemExit(f"a budget was overrun by {max(late):.1f} s")


if __name__ == "__main__":
    main()
