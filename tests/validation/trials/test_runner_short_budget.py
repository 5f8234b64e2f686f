"""What a budget that is too short for all families is spent on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB

from tests.validation.estimators import Slow
from tests.validation.running import docket_for, run_trials
from tests.validation.tables import classification
from venire.data.table import Table
from venire.validation.evidence.trial_files import OnDisk
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Outcome, Turn, never
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import OutOfTime
from venire.validation.trials.workers.bench import Bench, Done, Here, Job


class Sleepy(GenericFamily):
    """Takes so many seconds a trial, whatever its formula says; runs in threads of this process."""

    def __init__(self, seconds: float, formula: float) -> None:
        super().__init__("sleepy", classifier=GaussianNB(), seconds=lambda *_: formula)
        self._sleeps = seconds
        self.begun: list[float] = []

    def in_threads(self, table: Table) -> bool:
        return True

    def run(self, prepared: Any, trial: Trial, cancel: Cancel = never) -> Outcome:
        self.begun.append(time.monotonic())
        time.sleep(self._sleeps)
        return super().run(prepared, trial, cancel)


class Brisk(Sleepy):
    """Its turn is the last."""

    def __init__(self) -> None:
        super().__init__(0.0, 1e-3)
        self._name, self.turn = "brisk", Turn.LAST


@pytest.fixture(scope="module")
def table() -> Table:
    return classification(40)


@pytest.fixture(scope="module")
def plan(table: Table) -> Plan:
    return make_plan(table, folds=4)


def test_a_family_that_will_not_end_leaves_its_time_to_the_next(table: Table, plan: Plan, tmp_path: Any) -> None:
    sleepy, brisk = Sleepy(1.0, 0.35), Brisk()
    ran = run_trials(table, plan, [sleepy, brisk], OnDisk(tmp_path), budget=6, jobs=1)
    assert ran.complete == ("brisk",)
    assert 2 <= len(sleepy.begun) < len(plan.trials)
    assert isinstance(ran.not_tried["sleepy"], OutOfTime)


def test_a_family_that_takes_longer_than_its_formula_goes_on_after_the_others(
    table: Table, plan: Plan, tmp_path: Any
) -> None:
    sleepy, brisk = Sleepy(0.2, 1e-3), Brisk()
    ran = run_trials(table, plan, [sleepy, brisk], OnDisk(tmp_path), budget=20, jobs=1)
    assert ran.complete == ("brisk", "sleepy")
    assert len(sleepy.begun) <= len(plan.trials) + 1, "what had ended is not run again"
    assert sleepy.begun[0] < brisk.begun[0] < sleepy.begun[-1]
    assert ran.trials == 2 * len(plan.trials)


def test_without_a_budget_nobody_has_to_wait(table: Table, plan: Plan, tmp_path: Any) -> None:
    sleepy, brisk = Sleepy(0.05, 1e-3), Brisk()
    assert run_trials(table, plan, [sleepy, brisk], OnDisk(tmp_path), jobs=1).complete == ("sleepy", "brisk")


def test_no_family_has_all_its_trials_before_another_has_its_first(table: Table, plan: Plan, tmp_path: Any) -> None:
    first, second = Sleepy(0.01, 1e-3), Sleepy(0.01, 2e-3)
    second._name, second.turn = "second", Turn.THIRD
    ran = run_trials(table, plan, [first, second], OnDisk(tmp_path), budget=60, jobs=2)
    assert set(ran.complete) == {"sleepy", "second"}
    assert len(first.begun) == len(second.begun) == len(plan.trials), "it is no further work"
    assert sorted(first.begun)[1] < min(second.begun) < max(first.begun) < sorted(second.begun)[2]


class SlowToStart(Here):
    """Stands for worker processes: they take seconds to start, and start anew where nobody waited for them so long."""

    started = False

    def ready(self, family: str, cancel: Cancel = never) -> None:
        end = time.monotonic() + 2.0
        while not self.started and time.monotonic() < end:
            cancel()
            time.sleep(0.02)
        self.started = True

    def run(self, jobs: list[Job], cancel: Cancel = never) -> Iterator[Done]:
        self.ready(jobs[0].family, cancel)
        yield from super().run(jobs, cancel)


def test_the_start_of_workers_is_in_no_strangers_share(table: Table, plan: Plan, tmp_path: Any) -> None:
    """Six strangers share eight seconds: none of them would be begun if the first had to pay for the start."""
    strangers = [GenericFamily(f"stranger {i}", classifier=Slow(0.0)) for i in range(6)]
    workers: Any = SlowToStart(Bench(docket_for(table, plan, strangers, evidence := OnDisk(tmp_path))), 1)
    ran = run_trials(table, plan, strangers, evidence, budget=8, jobs=1, workers=workers)
    assert set(ran.complete) == {family.name for family in strangers}
