from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from tests.validation.tables import classification, plain, regression
from venire.data.table import Table
from venire.families.neighbors import NeighborsFamily
from venire.families.paths import one_by_one
from venire.validation.deal import make_plan
from venire.validation.generic import GenericFamily


@pytest.mark.parametrize("table", [classification(60), classification(60, classes=2), regression(60)])
def test_one_search_equals_a_fit_for_every_k(table: Table) -> None:
    path = one_by_one("n_neighbors", [30, 9, 4, 1], "k")
    given = {"classifier": KNeighborsClassifier(), "regressor": KNeighborsRegressor(), "path": path}
    plan = make_plan(table, blocks=4)
    fast, loop = (kind("knn", **given) for kind in (NeighborsFamily, GenericFamily))  # type: ignore[arg-type]  # keywords by case
    for trial in (plan.trials[0], plan.trials[-1]):
        found, expected = (family.run(family.prepare(table, plan), trial) for family in (fast, loop))
        np.testing.assert_array_equal(found.labels, expected.labels)
        np.testing.assert_allclose(found.outputs, expected.outputs, rtol=1e-12)
        for name, losses in found.training.items():
            np.testing.assert_allclose(losses, expected.training[name], rtol=1e-12)


def test_more_neighbours_than_rows_are_all_rows() -> None:
    table = plain(np.arange(8.0)[:, None], np.arange(8) % 2, classes=2)
    plan = make_plan(table, blocks=4)
    family = NeighborsFamily("knn", classifier=KNeighborsClassifier(), path=one_by_one("n_neighbors", [50, 1], "k"))
    trial = plan.trials[-1]
    outcome = family.run(family.prepare(table, plan), trial)
    shares = np.bincount(table.y[plan.train_rows(trial)], minlength=2) / 4
    np.testing.assert_allclose(outcome.outputs[0], np.tile(shares, (4, 1)))


def test_of_equal_votes_the_lowest_code_wins() -> None:
    table = plain(np.zeros((12, 1)), np.arange(12) % 3, classes=3)
    plan = make_plan(table, blocks=4)
    family = NeighborsFamily("knn", classifier=KNeighborsClassifier(), path=one_by_one("n_neighbors", [99], "k"))
    for trial in plan.trials:
        counts = np.bincount(table.y[plan.train_rows(trial)], minlength=3)
        assert (family.run(family.prepare(table, plan), trial).labels == counts.argmax()).all()
