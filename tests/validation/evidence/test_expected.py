from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.validation.running import run_trials
from tests.validation.tables import classification, regression
from venire.errors import VenireWarning
from venire.metrics.predictions import Output
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.evidence.expected import Expected
from venire.validation.evidence.runs import Runs
from venire.validation.evidence.trial_files import OnDisk
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Outcome, PathPredictions
from venire.validation.trials.generic import GenericFamily

TABLE = classification(40, classes=3)
PLAN = make_plan(TABLE, folds=4)
TRIAL = next(trial for trial in PLAN.trials if PLAN.is_outer(trial))
EXPECTED = Expected.of(TABLE, PLAN)
KEY = FamilyKey("bayes", "0123456789ab", settings=2)


def sound() -> Outcome:
    rows, seen = len(PLAN.test_rows(TRIAL)), len(PLAN.seen_rows(TRIAL)[0])
    told = [PathPredictions(np.full((2, n, 3), 1 / 3, np.float32), np.ones((2, n), np.int16)) for n in (rows, seen)]
    return Outcome(
        Output.PROBABILITIES, told[0].outputs, told[0].labels, {"auc": np.array([np.nan, 0.5])}, seen=told[1]
    )


def changed(array: np.ndarray[Any, Any], value: float) -> np.ndarray[Any, Any]:
    other = array.copy()
    other[(-1,) * other.ndim] = value
    return other


GIVEN = sound()
SEEN = GIVEN.seen
assert SEEN is not None
IMPOSSIBLE = {
    "a label that is no class": (replace(GIVEN, labels=changed(GIVEN.labels, 3)), "labels from 1 to 3 of 3 classes"),
    "a negative label": (replace(GIVEN, labels=changed(GIVEN.labels, -1)), "labels from -1 to 1"),
    "NaN": (replace(GIVEN, outputs=changed(GIVEN.outputs, np.nan)), "1 of its outputs are NaN"),
    "a setting of NaN": (replace(GIVEN, outputs=np.where([[[0]], [[1]]], np.nan, GIVEN.outputs)), "outputs are NaN"),
    "a probability above 1": (replace(GIVEN, outputs=changed(GIVEN.outputs, 1.5)), "probabilities from 0 to 1.5"),
    "a row too few": (replace(GIVEN, outputs=GIVEN.outputs[:, 1:], labels=GIVEN.labels[:, 1:]), "its shapes are"),
    "a class too few": (replace(GIVEN, outputs=GIVEN.outputs[:, :, :2]), "its shapes are"),
    "a setting too few": (
        replace(GIVEN, outputs=GIVEN.outputs[:1], labels=GIVEN.labels[:1], seen=None, training={}),
        "for 2 settings",
    ),
    "another task": (replace(GIVEN, output=Output.VALUES), "it has values of 3 classes"),
    "labels of another type": (replace(GIVEN, labels=GIVEN.labels.astype(np.int32)), "labels are of type int32"),
    "training losses of another path": (replace(GIVEN, training={"auc": np.zeros(3)}), "training losses (auc)"),
    "no time": (replace(GIVEN, seconds=-1.0), "it took -1.0 s"),
    "what was seen": (
        replace(GIVEN, seen=PathPredictions(SEEN.outputs, changed(SEEN.labels, 9))),
        "labels from 1 to 9",
    ),
}


def test_what_can_be_is_taken() -> None:
    assert EXPECTED.problem(TRIAL, GIVEN, 2) is None
    assert EXPECTED.problem(TRIAL, replace(GIVEN, seen=None, training={})) is None


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_is_damaged_whatever_its_checksum_says(tmp_path: Path, name: str) -> None:
    outcome, said = IMPOSSIBLE[name]
    assert said in str(EXPECTED.problem(TRIAL, outcome, 2))
    OnDisk(tmp_path).put(KEY, TRIAL, outcome)
    assert OnDisk(tmp_path).intact(KEY, TRIAL), "its checksum is right"
    evidence = OnDisk(tmp_path, EXPECTED)
    assert not evidence.intact(KEY, TRIAL)
    assert evidence.path(KEY, TRIAL).with_suffix(".damaged").exists()


def test_numbers_have_one_column_and_no_labels() -> None:
    table = regression(40)
    plan = make_plan(table, folds=4)
    trial = plan.trials[0]
    shape = (1, len(plan.test_rows(trial)))
    outcome = Outcome(Output.VALUES, np.full((*shape, 1), np.inf), np.zeros(shape, np.int16), {})
    expected = Expected.of(table, plan)
    assert expected.problem(trial, outcome, 1) is None
    assert "labels from 1 to 1 of no classes" in str(
        expected.problem(trial, replace(outcome, labels=np.ones(shape, np.int16)), 1)
    )


def test_a_run_tells_of_it_and_computes_it_again(tmp_path: Path) -> None:
    family = GenericFamily("bayes", classifier=GaussianNB())
    evidence = Runs(tmp_path).open(TABLE, PLAN)
    run_trials(TABLE, PLAN, [family], evidence)
    key = FamilyKey.of(family, family.path(TABLE))
    before = evidence.get(key, TRIAL).outcome()
    evidence.path(key, TRIAL).unlink()
    evidence.put(key, TRIAL, replace(before, labels=changed(before.labels, 7)))
    with pytest.warns(VenireWarning, match="the evidence of 1 trial of bayes was damaged"):
        assert run_trials(TABLE, PLAN, [family], evidence).trials == 1
    np.testing.assert_array_equal(evidence.get(key, TRIAL).labels(), before.labels)
