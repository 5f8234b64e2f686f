"""Workers that are stopped, replaced and ended."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB

from tests.validation.misbehaving import Marks
from tests.validation.running import docket_for, run_trials
from tests.validation.tables import classification
from venire.errors import VenireError
from venire.validation.evidence.evidence import InMemory
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import Interrupted
from venire.validation.trials.workers.pool import pool

OURS = GenericFamily("ours", classifier=GaussianNB(), seconds=lambda *_: 2.0)  # dear, by its formula


@pytest.fixture
def listening() -> Iterator[None]:
    """Ctrl-C is heard, even where whoever started the tests had it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_without_a_budget_ctrl_c_ends_a_fit_that_does_not_come_back(tmp_path: Path) -> None:
    """And all that is ours was run before it, however dear."""
    table, begun, pressed = classification(40), tmp_path / "begun", []

    def press() -> None:
        patience = time.monotonic() + 120
        while not begun.exists() and time.monotonic() < patience:
            time.sleep(0.02)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    endless = GenericFamily("endless", classifier=Marks(str(begun)))
    ran = run_trials(table, make_plan(table, folds=4), [endless, OURS], InMemory())
    ended = time.monotonic()
    thread.join()
    assert (ran.stopped, ran.complete) == ("interrupted", ("ours",))
    assert ran.not_tried == {"endless": Interrupted(done=0, trials=10)}
    assert ended - pressed[0] < 5, "a loaded machine is slow to kill a process"


def test_no_worker_and_no_folder_where_none_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    table = classification(40)
    docket = docket_for(table, make_plan(table, folds=4), [OURS], InMemory())
    with pool(docket, 2) as workers:
        workers.close()
        assert list(tmp_path.iterdir()) == []


def test_workers_that_the_system_refuses_are_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    table = classification(40)
    plan = make_plan(table, folds=4)
    docket = docket_for(table, plan, (OURS,), InMemory())
    with pool(docket, 2) as workers:
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refused)
            with pytest.raises(
                VenireError, match="worker processes cannot be started: can't start new thread"
            ) as caught:
                workers.start()
        assert caught.value.code == "no_workers"
