"""Trial files that were made elsewhere count once they have been checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from venire.metrics.predictions import Output
from venire.validation.evidence.arrivals import Arrivals
from venire.validation.evidence.evidence import FamilyKey, InMemory
from venire.validation.evidence.trial_files import OnDisk, packed
from venire.validation.plans.folds import make_plan
from venire.validation.subject import as_table
from venire.validation.trials.family import Outcome

KEY = FamilyKey("tree", "0123456789ab", 1)


def test_what_is_right_is_kept_once_and_what_is_not_never(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = as_table(rng.normal(size=(40, 2)), (rng.random(40) > 0.5).astype(int))
    plan = make_plan(table, folds=4)
    first, second = plan.trials[:2]

    def made(trial, seconds: float, label: int = 0) -> bytes:
        rows = len(plan.test_rows(trial))
        outputs = np.full((1, rows, 2), 0.5, np.float32)
        labels = np.full((1, rows), label, np.int16)
        return packed(KEY, trial, Outcome(Output.PROBABILITIES, outputs, labels, {}, (), seconds))

    waiting = tmp_path / "waiting"
    waiting.mkdir()
    arrivals = Arrivals(table, plan, waiting)
    for evidence in (OnDisk(tmp_path / "kept"), InMemory()):
        right = made(first, 1.0)
        assert not arrivals.keep(evidence, KEY, first, right[:-1])
        assert not arrivals.keep(evidence, KEY, first, right[:60] + bytes([right[60] ^ 1]) + right[61:])
        assert not arrivals.keep(evidence, KEY, first, made(first, 1.0, label=5))  # whole, and no such class
        assert not arrivals.keep(evidence, KEY, first, made(second, 1.0))  # of another trial
        assert not evidence.has(KEY, first)
        assert arrivals.keep(evidence, KEY, first, right)
        assert arrivals.keep(evidence, KEY, first, made(first, 2.0))  # late: the first one stays
        assert evidence.get(KEY, first).seconds == 1.0
    assert next((tmp_path / "kept").rglob("*.trial")).read_bytes() == right
    assert not list(waiting.rglob("*.trial"))
