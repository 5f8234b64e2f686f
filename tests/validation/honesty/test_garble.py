from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification, plain, regression
from venire.data.table import Table
from venire.validation.honesty.garble import garble, leaks
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Outcome, Setting, never
from venire.validation.trials.generic import GenericFamily, Prepared


class ScalesWithAllRows(GenericFamily):
    """Looks harmless: standardises once, for all trials together."""

    def prepare(self, table: Table, plan: Plan) -> Prepared:
        X = np.array(table.X)
        X[:, 0] = (X[:, 0] - np.nanmean(X[:, 0])) / np.nanstd(X[:, 0])
        return super().prepare(table.with_values(X, table.y), plan)


class KnowsTheLabels(GenericFamily):
    def prepare(self, table: Table, plan: Plan) -> Prepared:
        X = np.array(table.X)
        X[:, 0] = table.y
        return super().prepare(table.with_values(X, table.y), plan)


class RemembersOthers(GenericFamily):
    """Predicts what it has not seen as it should, and what it has seen with a grain of all labels."""

    def run(self, prepared: Prepared, trial: Trial, cancel: Cancel = never) -> Outcome:
        found = super().run(prepared, trial, cancel)
        if found.seen is not None:
            grain = np.float32(1e-5 * prepared.table.y.mean())
            found = replace(found, seen=replace(found.seen, outputs=found.seen.outputs + grain))
        return found


def path_by_values(table: Table) -> tuple[Setting, ...]:
    wide = np.nanmax(np.abs(table.X[:, 0])) > 10
    return tuple(Setting(f"C = {c}", {"C": c}) for c in ((0.1, 1.0) if wide else (1.0,)))


def family(kind: type[GenericFamily] = GenericFamily, **more: Any) -> GenericFamily:
    # Unscaled columns: a leak through a scale would vanish if the encoder scaled once more.
    return kind("suspect", classifier=GaussianNB(var_smoothing=0.3), encoding="codes", **more)


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return plain(X, X[:, 0] + rng.normal(size=60) > 0, classes=2)


def test_an_honest_family_passes(table: Table) -> None:
    assert leaks(family(), table, make_plan(table, folds=4), np.random.default_rng(0)) is None


@pytest.mark.parametrize("kind", [ScalesWithAllRows, KnowsTheLabels])
def test_a_leak_is_caught_and_named(table: Table, kind: type[GenericFamily]) -> None:
    found = leaks(family(kind), table, make_plan(table, folds=4), np.random.default_rng(0))
    assert found is not None
    assert found.what in {"outputs", "labels"}
    assert found.fold in found.trial.test
    assert "suspect, trained on folds" in str(found)
    assert "changed with data it must not see" in str(found)


def test_a_leak_into_rows_trained_on_is_caught(table: Table) -> None:
    found = leaks(family(RemembersOthers), table, make_plan(table, folds=4), np.random.default_rng(0))
    assert found is not None
    assert found.what == "training outputs"


def test_a_path_that_looks_at_values_is_caught(table: Table) -> None:
    nosy = GenericFamily("nosy", classifier=LogisticRegression(), path=path_by_values)
    found = leaks(nosy, table, make_plan(table, folds=4), np.random.default_rng(0))
    assert found is not None
    assert found.what == "settings"


def test_a_few_trials_are_enough_to_ask_for(table: Table) -> None:
    class Counting(GenericFamily):
        runs = 0

        def run(self, *given: Any, **more: Any) -> Any:
            Counting.runs += 1
            return super().run(*given, **more)

    assert leaks(family(Counting), table, make_plan(table, folds=4), np.random.default_rng(0), trials=2) is None
    assert Counting.runs == 4


@pytest.mark.parametrize("numbers", [False, True])
def test_garbling_touches_what_must_not_be_seen_and_nothing_else(numbers: bool) -> None:
    table = regression(40) if numbers else classification(40)
    plan = make_plan(table, folds=4)
    trial = next(t for t in plan.trials if t.test == (1, 3))
    other = garble(table, plan, trial, 3, np.random.default_rng(0))
    train, i, j = plan.train_rows(trial), plan.rows(0, (1,)), plan.rows(0, (3,))
    seen = np.concatenate([train, j])
    np.testing.assert_array_equal(other.X[seen], table.X[seen])
    np.testing.assert_array_equal(other.y[train], table.y[train])
    assert (other.y[i] != table.y[i]).all()
    assert (other.y[j] != table.y[j]).all()
    assert (other.X[i, 0] != table.X[i, 0]).all()
    assert other.columns == table.columns
