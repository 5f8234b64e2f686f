"""Draw the badges of the README from what pyproject.toml says: no server is asked, and none is out of date.

python scripts/badges.py            writes docs/readme/badge-*.svg
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs/readme"
_LETTER = 6.6  # points that a letter takes at 11 points
_HEIGHT = 20


def badges() -> dict[str, str]:
    """What each badge says, by the name of its file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    state = next(one for one in project["classifiers"] if one.startswith("Development Status"))
    said = {
        "python": project["requires-python"].removeprefix(">=") + " or newer",
        "license": project["license"],
        "status": f"{project['version']}, {state.rsplit('- ', 1)[1].lower()}",
    }
    return {f"badge-{name}": badge(name, words) for name, words in said.items()}


def badge(name: str, words: str) -> str:
    """One badge: a name on dark ground, and what is said on blue, both 4.5:1 at least under white letters."""
    left, right = (round(len(text) * _LETTER) + 14 for text in (name, words))
    label = escape(f"{name}: {words}")
    parts = "".join(
        f'<text x="{at:g}" y="14" text-anchor="middle">{escape(text)}</text>'
        for at, text in ((left / 2, name), (left + right / 2, words))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img" '
        f'aria-label="{label}"><title>{label}</title><clipPath id="round"><rect width="{left + right}" '
        f'height="{_HEIGHT}" rx="4"/></clipPath><g clip-path="url(#round)"><rect width="{left}" height="{_HEIGHT}" '
        f'fill="#3d4550"/><rect x="{left}" width="{right}" height="{_HEIGHT}" fill="#2763b8"/></g><g fill="#fff" '
        f'font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">{parts}</g></svg>\n'
    )


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, drawn in badges().items():
        (FOLDER / f"{name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
