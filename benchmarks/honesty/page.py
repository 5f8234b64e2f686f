"""Put the tables of the proof into docs/honesty.md, between their marks.

python benchmarks/honesty/page.py [--results FOLDER]
"""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import advice
import cells
import clusters
import copies
import fixed
import leaks
import members
import more_rows
import peers
import winners
from records import read

PAGE = Path(__file__).parents[2] / "docs/honesty.md"
TABLES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "coverage": ("coverage.jsonl", cells.print_cells),
    "members": ("coverage.jsonl", members.print_members),
    "fixed": ("coverage.jsonl", fixed.print_fixed),
    "groups": ("clusters.jsonl", clusters.print_clusters),
    "more rows": ("coverage.jsonl", more_rows.print_more_rows),
    "winners": ("winners.jsonl", winners.print_cells),
    "leaks": ("leaks.jsonl", leaks.print_cases),
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
        page, found = re.subn(rf"<!-- {name} -->.*?<!-- end of {name} -->", lambda _, t=text: t, page, flags=re.DOTALL)
        print(f"{name}: {'written' if found else 'the page has no such marks'}")
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
