"""The reliability diagram of P(best) in docs/honesty.md: what was claimed against what came true, a dot a range.

    python -m benchmarks.honesty.reliability [--to FILE]

It is drawn of the table that the page has, so that the two always agree. On the diagonal claims come true as often as
they say; above it they are too cautious, below it too sure.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/honesty.md"
PICTURE = Path(__file__).parents[2] / "docs/reliability.svg"
SIDE, LEFT, TOP = 340, 90, 30


@dataclass(frozen=True)
class Range:
    """Claims of about the same height."""

    claims: int
    claimed: float
    true: float
    error: float  # the standard error of what came true


def of_page(text: str) -> list[Range]:
    """The ranges that the page prints."""
    table = text.partition("<!-- chances -->")[2].partition("<!-- end of chances -->")[0]
    found = []
    for line in table.splitlines():
        entries = [entry.strip() for entry in line.strip("|").split("|")]
        if len(entries) == 5 and " to " in entries[0]:
            true, _, error = entries[3].partition(" ± ")
            found.append(Range(int(entries[1].replace(",", "")), float(entries[2]), float(true), float(error)))
    return found


def drawn(found: Sequence[Range]) -> str:
    """The picture as SVG."""
    bottom = TOP + SIDE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + SIDE + 230} {bottom + 56}" role="img" '
        'font-family="sans-serif" font-size="13" fill="#333">',
        "<title>P(best) as claimed, and how often the model is truly the best</title>",
        f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#ccc"/>',
        f'<line x1="{LEFT}" y1="{bottom}" x2="{LEFT + SIDE}" y2="{TOP}" stroke="#2a7"/>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<text x="{_x(tick):.0f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{LEFT - 8}" y="{_y(tick) + 4:.0f}" text-anchor="end">{tick:g}</text>')
    parts.append(f'<text x="{LEFT + SIDE / 2:.0f}" y="{bottom + 40}" text-anchor="middle">P(best) as claimed</text>')
    middle = TOP + SIDE / 2
    parts.append(
        f'<text x="26" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 26 {middle:.0f})">'
        "came true, of so many claims</text>"
    )
    for one in found:
        x, y = _x(one.claimed), _y(one.true)
        low, high = _y(max(one.true - 2 * one.error, 0.0)), _y(min(one.true + 2 * one.error, 1.0))
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="#36c"/>')
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="#36c"><title>{one.claims:,} claims of '
            f"{one.claimed:.2f}: {one.true:.2f} came true</title></circle>"
        )
    beside = LEFT + SIDE + 16
    for at, words in enumerate(("on the line: as it says", "above: too cautious", "below: too sure")):
        parts.append(f'<text x="{beside}" y="{TOP + 20 + 20 * at}">{words}</text>')
    parts.append(f'<text x="{beside}" y="{TOP + 90}">{sum(one.claims for one in found):,} claims;</text>')
    parts.append(f'<text x="{beside}" y="{TOP + 110}">bars are two standard errors</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(share: float) -> float:
    return LEFT + share * SIDE


def _y(share: float) -> float:
    return TOP + (1 - share) * SIDE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=PICTURE)
    asked = parser.parse_args()
    found = of_page(PAGE.read_text(encoding="utf-8"))
    if not found:
        raise SystemExit("the page has no claims")
    asked.to.write_text(drawn(found), encoding="utf-8")
    print(f"{asked.to.name}: {len(found)} ranges")


if __name__ == "__main__":
    main()
