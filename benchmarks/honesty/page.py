"""Put the tables of the proof into docs/honesty.md, between their marks.

python -m benchmarks.honesty.page [--results FOLDER]
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from benchmarks.honesty import (
    advice,
    cells,
    chances,
    clusters,
    copied_rows,
    copies,
    every_metric,
    fixed,
    growing,
    leaks,
    members,
    more_rows,
    peers,
    planted_answers,
    winners,
)
from benchmarks.honesty.records import read

PAGE = Path(__file__).parents[2] / "docs/honesty.md"
TABLES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "coverage": ("coverage.jsonl", cells.print_cells),
    "members": ("coverage.jsonl", members.print_members),
    "fixed": ("coverage.jsonl", fixed.print_fixed),
    "groups": ("clusters.jsonl", clusters.print_clusters),
    "more rows": ("coverage.jsonl", more_rows.print_more_rows),
    "every metric": ("every_metric.jsonl", every_metric.print_cells),
    "winners": ("winners.jsonl", winners.print_cells),
    "chances": ("chances.jsonl", chances.print_chances),
    "growing": ("growing.jsonl", growing.print_growing),
    "copied rows": ("copied-rows.jsonl", copied_rows.print_copied),
    "leaks": ("leaks.jsonl", leaks.print_cases),
    "planted answers": ("planted-answers.jsonl", planted_answers.print_planted),
    "copies": ("copies.jsonl", copies.print_copies),
    "advice": ("advice.jsonl", advice.print_advice),
    "peers": ("peers.jsonl", peers.print_tools),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("build/honesty"))
    asked = parser.parse_args()
    page = PAGE.read_text()
    for name, (file, show) in TABLES.items():
        records = read(asked.results / file)
        if not records:
            print(f"{name}: there are no results in {file}, the page keeps what it has")
            continue
        said = io.StringIO()
        with redirect_stdout(said):
            show(records)
        text = f"<!-- {name} -->\n{said.getvalue().strip()}\n<!-- end of {name} -->"
        before, mark, rest = page.partition(f"<!-- {name} -->")
        _, end, after = rest.partition(f"<!-- end of {name} -->")
        if mark and end:
            page = before + text + after
        print(f"{name}: {'written' if mark and end else 'the page has no such marks'}")
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
