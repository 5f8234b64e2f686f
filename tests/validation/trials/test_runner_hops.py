"""How far it is from the runner to a learner's `fit`: the figure of the table in docs/architecture.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

import venire
from tests.validation.estimators import Slow
from tests.validation.running import run_trials
from tests.validation.tables import classification
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily

ROOT = Path(__file__).parents[3]
PACKAGE = Path(venire.__file__).parent


class Looking(Slow):
    """Notes who called it."""

    seen: list[tuple[str, str]] = []  # noqa: RUF012  # of the class: clones of it are fitted

    def fit(self, X: Any, y: Any) -> Self:
        self.seen[:] = list(_callers())
        return super().fit(X, y)


def _callers() -> Iterator[tuple[str, str]]:
    """The functions of the package between the runner and a fit, the nearest first."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "run_trials":
        yield frame.f_code.co_filename, frame.f_code.co_name
        frame = frame.f_back


@pytest.mark.usefixtures("trusted")
def test_a_trial_takes_as_many_steps_as_the_page_says(tmp_path: Path) -> None:
    table = classification(40)
    plan = make_plan(table, folds=3)
    family = GenericFamily("looking", classifier=Looking())
    run_trials(table, plan, [family], Runs(tmp_path / "home").open(table, plan), jobs=1)
    assert all(Path(file).is_relative_to(PACKAGE) for file, _ in Looking.seen)
    page = (ROOT / "docs/architecture.md").read_text()
    (row,) = re.findall(r"^\| one trial: .*\| (\d+); (\d+) \|$", page, re.MULTILINE)
    assert (len(Looking.seen), len({file for file, _ in Looking.seen})) == tuple(map(int, row))
