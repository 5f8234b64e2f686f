from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.tree import DecisionTreeClassifier

from tests.validation.tables import classification, plain, regression
from venire.data.table import Table
from venire.families.paths import one_by_one
from venire.families.staged import StagedFamily
from venire.validation.deal import make_plan
from venire.validation.generic import GenericFamily

ROUNDS = [1, 2, 5, 9]


HIST = {"early_stopping": False, "min_samples_leaf": 3}
TWO_DEEP = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2))
TWO, THREE, NUMBERS = classification(50, classes=2), classification(50), regression(50)


@pytest.mark.parametrize(
    ("table", "given", "rounds"),
    [
        (THREE, {"classifier": AdaBoostClassifier()}, "n_estimators"),
        (TWO, {"classifier": TWO_DEEP}, "n_estimators"),
        (THREE, {"classifier": HistGradientBoostingClassifier(**HIST), "encoding": "codes"}, "max_iter"),
        (TWO, {"classifier": HistGradientBoostingClassifier(**HIST), "encoding": "codes"}, "max_iter"),
        (NUMBERS, {"regressor": HistGradientBoostingRegressor(**HIST), "encoding": "codes"}, "max_iter"),
        (NUMBERS, {"regressor": GradientBoostingRegressor(subsample=0.5)}, "n_estimators"),
    ],
    ids=["adaboost-3", "adaboost-2", "hist-3", "hist-2", "hist-numbers", "gradient-numbers"],
)
def test_stages_of_one_fit_equal_fits_of_every_length(table: Table, given: dict[str, object], rounds: str) -> None:
    path = one_by_one(rounds, ROUNDS, "T")
    plan = make_plan(table, blocks=4)
    staged, plain_loop = (kind("boosted", path=path, **given) for kind in (StagedFamily, GenericFamily))  # type: ignore[arg-type]  # keywords by case
    for trial in (plan.trials[0], plan.trials[-1]):
        found, expected = (family.run(family.prepare(table, plan), trial) for family in (staged, plain_loop))
        np.testing.assert_array_equal(found.labels, expected.labels)
        np.testing.assert_allclose(found.outputs, expected.outputs, rtol=1e-6, atol=1e-7)
        assert found.training.keys() == expected.training.keys()
        for name, losses in found.training.items():
            np.testing.assert_allclose(losses, expected.training[name], rtol=1e-5, atol=1e-7)


def test_a_boosting_that_ends_early_stays_as_it_was() -> None:
    x = np.arange(40.0)
    table = plain(x[:, None], x >= 20, classes=2)  # one stump is perfect, and AdaBoost stops
    plan = make_plan(table, blocks=4)
    family = StagedFamily("ada", classifier=AdaBoostClassifier(), path=one_by_one("n_estimators", [1, 5, 50], "T"))
    outcome = family.run(family.prepare(table, plan), plan.trials[0])
    np.testing.assert_array_equal(outcome.outputs[0], outcome.outputs[2])
    assert (outcome.training["error"] == 0).all()


def test_one_fit_is_what_the_path_costs() -> None:
    table = classification(50)
    plan = make_plan(table)
    path = one_by_one("n_estimators", ROUNDS, "T")
    dear, cheap = (
        kind("a", classifier=AdaBoostClassifier(), path=path).cost(table, plan).seconds
        for kind in (GenericFamily, StagedFamily)
    )
    assert dear == pytest.approx(4 * cheap)
