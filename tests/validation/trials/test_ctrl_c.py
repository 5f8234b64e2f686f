"""A learner that swallows Ctrl-C ends the run all the same, and its half fit is not kept."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest

from tests.validation.estimators import Slow, quick
from tests.validation.running import run_trials
from tests.validation.tables import classification
from venire.validation.evidence.trial_files import OnDisk
from venire.validation.plans.folds import make_plan
from venire.validation.trials.ctrl_c import noticed
from venire.validation.trials.generic import GenericFamily


class Deaf(Slow):
    """Takes a Ctrl-C for "enough", as networks of scikit-learn do."""

    def fit(self, X: Any, y: Any) -> Self:
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        return super().fit(X, y)


@pytest.mark.usefixtures("trusted")
def test_half_a_fit_is_not_kept(tmp_path: Path) -> None:
    table = classification(40)
    evidence = OnDisk(tmp_path)
    ran = run_trials(
        table, make_plan(table, folds=4), [GenericFamily("deaf", classifier=Deaf(), seconds=quick)], evidence
    )
    assert (ran.stopped, ran.complete) == ("interrupted", ())
    assert list(tmp_path.rglob("*.trial")) == []


def test_the_handler_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with noticed() as ask:
        assert signal.getsignal(signal.SIGINT) is not before
        ask()
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt, match=r"^$"):
            ask()
    assert signal.getsignal(signal.SIGINT) is before


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with noticed() as ask:
            os.kill(os.getpid(), signal.SIGINT)
            ask()
    finally:
        signal.signal(signal.SIGINT, before)
