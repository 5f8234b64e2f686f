"""Gradient boosting against the plain loop: one fit has to give what a fit for every number of rounds gives."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from tests.families.cases import CASES, assert_identical, case, compared
from tests.validation.tables import classification, regression
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.families.paths import one_by_one
from venire.families.trees.boosting import BoostingFamily
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Cancelled


def family_of(**settings: Any) -> BoostingFamily:
    return BoostingFamily(
        "boosting",
        classifier=GradientBoostingClassifier(min_samples_leaf=5, **settings),
        regressor=GradientBoostingRegressor(min_samples_leaf=5, **settings),
        path=one_by_one("n_estimators", [1, 4, 9], "T"),
        encoding="none",
    )


@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("name", CASES)
def test_one_fit_equals_a_fit_for_every_number_of_rounds(name: str, classes: int) -> None:
    for ours, loop in compared(family_of(), *case(name, classes)):
        assert_identical(ours, loop)


@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("settings", [{"subsample": 0.5, "colsample": 0.5}, {"early_stopping": 2}, {"max_bins": 16}])
def test_draws_stops_and_bins_are_those_of_the_plain_fit(settings: dict[str, Any], classes: int) -> None:
    table = classification(300, classes=classes) if classes else regression(300)
    for ours, loop in compared(family_of(**settings), table, make_plan(table, folds=4)):
        np.testing.assert_array_equal(ours.outputs, loop.outputs)


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("settings", [{"subsample": 0.5, "colsample": 0.5}, {"early_stopping": 2}])
def test_settings_fitted_at_once_are_those_fitted_one_by_one(settings: dict[str, Any], classes: int) -> None:
    table = classification(300, classes=classes) if classes else regression(300)
    family = family_of(**settings)
    path = [family.path(table)[at] for at in (2, 0, 1)]
    for setting, ours in zip(path, family.refit_all(table, path, 7, threads=2), strict=True):
        alone = family.refit(table, setting, 7)
        assert pickle.dumps(ours.steps[-1][1]) == pickle.dumps(alone.steps[-1][1])


@pytest.mark.parametrize("classes", [0, 2])
def test_nothing_leaks(classes: int) -> None:
    table = classification(300, classes=classes) if classes else regression(300)
    plan = make_plan(table, folds=4)
    assert leaks(family_of(max_bins=16), table, plan, np.random.default_rng(0), trials=3) is None


def test_it_can_be_stopped_between_rounds() -> None:
    table = classification(60)
    plan = make_plan(table, folds=4)
    asked = iter([None, None])

    def cancel() -> None:
        if next(asked, "no more") is not None:
            raise Cancelled("enough")

    family = family_of()
    with pytest.raises(Cancelled, match="enough"):
        family.run(family.prepare(table, plan), plan.trials[0], cancel)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_an_outer_trial_leaves_the_model_that_a_fit_on_its_rows_would_be(classes: int) -> None:
    table = classification(200, classes=classes) if classes else regression(200)
    plan, family = make_plan(table, folds=4), family_of(subsample=0.8)
    prepared = family.prepare(table, plan)
    for trial in plan.trials:
        left = family.run(prepared, trial).model
        assert (left is None) == (len(trial.test) == 2)
        if left is None:
            continue
        for setting in family.path(table):
            alone = family.refit(table.take(plan.train_rows(trial)), setting, trial.seed(plan.seed, "boosting"))
            found = family.cut_back(left, setting)
            say = "predict_proba" if classes else "predict"
            np.testing.assert_array_equal(getattr(found, say)(table.X), getattr(alone, say)(table.X))
    assert not prepared.left, "they are kept by whoever wants them"
