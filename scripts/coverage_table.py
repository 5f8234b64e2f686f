"""How much of each package the tests run, from coverage's report: printed, or with `--page` in docs/coverage.md.

    python -m scripts.coverage_table [--page]

`make coverage` runs the tests and makes the report before.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "build/coverage/coverage.json"
PAGE = ROOT / "docs/coverage.md"
BEGIN, END = "<!-- coverage -->", "<!-- end of coverage -->"


def package_of(file: str) -> str:
    """The package under `venire` that a file belongs to; a module right below it stands for itself.

    >>> package_of("src/venire/models/tree/base.py"), package_of("src/venire/flow.py")
    ('models', 'flow')
    """
    first = Path(file).parts[Path(file).parts.index("venire") + 1]
    return first.removesuffix(".py")


def table(report: Mapping[str, Any]) -> str:
    """Markdown: statements, branches and the share of both that was run, of each package and in all."""
    sums: dict[str, list[int]] = {}
    for file, found in report["files"].items():
        one = found["summary"]
        parts = [one["num_statements"], one["num_branches"], one["covered_lines"] + one["covered_branches"]]
        kept = sums.setdefault(package_of(file), [0, 0, 0])
        sums[package_of(file)] = [a + b for a, b in zip(kept, parts, strict=True)]
    total = [sum(column) for column in zip(*sums.values(), strict=True)]
    rows = [*((f"`{name}`", *sums[name]) for name in sorted(sums)), ("**all**", *total)]
    lines = [
        f"| {name} | {statements:,} | {branches:,} | {covered / max(1, statements + branches):.1%} |"
        for name, statements, branches, covered in rows
    ]
    return "\n".join(["| package | statements | branches | run by the tests |", "|---|--:|--:|--:|", *lines])


def written(page: str, found: str) -> str:
    """The page with a new table between its marks."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{found}\n{END}{rest.split(END)[1]}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and write it to the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true", help="write the table to docs/coverage.md")
    asked = parser.parse_args(arguments)
    found = table(json.loads(REPORT.read_text()))
    sys.stdout.write(found + "\n")
    if asked.page:
        PAGE.write_text(written(PAGE.read_text(), found))


if __name__ == "__main__":
    main()
