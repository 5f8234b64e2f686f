"""The nested choice against loops: for every outer fold the setting is the best on its inner folds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.validation.running import docket_for
from tests.validation.tables import classification, regression
from tests.verdict.cases import BAYES, TREE
from venire.data.table import Table
from venire.validation import two_layer
from venire.validation.evidence.evidence import InMemory
from venire.validation.nested_choice import nested_choice
from venire.validation.plans.folds import make_plan
from venire.validation.trials.runner import run_trials
from venire.verdict.judgement import Assessment


@pytest.mark.parametrize("table", [classification(60, classes=2), regression(60)])
@pytest.mark.parametrize("repeats", [1, 2])
def test_by_loops(table: Table, repeats: int) -> None:
    plan = make_plan(table, folds=4, repeats=repeats)
    docket = docket_for(table, plan, [TREE], InMemory())
    run_trials(docket)
    ledger = docket.ledger("cart")
    found = nested_choice(docket, ledger, "best")
    for repeat in range(repeats):
        for fold in range(4):
            inner = np.mean([ledger.losses[held] for held in plan.inner(repeat, fold)], axis=0)
            best = int(np.argmin(inner))
            outer = plan.outer(repeat, fold)
            assert found.settings[repeat, fold] == best
            assert found.outer[repeat, fold] == ledger.losses[outer][best]
            assert found.training[repeat, fold] == ledger.training[outer.trial][best]
    assert found.final == int(np.argmin(np.mean([ledger.losses[held] for held in plan.finals], axis=0)))


def test_a_member_of_a_verdict_and_two_layers_are_the_same_choice() -> None:
    table = classification(70, classes=3)
    docket = docket_for(table, make_plan(table, folds=5), [BAYES], InMemory())
    run_trials(docket)
    candidate = Assessment(docket).judgement(["bayes"], []).candidate("bayes")
    found = two_layer(BAYES, table, folds=5)
    assert tuple(candidate.settings.values()) == found.chosen
    np.testing.assert_array_equal(candidate.losses, found.losses)
    assert candidate.setting == found.setting
    assert candidate.one_layer_error == found.one_layer.error


def test_what_a_choice_looks_at_can_be_something_else() -> None:
    table = classification(60, classes=2)
    docket = docket_for(table, make_plan(table, folds=4), [TREE], InMemory())
    run_trials(docket)
    ledger = docket.ledger("cart")
    found = nested_choice(docket, ledger, "best", losses=lambda held: -ledger.on(held), places=[(0, 2)])
    worst = int(np.argmax(ledger.mean(docket.plan.inner(0, 2))))
    assert found.settings == {(0, 2): worst}
