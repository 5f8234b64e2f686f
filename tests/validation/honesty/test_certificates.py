"""Certificates of many families: kept, not begun without time, and the same wherever the checks run."""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tests.validation.estimators import ScalesWithAll
from tests.validation.running import docket_for, one_of_a_class
from tests.validation.tables import clouds
from venire.data.table import Table, Task
from venire.families.bucket import default_bucket
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.evidence.runs import Runs
from venire.validation.evidence.trial_files import OnDisk
from venire.validation.honesty import certificates as module
from venire.validation.honesty.certificate import Certificate, keep_certificate, kept_certificate
from venire.validation.honesty.certificates import INTERRUPTED, NO_TIME, certificates
from venire.validation.honesty.leaking import KnowsAnswers, SeesHeldOutRows
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Cancel, Family, Outcome, Threaded, never
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import Status, WorkerDied
from venire.validation.trials.runner import run_trials

BAYES = GenericFamily("bayes", classifier=GaussianNB())
NEAREST = GenericFamily("nearest", classifier=KNeighborsClassifier(1))


class InThreads(ScalesWithAll):
    """The same, said to be fit for threads."""

    def in_threads(self, table: Table) -> bool:
        return True


CARELESS = ScalesWithAll("careless", classifier=LogisticRegression(), encoding="none")
CARELESS_TOO = InThreads("careless_too", classifier=LogisticRegression(), encoding="none")


class Crashes(GenericFamily):
    """Takes its process along."""

    parent = 0

    def prepare(self, table: Table, plan: Plan) -> Any:
        if os.getpid() != self.parent:
            os._exit(1)
        return super().prepare(table, plan)


def ready(home: Path, *families: Family, rows: int = 60, folds: int = 4) -> Docket:
    """What `certificates` takes, the trials run."""
    table = clouds(rows)
    plan = make_plan(table, folds=folds)
    docket = docket_for(table, plan, families, Runs(home).open(table, plan))
    run_trials(docket)
    return docket


def folder_of(docket: Docket) -> Path:
    assert isinstance(docket.evidence, OnDisk)
    return docket.evidence.folder


def test_a_certificate_is_kept_and_not_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ready(tmp_path, BAYES)
    first = certificates(given)

    def never(*_: Any) -> Outcome:
        raise AssertionError("asked again")

    monkeypatch.setattr(module, "certify", never)
    assert certificates(given) == first == {"bayes": Certificate("bayes", Status.CERTIFIED)}


def test_a_damaged_certificate_is_asked_for_again(tmp_path: Path) -> None:
    given = ready(tmp_path, BAYES)
    evidence, key = given.evidence, given.keys["bayes"]
    for why in (SeesHeldOutRows("bayes", (1, 2), "outputs", 1, 3, None), KnowsAnswers("bayes", 20)):
        planted = Certificate("bayes", Status.LEAKS, why)
        keep_certificate(evidence, key, planted)
        assert kept_certificate(evidence, key) == planted
    (folder_of(given) / str(key) / "certificate.json").write_text('{"format": 0}')
    assert kept_certificate(evidence, key) is None
    assert certificates(given)["bayes"].certified


@pytest.mark.parametrize(
    "harm",
    [
        {"family": "other"},
        {"status": "leaks"},
        {"status": "not checked"},
        {"kind": "knows_answers", "figures": {"family": "bayes", "rows": 20}},
        {"status": "leaks", "kind": "knows_answers", "figures": {"family": "bayes", "rows": float("nan")}},
        {"status": "leaks", "kind": "knows_answers", "figures": {"family": "bayes", "rows": True}},
        {"status": "leaks", "kind": "knows_answers", "figures": {"family": 7, "rows": 20}},
        {"status": "leaks", "kind": "knows_answers", "figures": {"family": "bayes"}},
        {"status": "leaks", "kind": "no_time"},
        {"status": "not checked", "kind": "worker_died", "figures": {"error": "x", "folds": [1, "2"]}},
    ],
    ids=str,
)
def test_a_certificate_that_cannot_be_is_none(tmp_path: Path, harm: dict[str, Any]) -> None:
    evidence, key = OnDisk(tmp_path), FamilyKey("bayes", "0123456789ab")
    (tmp_path / str(key)).mkdir()
    keep_certificate(evidence, key, Certificate("bayes", Status.CERTIFIED))
    path = tmp_path / str(key) / "certificate.json"
    assert kept_certificate(evidence, key) == Certificate("bayes", Status.CERTIFIED)
    path.write_text(json.dumps({**json.loads(path.read_text()), **harm}))
    assert kept_certificate(evidence, key) is None
    path.write_text("[" * 200_000)
    assert kept_certificate(evidence, key) is None


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_check_is_begun_when_time_is_up(tmp_path: Path, jobs: int) -> None:
    given = ready(tmp_path, BAYES, CARELESS_TOO)
    found = certificates(given, jobs=jobs, until=0.0)
    for name, key in given.keys.items():
        assert found[name] == Certificate(name, Status.NOT_CHECKED, NO_TIME)
        assert kept_certificate(given.evidence, key) is None, "the next run has time"


def test_ctrl_c_leaves_the_rest_unchecked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true, asked = module.certify, []

    def interrupted(family: Family, *given: Any, **options: Any) -> Certificate:
        asked.append(family.name)
        if len(asked) > 1:
            raise KeyboardInterrupt
        return true(family, *given, **options)

    given = ready(tmp_path, BAYES, NEAREST)
    monkeypatch.setattr(module, "certify", interrupted)
    found = certificates(given)
    assert found[asked[0]].certified
    assert found[asked[1]] == Certificate(asked[1], Status.NOT_CHECKED, INTERRUPTED)


def test_the_reason_is_the_one_that_is_true(tmp_path: Path) -> None:
    given = ready(tmp_path, BAYES)
    found = certificates(given, until=0.0, late=INTERRUPTED)
    assert found == {"bayes": Certificate("bayes", Status.NOT_CHECKED, INTERRUPTED)}


@pytest.mark.parametrize("first", [["bayes"], ["nearest", "bayes"], ["bayes", "nearest"], ["careless_too"]])
def test_those_that_matter_most_are_checked_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: list[str]
) -> None:
    asked, true = [], module.certify

    def listed(family: Family, *given: Any, **options: Any) -> Certificate:
        asked.append(family.name)
        return true(family, *given, **options)

    families = [BAYES, CARELESS_TOO, NEAREST]
    given = ready(tmp_path, *families)
    monkeypatch.setattr(module, "certify", listed)
    found = certificates(given, first=first)
    assert asked[: len(first)] == first
    assert list(found) == [family.name for family in families], "in the order of the families all the same"


class Waits(ScalesWithAll):
    """Its second preparation, which is the check's, waits until it is told to stop."""

    def in_threads(self, table: Table) -> bool:
        return True

    def run(self, prepared: Any, trial: Trial, cancel: Cancel = never) -> Outcome:
        began = time.monotonic()
        while cancel is not never and self.waits and time.monotonic() - began < 30:
            cancel()
            time.sleep(0.01)
        return super().run(prepared, trial, cancel)

    waits = False


def test_a_check_that_takes_too_long_is_given_up_at_the_end_of_the_budget(tmp_path: Path) -> None:
    waits = Waits("waits", classifier=GaussianNB(), encoding="none")
    given = ready(tmp_path, waits, BAYES)
    waits.waits = True
    began = time.monotonic()
    found = certificates(given, first=["waits"], until=began + 1.0)
    assert time.monotonic() - began < 10
    assert found["waits"] == Certificate("waits", Status.NOT_CHECKED, NO_TIME)
    assert kept_certificate(given.evidence, given.keys["waits"]) is None


def test_the_work_that_all_trials_share_is_not_taken_for_the_length_of_a_check(tmp_path: Path) -> None:
    """The first trial of a family that shares its work carries all of it: 55 seconds here, of 10 trials."""
    given = ready(tmp_path, BAYES)
    assert isinstance(given.evidence, OnDisk)
    for at, trial in enumerate(given.plan.trials):
        outcome = given.evidence.get(given.keys["bayes"], trial).outcome()
        given.evidence.path(given.keys["bayes"], trial).unlink()
        given.evidence.put(given.keys["bayes"], trial, replace(outcome, seconds=55.0 if at == 0 else 0.0))
    assert certificates(given, until=time.monotonic() + 30)["bayes"].certified


@pytest.mark.usefixtures("trusted")  # else all of them would run in workers
def test_the_same_certificates_in_threads_and_in_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, trials = clouds(40), tmp_path / "trials"
    of_classes = [family for family in default_bucket() if Task.CLASSIFICATION in family.tasks]
    bucket = one_of_a_class(f for f in of_classes if isinstance(f, Threaded) and f.in_threads(table))
    families = [*bucket, BAYES, CARELESS, NEAREST]
    found, kept = [], []
    for place, jobs, worth in (("here", 1, 1e9), ("threads", 3, 1e9), ("workers", 1, 0.0)):
        if found:  # the trials are run once; only the certificates are made in every place
            shutil.copytree(trials, tmp_path / place)
        given = ready(tmp_path / place, *families, rows=40, folds=3)
        if not found:
            shutil.copytree(tmp_path / place, trials)
        monkeypatch.setattr(module, "WORTH_A_POOL", worth)
        found.append(certificates(given, jobs=jobs))
        kept.append({path.parent.name: path.read_bytes() for path in folder_of(given).glob("*/certificate.json")})
    assert found[1:] == found[:1] * 2
    assert kept[1:] == kept[:1] * 2
    assert len(kept[0]) == len(families)
    assert list(found[0]) == [family.name for family in families], "in the order of the families"
    assert found[0]["careless"].status == "leaks"
    assert all(found[0][family.name].certified for family in bucket)


def test_a_leak_is_seen_in_a_thread(tmp_path: Path) -> None:
    families = [CARELESS_TOO, InThreads("second", classifier=GaussianNB(), encoding="none")]
    found = certificates(ready(tmp_path, *families), jobs=2)
    assert found["careless_too"].status == "leaks"


def test_a_worker_that_dies_takes_no_verdict_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    families = [BAYES, Crashes("crashes", classifier=GaussianNB())]
    families[1].parent = os.getpid()  # of the instance, so that it travels
    given = ready(tmp_path, *families)
    monkeypatch.setattr(module, "WORTH_A_POOL", 0.0)
    found = certificates(given, jobs=1)
    assert found["crashes"].status == "not checked"
    assert isinstance(found["crashes"].reason, WorkerDied)
    assert kept_certificate(given.evidence, given.keys["crashes"]) is None
