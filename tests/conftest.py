"""What every test stands on: no trace is left in the tree, and generated examples are the same each time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine: a failure in CI is a failure at the desk. A deadline would only measure
# how busy the machine is.
settings.register_profile("venire", derandomize=True, deadline=None)
settings.load_profile("venire")


@pytest.fixture(autouse=True)
def evidence_outside_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evidence of a test goes to its own directory, unless the test asks for another."""
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "venire_home"))
