"""The picture at the head of docs/honesty.md: how often the 95 % interval holds, one dot a cell.

    python -m benchmarks.honesty.picture [--results FILE] [--to FILE]

Without results it is drawn of the table that the page has, so that the two always agree.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.honesty.every_metric import NEEDED, Cell, cells
from benchmarks.honesty.records import read

PAGE = Path(__file__).parents[2] / "docs/honesty.md"
PICTURE = Path(__file__).parents[2] / "docs/coverage.svg"
WIDTH, LINE, LEFT, TOP = 720, 26, 150, 44
LEAST, MOST = 0.6, 1.0
FEWEST = 20  # tables of a cell that is drawn


def drawn(found: Sequence[Cell]) -> str:
    """The picture as SVG: a line a metric, a dot a problem, the promise and what is needed as two rules."""
    metrics = list(dict.fromkeys(one.metric for one in found))
    height = TOP + LINE * len(metrics) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="sans-serif" font-size="13" fill="#333">',
        "<title>Share of tables on which the 95 % interval holds the truth, by metric</title>",
        f'<text x="{LEFT}" y="18">how often the 95 % interval holds the truth (a dot is one problem and size)</text>',
    ]
    bottom = TOP + LINE * len(metrics)
    for share, colour in ((0.95, "#2a7"), (NEEDED, "#b60")):
        at = _place(share)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 14}" y2="{bottom}" stroke="{colour}"/>')
    for share in (0.6, 0.7, 0.8, 0.9, 1.0):
        parts.append(f'<text x="{_place(share):.1f}" y="{bottom + 20}" text-anchor="middle">{100 * share:.0f} %</text>')
    for at, name in enumerate(metrics):
        y = TOP + LINE * at + 6
        parts.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{name.replace("_", " ")}</text>')
        for one in found:
            if one.metric == name:
                colour = "#36c" if one.required else "#999"
                parts.append(
                    f'<circle cx="{_place(one.coverage):.1f}" cy="{y}" r="5" fill="{colour}" fill-opacity="0.55">'
                    f"<title>{one.problem}, {one.n:,} rows: {100 * one.coverage:.1f} %</title></circle>"
                )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place(share: float) -> float:
    return LEFT + (max(share, LEAST) - LEAST) / (MOST - LEAST) * (WIDTH - LEFT - 30)


def of_page(text: str) -> list[Cell]:
    """The cells that a page prints of the proof of every metric."""
    table = text.partition("<!-- every metric -->")[2].partition("<!-- end of every metric -->")[0]
    found = []
    for line in table.splitlines():
        entries = [entry.strip() for entry in line.strip("|").split("|")]
        if len(entries) != 10 or not entries[2].replace(",", "").isdigit():
            continue
        which, problem, n, metric, tables, truth, bias, coverage, own, width = entries
        found.append(
            Cell(
                which,
                problem.removesuffix(" (shown)"),
                int(n.replace(",", "")),
                metric=metric,
                tables=int(tables.replace(",", "")),
                truth=float(truth),
                bias=float(bias),
                coverage=float(coverage.split()[0]) / 100,
                own=float(own.split()[0]) / 100,
                width=float(width),
                required=not problem.endswith(" (shown)"),
            )
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/every_metric.jsonl"))
    parser.add_argument("--to", type=Path, default=PICTURE)
    asked = parser.parse_args()
    records = [r for r in read(asked.results) if r["set"] == "proof"]
    every = cells(records) if records else of_page(PAGE.read_text())
    found = [one for one in every if one.which == "proof" and one.tables >= FEWEST]
    if not found:
        raise SystemExit(f"there is no cell of the proof with {FEWEST} tables")
    asked.to.parent.mkdir(parents=True, exist_ok=True)
    asked.to.write_text(drawn(found), encoding="utf-8")
    print(f"{asked.to.name}: {len(found)} cells")


if __name__ == "__main__":
    main()
