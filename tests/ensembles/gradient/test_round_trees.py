"""The trees of a boosting, each as a regression tree."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_regression

from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.gradient.round_trees import Stage, cut_stages


def test_scores_are_the_start_and_the_trees() -> None:
    x, y = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=7, learning_rate=0.3).fit(x, y)
    trees = model.estimators_
    assert trees.shape == (7, 3)
    told = np.array([[tree.predict(x) for tree in of_round] for of_round in trees])
    assert model._start + 0.3 * told.sum(axis=0).T == pytest.approx(model.decision_function(x))
    assert np.array_equal(model.apply(x)[:, 3, 1], trees[3, 1].apply(x))


def test_a_warm_start_keeps_the_parameters_of_its_stages() -> None:
    x, y = make_regression(200, 4, random_state=0)
    model = GradientBoostingRegressor(n_estimators=3, max_depth=1, warm_start=True, random_state=0).fit(x, y)
    model.set_params(n_estimators=5, max_depth=3, learning_rate=0.5).fit(x, y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own bytes
    assert [tree.max_depth for tree in again.estimators_[:, 0]] == [1, 1, 1, 3, 3]
    rates = np.array([0.1, 0.1, 0.1, 0.5, 0.5])
    told = np.array([tree.predict(x) for tree in again.estimators_[:, 0]])
    assert model._start[0] + rates @ told == pytest.approx(model.predict(x))
    assert again.first_rounds(4).estimators_.shape == (4, 1)


def test_stages_are_cut() -> None:
    stages = [Stage(3, 0.1, None, 31, None, None, 0.0), Stage(4, 0.2, 2, 31, None, None, 0.0)]
    assert [stage.rounds for stage in cut_stages(stages, 5)] == [3, 2]
    assert [stage.rounds for stage in cut_stages(stages, 2)] == [2]


def test_one_fit_or_several_give_the_same_bits() -> None:
    x, y = load_iris(return_X_y=True)
    once = GradientBoostingClassifier(n_estimators=12, subsample=0.7, max_features=2, random_state=3).fit(x, y)
    model = GradientBoostingClassifier(
        n_estimators=5, subsample=0.7, max_features=2, random_state=3, warm_start=True
    ).fit(x, y)
    model.set_params(n_estimators=12).fit(x, y)
    assert np.array_equal(model.predict_proba(x), once.predict_proba(x))
    assert np.array_equal(model.oob_improvement_, once.oob_improvement_)
