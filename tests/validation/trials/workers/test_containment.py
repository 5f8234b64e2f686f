"""One run with other people's estimators at their worst: each fails by itself, with a line, and all others finish."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import venire as vn
from tests.flows import quickly
from tests.validation import misbehaving
from tests.validation.estimators import Slow
from venire.report.sentences.reasons import reason_words
from venire.validation.honesty import certificates
from venire.validation.honesty.certificate import Certificate
from venire.validation.trials.reasons import (
    CannotBeSent,
    CheckTooLong,
    Raised,
    RefusesNonsense,
    Status,
    WorkerDied,
)
from venire.validation.trials.workers import pool
from venire.validation.trials.workers.containment import at_most

FIRST = (2, 3, 4)  # the folds that the first trial is trained on
FAILED = {
    "exits": (misbehaving.Exits(), Raised(FIRST, "SystemExit", "enough")),
    "escapes": (misbehaving.Escapes(), Raised(FIRST, "Odd", "no message")),
    "leaves": (misbehaving.Leaves(), WorkerDied("exit code 7", FIRST)),
    "crashes": (misbehaving.Crashes(), WorkerDied("SIGSEGV", FIRST)),
    "gaps": (misbehaving.Gaps(), "predict_proba of Gaps gave nan"),
    "narrow": (misbehaving.Narrow(), r"predict_proba of Narrow gave shape \(10, 1\)|\(.*, 1\) for"),
    "mislabels": (misbehaving.Mislabels(), "predict of Mislabels gave the label 65536, and not one of 0, 1"),
    "greedy": (misbehaving.Greedy(), "MemoryError: Unable to allocate 64.0 MiB"),
    "holds": (
        misbehaving.Holds(threading.Lock()),
        "cannot be sent to a worker process .*: make what cannot",
    ),
    "will_not_unpack": (misbehaving.WillNotUnpack(), Raised(FIRST, "SystemExit", "not here")),
}
UNCHECKED = {
    "turned": (misbehaving.Turned(), RefusesNonsense("SystemExit", "5")),
    "leaves_when_turned": (misbehaving.LeavesWhenTurned(), WorkerDied("exit code 9")),
    "sleeps_when_turned": (misbehaving.SleepsWhenTurned(), CheckTooLong),
}
FINE = {"prints": misbehaving.Prints(), "meddles": misbehaving.Meddles(), "polite": Slow()}
AMPLE = 3600.0  # seconds: a budget that ends nothing


@dataclass(frozen=True)
class Run:
    verdict: vn.Verdict
    printed: bytes


def _rows() -> tuple[Any, Any]:
    X = np.random.default_rng(0).normal(size=(60, 2))
    return X, X[:, 0] > 0


@pytest.fixture(scope="module", params=[None, AMPLE], ids=["without a budget", "with a budget"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """All of them at once, in one worker that is replaced where it dies."""
    estimators: dict[str, Any] = {name: one for name, (one, _) in (FAILED | UNCHECKED).items()} | FINE
    models = ["tree", *(vn.GenericFamily(name, classifier=one, encoding="none") for name, one in estimators.items())]
    folder = tmp_path_factory.mktemp("contained")
    with pytest.MonkeyPatch.context() as patch, (folder / "stdout").open("w+b") as printed:
        patch.setattr(pool, "worker_memory", lambda workers: 4e8)
        patch.setattr(certificates, "_SECONDS", 3.0)
        before = os.dup(1)
        os.dup2(printed.fileno(), 1)
        try:
            verdict = quickly(_rows(), models=models, home=folder / "home", budget=request.param)
        finally:
            os.dup2(before, 1)
            os.close(before)
        printed.seek(0)
        yield Run(verdict, printed.read())


@pytest.mark.parametrize("name", FAILED)
def test_whatever_it_does_it_fails_alone_and_with_one_line(run: Run, name: str) -> None:
    if name == "greedy" and sys.platform != "linux":
        pytest.skip("no limit of memory there")
    why, expected = run.verdict.ran.failed[name], FAILED[name][1]
    if isinstance(expected, str):
        assert isinstance(why, Raised | CannotBeSent)
        assert re.search(expected, reason_words(why))
    else:
        assert why == expected
    assert "\n" not in reason_words(why)


def test_all_others_finish(run: Run) -> None:
    assert set(run.verdict.ran.failed) == set(FAILED)
    assert set(run.verdict.ran.complete) == {"tree", *UNCHECKED, *FINE}
    assert run.verdict.ran.stopped is None


@pytest.mark.parametrize("name", UNCHECKED)
def test_what_happens_in_a_check_is_said(run: Run, name: str) -> None:
    found = run.verdict.judgement.certificates[name]
    assert found.status is Status.NOT_CHECKED
    expected = UNCHECKED[name][1]
    assert isinstance(found.reason, expected) if isinstance(expected, type) else found.reason == expected


@pytest.mark.parametrize("name", ["tree", *FINE])
def test_all_others_are_checked(run: Run, name: str) -> None:
    assert run.verdict.judgement.certificates[name] == Certificate(name, Status.CERTIFIED)


def test_rows_that_one_changed_are_as_they_were_for_the_others(run: Run) -> None:
    alone = quickly(_rows(), models=["tree"])
    lines = [row for each in (alone, run.verdict) for row in each.to_dict()["leaderboard"] if row["family"] == "tree"]
    assert lines[0]["error"] == lines[1]["error"]


def test_nothing_reaches_our_stdout(run: Run) -> None:
    assert run.printed == b""


@pytest.mark.skipif(sys.platform != "linux", reason="no limit of memory there")
def test_a_limit_ends_with_its_block() -> None:
    # Far more than other threads of the tests could give back meanwhile; of an empty array no page is touched.
    with at_most(1e6), pytest.raises(MemoryError, match="Unable to allocate"):
        np.empty(1 << 28)
    assert len(np.empty(1 << 28)) == 1 << 28
    with at_most(None):
        assert len(np.ones(1 << 20)) == 1 << 20
