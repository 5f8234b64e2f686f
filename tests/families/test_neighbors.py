from __future__ import annotations

import numpy as np
import pytest

from tests.families.cases import CASES, assert_same, case, compared
from tests.validation.tables import classification, plain, regression
from venire.data.table import Table
from venire.families.bucket import default_bucket
from venire.families.neighbors import NeighborsFamily
from venire.families.paths import neighbours, one_by_one
from venire.models.neighbors.estimators import KNeighborsClassifier, KNeighborsRegressor
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily

ESTIMATORS = {"classifier": KNeighborsClassifier(scale="none"), "regressor": KNeighborsRegressor(scale="none")}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("classes", [0, 3])
def test_every_trial_equals_the_plain_loop(name: str, classes: int) -> None:
    table, plan = case(name, classes)
    family = NeighborsFamily("knn", **ESTIMATORS, path=neighbours)
    for ours, loop in compared(family, table, plan):
        assert_same(ours, loop, 1e-12)
        assert np.array_equal(ours.labels, loop.labels)


@pytest.mark.parametrize("name", ["mixed", "weights", "missing class"])
def test_nothing_is_learned_from_folds_left_out(name: str) -> None:
    table, plan = case(name, 3)
    family = NeighborsFamily("knn", **ESTIMATORS, path=neighbours)
    assert leaks(family, table, plan, np.random.default_rng(0), trials=4) is None


@pytest.mark.parametrize("table", [classification(60), classification(60, classes=2), regression(60)])
def test_one_search_equals_a_fit_for_every_k(table: Table) -> None:
    path = one_by_one("n_neighbors", [30, 9, 4, 1], "k")
    given = {**ESTIMATORS, "path": path}
    plan = make_plan(table, folds=4)
    fast, loop = (kind("knn", **given) for kind in (NeighborsFamily, GenericFamily))  # type: ignore[arg-type]  # keywords by case
    for trial in (plan.trials[0], plan.trials[-1]):
        found, expected = (family.run(family.prepare(table, plan), trial) for family in (fast, loop))
        np.testing.assert_array_equal(found.labels, expected.labels)
        np.testing.assert_allclose(found.outputs, expected.outputs, rtol=1e-12)
        for name, losses in found.training.items():
            np.testing.assert_allclose(losses, expected.training[name], rtol=1e-12)


def test_more_neighbours_than_rows_are_all_rows() -> None:
    table = plain(np.arange(8.0)[:, None], np.arange(8) % 2, classes=2)
    plan = make_plan(table, folds=4)
    family = NeighborsFamily("knn", classifier=KNeighborsClassifier(), path=one_by_one("n_neighbors", [50, 1], "k"))
    trial = plan.trials[-1]
    outcome = family.run(family.prepare(table, plan), trial)
    shares = np.bincount(table.y[plan.train_rows(trial)], minlength=2) / 4
    np.testing.assert_allclose(outcome.outputs[0], np.tile(shares, (4, 1)))


def test_of_equal_votes_the_lowest_code_wins() -> None:
    table = plain(np.zeros((12, 1)), np.arange(12) % 3, classes=3)
    plan = make_plan(table, folds=4)
    family = NeighborsFamily("knn", classifier=KNeighborsClassifier(), path=one_by_one("n_neighbors", [99], "k"))
    for trial in plan.trials:
        counts = np.bincount(table.y[plan.train_rows(trial)], minlength=3)
        assert (family.run(family.prepare(table, plan), trial).labels == counts.argmax()).all()


@pytest.mark.parametrize("name", ["mixed", "weights", "missing class"])
@pytest.mark.parametrize("classes", [0, 3])
def test_of_many_rows_those_are_searched_that_the_estimator_draws(name: str, classes: int) -> None:
    table, plan = case(name, classes)
    few = {"scale": "none", "max_rows": 40}
    family = NeighborsFamily(
        "knn", classifier=KNeighborsClassifier(**few), regressor=KNeighborsRegressor(**few), path=neighbours
    )
    for ours, loop in compared(family, table, plan):
        assert_same(ours, loop, 1e-12)
        assert np.array_equal(ours.labels, loop.labels)
    assert leaks(family, table, plan, np.random.default_rng(0), trials=4) is None
    fitted = family.refit(table, family.path(table)[-1], 3).steps[-1][1]
    assert len(fitted._kept) == 40
    assert np.array_equal(fitted._kept, family.refit(table, family.path(table)[-1], 3).steps[-1][1]._kept)


def test_few_folds_cost_more_pairs_a_trial() -> None:
    """Ten folds predict a tenth of the rows or two, three folds a third or two: by formula and in truth."""
    table = classification(3000)
    family = next(family for family in default_bucket() if family.name == "knn")
    a_trial = {}
    for folds in (3, 10):
        plan = make_plan(table, folds=folds)
        assert family.prepare(table, plan).lists is None
        a_trial[folds] = family.cost(table, plan).seconds / len(plan.trials)
    assert 1.2 < a_trial[3] / a_trial[10] < 3
