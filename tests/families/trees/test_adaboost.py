"""AdaBoost against the plain loop: one run of rounds has to give what a run for every number of rounds gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.families.cases import CASES, assert_identical, case, compared
from tests.validation.tables import classification, noise, plain
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.families.paths import one_by_one
from venire.families.trees.adaboost import AdaBoostFamily
from venire.models.tree.estimators import DecisionTreeClassifier
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan


def family_of(member: Any = None, **settings: Any) -> AdaBoostFamily:
    member = DecisionTreeClassifier(max_depth=1) if member is None else member
    path = one_by_one("n_estimators", [1, 3, 7], "T")
    return AdaBoostFamily("ada", classifier=AdaBoostClassifier(member, **settings), path=path, encoding="none")


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", CASES)
def test_one_run_equals_a_run_for_every_number_of_rounds(name: str, classes: int) -> None:
    for ours, loop in compared(family_of(), *case(name, classes)):
        assert_identical(ours, loop)


@pytest.mark.parametrize(
    ("member", "settings"),
    [
        (DecisionTreeClassifier(max_depth=3, max_features=2), {}),
        (DecisionTreeClassifier(max_depth=2, criterion="entropy", max_bins=8), {"algorithm": "M1"}),
        (DecisionTreeClassifier(max_depth=2), {"class_weight": "balanced"}),
        (DecisionTreeClassifier(max_depth=1), {"resample": True}),
        (DecisionTreeClassifier(max_depth=1), {"when_weak": "invert"}),
        (DecisionTreeClassifier(max_depth=1, class_weight="balanced"), {}),
    ],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_other_members_and_policies_go_through(member: Any, settings: dict[str, Any], classes: int) -> None:
    table = classification(100, classes=classes)
    for ours, loop in compared(family_of(member, **settings), table, make_plan(table, folds=4)):
        np.testing.assert_array_equal(ours.outputs, loop.outputs)
        np.testing.assert_array_equal(ours.labels, loop.labels)


def test_a_run_that_ends_early_stays_as_it_was() -> None:
    x = np.arange(40.0)
    table = plain(x[:, None], x >= 20, classes=2)  # one stump is perfect, and AdaBoost stops
    plan = make_plan(table, folds=4)
    family = family_of()
    outcome = family.run(family.prepare(table, plan), plan.trials[0])
    np.testing.assert_array_equal(outcome.outputs[0], outcome.outputs[2])
    assert (outcome.training["error"] == 0).all()


def test_no_round_better_than_guessing_is_said() -> None:
    table = plain(np.zeros((64, 1)), np.arange(64) % 2, classes=2)
    plan = make_plan(table, folds=4, stratified=True)
    family = family_of()
    outcome = family.run(family.prepare(table, plan), plan.trials[-1])  # 16 rows of either class: ε = ½
    assert any("the first member stands alone" in warning for warning in outcome.warnings)


@pytest.mark.parametrize("table", [classification(300), classification(300, classes=2), noise(300, 0)])
def test_nothing_leaks(table: Any) -> None:
    family = family_of(DecisionTreeClassifier(max_depth=1, max_bins=16))
    assert leaks(family, table, make_plan(table, folds=4), np.random.default_rng(0), trials=3) is None
