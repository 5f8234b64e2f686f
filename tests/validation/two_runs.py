"""Two processes that run the same trials on the same home at the same moment, home after home."""

from __future__ import annotations

import hashlib
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tests.validation.running import docket_for
from tests.validation.tables import classification
from venire.families.paths import one_by_one
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.runner import run_trials
from venire.verdict.judgement import Assessment

FAMILIES = (
    GenericFamily("bayes", classifier=GaussianNB(), path=one_by_one("var_smoothing", [1.0, 1e-6], "s")),
    GenericFamily("nearest", classifier=KNeighborsClassifier(), path=one_by_one("n_neighbors", [5, 1], "k")),
)


def verdict_on(home: Path) -> tuple[list[float], str]:
    """The errors of the leaderboard, and a digest of all that was predicted."""
    table = classification(40, classes=2)
    plan = make_plan(table, folds=3)
    docket = docket_for(table, plan, FAMILIES, Runs(home).open(table, plan))
    hearing = Assessment(docket)
    ran = run_trials(docket, score=hearing.error)
    assert not ran.failed
    judgement = hearing.judgement(list(ran.complete), ["vote", "stack"])
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(docket.families):
        for trial in plan.trials:
            record = docket.record(name, trial)
            for part in (record.outputs(), record.labels(), *record.training().values()):
                digest.update(np.ascontiguousarray(part).data)
    return sorted(row.error for row in judgement.rows), digest.hexdigest()


def _side(homes: list[str], together: Barrier, found: Any) -> None:
    for home in homes:
        together.wait(60)
        try:
            found.put(verdict_on(Path(home)))
        except Exception as error:  # told to whoever compares, or the other side would wait for ever
            found.put((type(error).__name__, str(error)))


def pairs_on(homes: list[Path]) -> list[Any]:
    """What both processes came to on every home, in no order."""
    context = get_context("spawn")
    together, found = context.Barrier(2), context.Queue()
    names = [str(home) for home in homes]
    sides = [context.Process(target=_side, args=(names, together, found)) for _ in range(2)]
    for side in sides:
        side.start()
    results = [found.get(timeout=120) for _ in range(2 * len(homes))]
    for side in sides:
        side.join(60)
    return results
