"""Evidence in memory answers as evidence on disk does, wherever its trials were run."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB

from tests.validation.running import docket_for
from tests.validation.tables import classification
from venire.families.paths import one_by_one
from venire.validation.evidence.evidence import FamilyKey, InMemory
from venire.validation.evidence.trial_files import OnDisk
from venire.validation.honesty.certificates import certificates
from venire.validation.plans.folds import make_plan
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.runner import run_trials
from venire.validation.trials.workers import places

BAYES = GenericFamily("bayes", classifier=GaussianNB(), path=one_by_one("var_smoothing", [1.0, 1e-3], "s"))
TREES = GenericFamily("trees", classifier=ExtraTreesClassifier(n_estimators=3), encoding="codes")
TABLE = classification(40, classes=2)
PLAN = make_plan(TABLE, folds=4)


def said(docket: Docket) -> list[bytes]:
    """Every array of every trial, read in every way."""
    found = []
    for name in docket.families:
        for trial in PLAN.trials:
            record = docket.record(name, trial)
            outcome = record.outcome()
            for setting in range(len(docket.settings[name])):
                outputs, labels = record.at(setting)
                np.testing.assert_array_equal(outputs, outcome.outputs[setting])
                np.testing.assert_array_equal(labels, outcome.labels[setting])
            parts = [record.outputs(), record.labels(), *record.training().values()]
            seen, first = record.seen(), record.seen(0)
            assert (seen is None) == (first is None)
            if seen is not None and first is not None:
                np.testing.assert_array_equal(first.outputs[0], seen.outputs[0])
                parts += [seen.outputs, seen.labels]
            found += [str(record.output).encode(), *(np.ascontiguousarray(part).tobytes() for part in parts)]
    return found


@pytest.mark.parametrize(("jobs", "worth"), [(1, 1e9), (1, 0.0)])
def test_both_stores_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, worth: float) -> None:
    """In this process, and in workers that have to hand over what they cannot write into our memory."""
    monkeypatch.setattr(places, "WORTH_A_POOL", worth)
    dockets = [docket_for(TABLE, PLAN, [BAYES, TREES], evidence) for evidence in (OnDisk(tmp_path), InMemory())]
    for docket in dockets:
        ran = run_trials(docket, Effort(jobs=jobs))
        assert (sorted(ran.complete), ran.trials) == (["bayes", "trees"], 20)
    assert said(dockets[0]) == said(dockets[1])
    again = run_trials(dockets[1], Effort(jobs=jobs))
    assert (again.trials, again.reused) == (0, 20)
    assert [check.status for check in certificates(dockets[1], jobs=jobs).values()] == ["certified"] * 2


def test_what_is_there_stays_and_what_is_not_wanted_is_not_kept() -> None:
    family = BAYES
    trial = PLAN.outer(0, 1).trial
    outcome = family.run(family.prepare(TABLE, PLAN), trial)
    assert outcome.seen is not None
    key, evidence = FamilyKey("bayes", "x"), InMemory(seen=False)
    assert evidence.finished(key, trial) is None
    evidence.put(key, trial, outcome)
    evidence.put(key, trial, family.run(family.prepare(TABLE, PLAN), PLAN.outer(0, 2).trial))
    record = evidence.finished(key, trial)
    assert record is not None
    assert record.seen() is None
    assert record.outputs() is outcome.outputs
    assert record.training() == outcome.training


def test_a_copy_for_another_process_is_empty() -> None:
    evidence = InMemory(seen=False)
    evidence.keep("note", b"1")
    evidence.put(FamilyKey("bayes", "x"), PLAN.trials[0], BAYES.run(BAYES.prepare(TABLE, PLAN), PLAN.trials[0]))
    copy = pickle.loads(pickle.dumps(evidence))  # noqa: S301  # what loky does to it
    assert not copy.has(FamilyKey("bayes", "x"), PLAN.trials[0])
    assert (copy.kept("note"), evidence.kept("note")) == (None, b"1")
