"""What the sanitizers are asked to run is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tests_of_the_sanitizers_are_where_they_are_looked_for() -> None:
    named = re.findall(r"\btests/[\w/]+(?:\.py)?", (ROOT / "scripts/sanitize.sh").read_text())
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []
