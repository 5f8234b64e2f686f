from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB

from tests.validation.estimators import Dying, Failing, Interrupted, Slow, quick, slow_family
from tests.validation.running import one_of_a_class, run_trials
from tests.validation.tables import classification, regression
from venire.data.table import Table
from venire.errors import DataError, VenireError, VenireWarning
from venire.families import fold_sums as folds
from venire.families.bucket import default_bucket
from venire.families.paths import one_by_one
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.evidence.runs import Runs
from venire.validation.evidence.trial_files import OnDisk, TrialFile
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials import reasons
from venire.validation.trials.budget import time_to_judge
from venire.validation.trials.effort import Tick
from venire.validation.trials.family import Cancel, Family, Threaded, never
from venire.validation.trials.forecast import CHECK
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import OutOfTime, Raised, TooSlow, WorkerDied, WrongTask
from venire.validation.trials.runner import Ran
from venire.validation.trials.workers import places

ROOT = Path(__file__).parents[3]
BAYES = GenericFamily("bayes", classifier=GaussianNB(), path=one_by_one("var_smoothing", [1.0, 1e-3], "s"))
TREES = GenericFamily("forest", classifier=ExtraTreesClassifier(n_estimators=3), encoding="codes")


@pytest.fixture(scope="module")
def table() -> Table:
    return classification(40)


@pytest.fixture(scope="module")
def plan(table: Table) -> Plan:
    return make_plan(table, folds=4)


@pytest.fixture
def evidence(tmp_path: Path, table: Table, plan: Plan) -> OnDisk:
    return Runs(tmp_path / "home").open(table, plan)


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes however small the work."""
    monkeypatch.setattr(places, "WORTH_A_POOL", 0.0)


def arrays(evidence: OnDisk) -> Mapping[str, tuple[bytes, ...]]:
    """All that was predicted, without the seconds it took."""
    found = {}
    for path in sorted(evidence.folder.glob("*/*.trial")):
        family = FamilyKey(*path.parent.name.rsplit("-", 1))
        outcome = TrialFile(path).outcome()
        parts = [outcome.outputs, outcome.labels, *outcome.training.values()]
        found[f"{family}/{path.name}"] = tuple(part.tobytes() for part in parts)
    return found


class Counting(GenericFamily):
    """Counts its trials."""

    runs = 0

    def run(self, *given: Any, **more: Any) -> Any:
        type(self).runs += 1
        return super().run(*given, **more)


@pytest.mark.usefixtures("trusted")
def test_every_trial_is_run_once_and_resuming_runs_none(table: Table, plan: Plan, evidence: OnDisk) -> None:
    family = Counting("bayes", classifier=GaussianNB())
    Counting.runs = 0
    first = run_trials(table, plan, [family], evidence)
    assert (first.complete, first.trials, first.reused, first.stopped) == (("bayes",), 10, 0, None)
    assert Counting.runs == 10
    before = arrays(evidence)
    again = run_trials(table, plan, [family], evidence)
    assert (again.complete, again.trials, again.reused) == (("bayes",), 0, 10)
    assert Counting.runs == 10
    assert arrays(evidence) == before


@pytest.mark.usefixtures("trusted")
def test_a_damaged_trial_is_put_aside_and_run_again(table: Table, plan: Plan, evidence: OnDisk) -> None:
    family = Counting("bayes", classifier=GaussianNB())
    run_trials(table, plan, [family], evidence)
    before = arrays(evidence)
    path = next(iter(evidence.folder.glob("*/*.trial")))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    Counting.runs = 0
    with pytest.warns(VenireWarning, match="the evidence of 1 trial of bayes was damaged: it was put aside"):
        again = run_trials(table, plan, [family], evidence)
    assert Counting.runs == again.trials == 1
    assert again.reused == 9
    assert path.with_suffix(".damaged").exists()
    assert arrays(evidence) == before


def test_another_path_or_definition_is_run_anew(table: Table, plan: Plan, evidence: OnDisk) -> None:
    run_trials(table, plan, [BAYES], evidence)
    other = GenericFamily("bayes", classifier=GaussianNB(), path=one_by_one("var_smoothing", [1.0, 1e-4], "s"))
    assert run_trials(table, plan, [other], evidence).trials == 10
    assert run_trials(table, plan, [BAYES, TREES], evidence).reused == 10


@pytest.mark.usefixtures("apart")
def test_the_same_bytes_for_any_number_of_workers_or_none(
    tmp_path: Path, table: Table, plan: Plan, evidence: OnDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    families: list[Family] = [BAYES, TREES, slow_family(0.0, settings=2)]
    for jobs in (1, 2):
        run_trials(table, plan, families, OnDisk(tmp_path / f"jobs{jobs}"), jobs=jobs)
    monkeypatch.setattr(places, "WORTH_A_POOL", 1e9)
    run_trials(table, plan, families, evidence)
    # The same rows in another memory order: a worker always sees them by column.
    by_row = replace(table, X=np.ascontiguousarray(table.X), _digest=[])
    run_trials(by_row, plan, families, OnDisk(tmp_path / "by_row"))
    found = [arrays(OnDisk(tmp_path / name)) for name in ("jobs1", "jobs2", "by_row")]
    assert len(found[0]) == 30
    assert found == [arrays(evidence)] * 3


@pytest.mark.parametrize("made", [classification, regression])
def test_the_same_bytes_in_threads_and_in_workers(
    tmp_path: Path, made: Callable[[int], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = made(40)
    assert table.target is not None
    plan = make_plan(table, folds=3, repeats=2)
    monkeypatch.setattr(folds, "_PRODUCTS", 0)  # small tables, too
    families = one_of_a_class(f for f in default_bucket() if table.target.task in f.tasks and in_threads(f, table))
    assert {"tree", "boosting", "linear", "knn", "neural_net"} <= {family.name for family in families}
    for threads in (1, 3):
        assert not run_trials(table, plan, families, OnDisk(tmp_path / f"{threads}"), jobs=threads).failed
    monkeypatch.setattr(places, "WORTH_A_POOL", 0.0)
    monkeypatch.setattr(places, "_PATIENCE", 0.0)
    run_trials(table, plan, families, OnDisk(tmp_path / "workers"), jobs=1)
    found = [arrays(OnDisk(tmp_path / name)) for name in ("1", "3", "workers")]
    assert len(found[0]) == len(families) * len(plan.trials)
    assert found[1:] == found[:1] * 2


def in_threads(family: Family, table: Table) -> bool:
    return isinstance(family, Threaded) and family.in_threads(table)


class Side(GenericFamily):
    """Runs in threads; fails at a given trial, or waits from one on until it is told to stop."""

    def __init__(self, *, fails_at: int = -1, waits_from: int = 100, interrupts: bool = False) -> None:
        super().__init__("side", classifier=GaussianNB())
        self.fails_at, self.waits_from, self.interrupts = fails_at, waits_from, interrupts
        self.begun: list[int] = []

    def in_threads(self, table: Table) -> bool:
        return True

    def definition(self) -> str:
        return "side"

    def run(self, prepared: Any, trial: Trial, cancel: Cancel = never) -> Any:
        number = prepared.plan.trials.index(trial)
        self.begun.append(number)
        if number == self.fails_at:
            raise ArithmeticError("not this one")
        if number >= self.waits_from and self.interrupts:
            os.kill(os.getpid(), signal.SIGINT)
        while number >= self.waits_from:
            cancel()
            time.sleep(0.001)
        return super().run(prepared, trial, cancel)


def test_in_threads_the_same_failure_is_named_and_the_rest_is_not_begun(
    table: Table, plan: Plan, evidence: OnDisk
) -> None:
    for jobs in (1, 3):
        family = Side(fails_at=2)
        ran = run_trials(table, plan, [family], evidence, jobs=jobs)
        assert ran.failed == {"side": Raised((1, 2, 4), "ArithmeticError", "not this one")}
        assert len(family.begun) < 10


def test_a_budget_ends_threads(table: Table, plan: Plan, evidence: OnDisk) -> None:
    began = time.monotonic()
    ran = run_trials(table, plan, [Side(waits_from=3)], evidence, jobs=2, budget=3)
    assert time.monotonic() - began < 10
    assert (ran.stopped, ran.complete) == ("budget", ())
    assert ran.not_tried["side"] == OutOfTime(budget=3, done=3, trials=10)


def test_ctrl_c_ends_threads(table: Table, plan: Plan, evidence: OnDisk) -> None:
    ran = run_trials(table, plan, [Side(waits_from=3, interrupts=True)], evidence, jobs=2)
    assert (ran.stopped, ran.complete) == ("interrupted", ())
    assert 2 <= len(arrays(evidence)) <= 3  # that of the other thread may still have been under way


def children(parent: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(status.parent.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.usefixtures("trusted")  # here; not in the run that is killed
def test_a_killed_run_loses_no_finished_trial_and_leaves_no_worker(tmp_path: Path, table: Table, plan: Plan) -> None:
    home = tmp_path / "killed"
    start = f"from tests.validation.estimators import run_slowly; run_slowly({str(home)!r})"
    process = subprocess.Popen([sys.executable, "-c", start], cwd=ROOT)
    try:
        patience = time.monotonic() + 60
        while len(list(home.glob("evidence/*/*/*.trial"))) < 3:
            assert process.poll() is None, "it ended by itself"
            assert time.monotonic() < patience
            time.sleep(0.02)
        workers = children(process.pid)
        assert workers, "an estimator of the tests is not ours, and runs in a worker"
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
    patience = time.monotonic() + 10
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < patience, "workers outlive the parent that was killed"
        time.sleep(0.05)
    evidence = Runs(home).open(table, plan)
    finished = len(arrays(evidence))
    assert 3 <= finished < 10
    ran = run_trials(table, plan, [slow_family(0.15)], evidence)
    assert (ran.complete, ran.reused, ran.trials) == (("slow",), finished, 10 - finished)
    fresh = OnDisk(tmp_path / "fresh")
    run_trials(table, plan, [slow_family(0.15)], fresh)
    assert arrays(evidence) == arrays(fresh)


@pytest.mark.usefixtures("trusted")
def test_the_budget_holds_between_settings(table: Table, plan: Plan, evidence: OnDisk) -> None:
    began = time.monotonic()
    ran = run_trials(table, plan, [BAYES, slow_family(0.1, settings=5)], evidence, budget=1.0)
    assert time.monotonic() - began < 2.0
    assert ran.stopped == "budget"
    assert "slow" not in ran.complete
    why = ran.not_tried["slow"]
    assert isinstance(why, OutOfTime)
    assert (why.budget, why.trials) == (1.0, 10)


def test_the_budget_holds_in_the_middle_of_a_strangers_fit(table: Table, plan: Plan, evidence: OnDisk) -> None:
    endless = GenericFamily("endless", classifier=Slow(seconds=300))
    began = time.monotonic()
    ran = run_trials(table, plan, [endless], evidence, budget=1.5)
    assert time.monotonic() - began < 1.5 + 4  # a loaded machine is slow to start and kill a process
    assert (ran.stopped, ran.complete) == ("budget", ())
    assert ran.not_tried == {"endless": OutOfTime(budget=1.5, done=0, trials=10)}


@pytest.mark.parametrize(("seconds", "stopped"), [(0.0, None), (1000.0, "budget")])
def test_trials_end_in_time_for_a_check_of_what_may_be_chosen(
    table: Table, plan: Plan, evidence: OnDisk, seconds: float, stopped: str | None
) -> None:
    """Seven seconds are left besides what the verdict takes: enough for the trials of trees, if no check needs them."""
    run_trials(table, plan, [BAYES], evidence)
    key = FamilyKey.of(BAYES, BAYES.path(table))
    for trial in plan.trials:
        outcome = evidence.get(key, trial).outcome()
        evidence.path(key, trial).unlink()
        evidence.put(key, trial, replace(outcome, seconds=seconds))
    trees = GenericFamily("forest", classifier=ExtraTreesClassifier(n_estimators=3), encoding="codes", seconds=quick)
    ran = run_trials(table, plan, [BAYES, trees], evidence, budget=100, began=time.monotonic() - 90)
    assert ran.stopped == stopped
    assert ran.complete == (("bayes",) if stopped else ("bayes", "forest"))


def test_a_budget_that_lets_nothing_in_says_so(table: Table, plan: Plan, evidence: OnDisk) -> None:
    dear = GenericFamily("dear", classifier=GaussianNB(), seconds=lambda *_: 1e5)
    ran = run_trials(table, plan, [dear], evidence, budget=10)
    assert ran.not_tried == {"dear": TooSlow(1e6, room=7, budget=10, planned_share=0.7)}
    assert not ran.complete


@pytest.mark.usefixtures("trusted")
def test_a_failing_learner_fails_alone(table: Table, plan: Plan, evidence: OnDisk) -> None:
    failing = GenericFamily("failing", classifier=Failing(), seconds=quick)
    ran = run_trials(table, plan, [failing, BAYES], evidence)
    assert ran.complete == ("bayes",)
    assert ran.failed == {"failing": Raised((2, 3, 4), "ValueError", "cannot take 30 rows")}
    assert ran.stopped is None


@pytest.mark.usefixtures("apart")
def test_a_dying_worker_costs_its_family_and_no_other(table: Table, plan: Plan, evidence: OnDisk) -> None:
    dying = GenericFamily("dying", classifier=Dying(), seconds=quick)
    failing = GenericFamily("failing", classifier=Failing(), seconds=lambda *_: 2e-6)
    later = GenericFamily("later", classifier=GaussianNB(), seconds=lambda *_: 2e-2)
    ran = run_trials(table, plan, [later, failing, dying], evidence, jobs=2)
    assert ran.complete == ("later",)
    why = ran.failed["dying"]
    assert isinstance(why, WorkerDied)
    assert why.folds == (2, 3, 4)
    # The first in the order of the plan is named, whichever worker was faster.
    assert ran.failed["failing"] == Raised((2, 3, 4), "ValueError", "cannot take 30 rows")


def interrupt_after(ticks: int) -> Any:
    seen: list[Tick] = []

    def tick(step: Tick) -> None:
        seen.append(step)
        if len(seen) == ticks:
            raise KeyboardInterrupt

    return tick


def test_ctrl_c_ends_with_what_is_complete(table: Table, plan: Plan, evidence: OnDisk) -> None:
    last = GenericFamily("last", classifier=GaussianNB(var_smoothing=0.1), seconds=lambda *_: 2e-2)
    ran = run_trials(table, plan, [BAYES, last], evidence, tick=interrupt_after(12 + 4))
    assert ran.stopped == "interrupted"
    assert ran.complete == ("bayes",)
    assert ran.not_tried == {"last": reasons.Interrupted(done=3, trials=10)}
    assert run_trials(table, plan, [BAYES, last], evidence).reused == 13


@pytest.mark.usefixtures("trusted")
def test_ctrl_c_within_a_fit(table: Table, plan: Plan, evidence: OnDisk) -> None:
    pressed = GenericFamily("pressed", classifier=Interrupted(), seconds=lambda *_: 2e-2)
    ran = run_trials(table, plan, [BAYES, pressed], evidence)
    assert (ran.stopped, ran.complete) == ("interrupted", ("bayes",))


def test_a_full_disk_is_nobodys_failure(
    table: Table, plan: Plan, evidence: OnDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises(VenireError, match=r"cannot keep evidence under .*: No space left on device") as caught:
        run_trials(table, plan, [BAYES], evidence)
    assert caught.value.hint is not None


@pytest.mark.usefixtures("trusted")
def test_progress_counts_up_to_the_end(table: Table, plan: Plan, evidence: OnDisk) -> None:
    steps: list[Tick] = []
    failing = GenericFamily("failing", classifier=Failing(), seconds=quick)
    run_trials(table, plan, [BAYES, failing, TREES], evidence, tick=steps.append, score=lambda name: len(name) / 10)
    assert [step.total for step in steps] == [30] * len(steps)
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert done[-1] == 30
    assert steps[-1].best == ("bayes", 0.5)
    assert replace(steps[0], left=None) == Tick("failing", 0, 30, None)


def test_the_time_left_is_that_of_the_families_to_come(table: Table, plan: Plan, evidence: OnDisk) -> None:
    """Two families of ten trials: the first of no time, the second of a second a trial by its formula."""
    steps: list[Tick] = []
    dear = GenericFamily("dear", classifier=GaussianNB(), seconds=lambda *_: 1.0)
    cheap = GenericFamily("cheap", classifier=GaussianNB(), seconds=lambda *_: 1e-6)
    run_trials(table, plan, [dear, cheap], evidence, tick=steps.append)
    done = next(step for step in steps if step.family == "cheap" and step.done == 10)
    assert done.left == pytest.approx(10 + CHECK * 1.0 + time_to_judge(0.0), rel=0.25), "the trials, a check, a verdict"
    assert steps[-1].left is not None
    assert steps[-1].left < done.left - 5, "no trial is left"


def test_an_undefined_error_does_not_lead(table: Table, plan: Plan, evidence: OnDisk) -> None:
    steps: list[Tick] = []
    errors = {"bayes": math.nan, "forest": 0.5}
    run_trials(table, plan, [BAYES, TREES], evidence, tick=steps.append, score=errors.__getitem__)
    assert steps[-1].best == ("forest", 0.5)


@pytest.mark.usefixtures("trusted")
def test_a_family_found_on_disk_has_the_time_it_took_then(table: Table, plan: Plan, evidence: OnDisk) -> None:
    slow = slow_family(0.02)
    first = run_trials(table, plan, [slow], evidence)
    assert first.seconds["slow"] >= 10 * 0.02
    again = run_trials(table, plan, [slow], evidence)
    assert again.trials == 0
    assert again.seconds["slow"] == pytest.approx(first.seconds["slow"])


def test_what_was_ruled_out_before_is_passed_on(table: Table, plan: Plan, evidence: OnDisk) -> None:
    ran: Ran = run_trials(table, plan, [BAYES], evidence, not_tried={"ridge": WrongTask("classification")})
    assert ran.not_tried == {"ridge": WrongTask("classification")}


def test_a_temporary_folder_without_room_is_one_error(
    table: Table, plan: Plan, evidence: OnDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("7680 requested and 0 written")  # as numpy says it

    monkeypatch.setattr(np, "save", full)
    monkeypatch.setattr(places, "WORTH_A_POOL", 0.0)
    monkeypatch.setattr(places, "_PATIENCE", 0.0)
    with pytest.raises(DataError, match="a copy of the table cannot be written to the temporary folder") as caught:
        run_trials(table, plan, [BAYES], evidence, jobs=2)
    assert caught.value.code == "no_room"
    assert "TMPDIR" in str(caught.value.hint)


def test_what_killed_processes_left_in_the_temporary_folder_is_swept(
    table: Table, plan: Plan, evidence: OnDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "venire-abc"
    left.mkdir()
    (left / "1-ab.owner").write_text("locked\n")
    (left / "X.npy").write_bytes(b"a copy of the table")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run_trials(table, plan, [BAYES], evidence)
    assert not left.exists()
