"""The list of runs, quickly: what is read of a verdict is kept until the file changes."""

from __future__ import annotations

import os
from typing import Any

from venire.flow.listing import run_row
from venire.validation.evidence.recipes import read_recipe
from venire.validation.evidence.run_files import Run
from venire.validation.evidence.runs import ANSWER, Runs


class RunRows:
    """The rows of the list of runs, those of the studio and those of the command line."""

    def __init__(self, home: Runs) -> None:
        self._home = home
        self._known: dict[tuple[str, str, int, bool], dict[str, Any]] = {}

    def all(self) -> list[dict[str, Any]]:
        """The one run last first."""
        found = {self._identity(run): run for run in self._home.all()}
        self._known = {key: self._known.get(key) or self._row(run) for key, run in found.items()}
        return list(self._known.values())

    def _identity(self, run: Run) -> tuple[str, str, int, bool]:
        try:
            changed = os.stat(self._home.folder(run) / ANSWER).st_mtime_ns
        except OSError:
            changed = 0
        return run.key, run.last_run, changed, self._home.running(run)

    def _row(self, run: Run) -> dict[str, Any]:
        row = dict(run_row(self._home, run))
        recipe = read_recipe(self._home.folder(run))
        return {**row, "key": run.key, "again": recipe is not None, "comparison": run.kind == "comparison"}
