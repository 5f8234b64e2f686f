"""The tour names files that exist, and walks through every room that a comparison passes."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOUR = (ROOT / "docs/tour.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`([a-z_]+(?:/[a-z_A-Z]+)+\.(?:py|md))`", TOUR)


def test_every_file_the_tour_names_exists() -> None:
    assert len(NAMED) > 40
    missing = [name for name in NAMED if not any((folder / name).is_file() for folder in (ROOT / "src/venire", ROOT))]
    assert missing == []


def test_the_tour_is_short_and_passes_every_room_of_a_comparison() -> None:
    assert len(TOUR.splitlines()) <= 60
    rooms = {name.split("/")[0] for name in NAMED}
    assert {"cli", "flow", "data", "validation", "families", "verdict", "inference", "report", "ensembles"} <= rooms
