"""The baselines: what always saying the majority, the mean, or a guess by the shares is worth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from venire.data.datasets import load
from venire.errors import UsageError
from venire.models.baseline import BaselineClassifier, BaselineRegressor


@parametrize_with_checks([BaselineClassifier(), BaselineClassifier(strategy="shares"), BaselineRegressor()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_always_normal_on_the_banknotes():
    notes = load("banknotes")
    y = np.array(notes.target.labels)[notes.y]
    model = BaselineClassifier().fit(notes.X, y)
    assert set(model.predict(notes.X)) == {"normal"}
    assert model.score(notes.X, y) == pytest.approx(343 / 380)
    assert round(model.score(notes.X, y), 1) == 0.9
    assert balanced_accuracy_score(y, model.predict(notes.X)) == 0.5


def test_guessing_by_the_shares():
    y = np.repeat(["a", "b"], [700, 300])
    X = np.zeros((1000, 1))
    model = BaselineClassifier(strategy="shares", random_state=0).fit(X, y)
    guesses = model.predict(X)
    assert (guesses == "a").mean() == pytest.approx(0.7, abs=0.05)
    assert (guesses == y).mean() == pytest.approx(0.7**2 + 0.3**2, abs=0.05)
    np.testing.assert_array_equal(guesses, model.predict(X))
    np.testing.assert_allclose(model.class_prior_, [0.7, 0.3])
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], guesses)


def test_weights_and_costs():
    X, y = [[0]] * 4, [0, 0, 0, 1]
    assert BaselineClassifier().fit(X, y, sample_weight=[1, 1, 1, 9]).predict(X)[0] == 1
    np.testing.assert_allclose(BaselineClassifier(class_weight="balanced").fit(X, y).class_prior_, [0.5, 0.5])
    assert BaselineClassifier(costs=[[0, 1], [9, 0]]).fit(X, y).predict(X)[0] == 1
    gone = BaselineClassifier().fit(X, y, sample_weight=[1, 1, 1, 0])
    assert gone.predict_log_proba(X)[0].tolist() == [0.0, -np.inf]
    assert BaselineRegressor().fit(X, [1.0, 1, 1, 5], sample_weight=[1, 1, 1, 3]).predict(X)[0] == 3


def test_the_attributes_may_be_anything():
    frame = pd.DataFrame({"town": ["x", None, "z"], "size": [1.0, np.nan, np.inf]})
    assert BaselineClassifier().fit(frame, [1, 1, 0]).predict(frame).tolist() == [1, 1, 1]
    assert BaselineRegressor().fit(sparse.eye(3), [1, 2, 3]).predict(sparse.eye(2, 3)).tolist() == [2, 2]


def test_bad_input():
    with pytest.raises(ValueError, match="'strategy' parameter"):
        BaselineClassifier(strategy="coin").fit([[0]], [0])
    with pytest.raises(UsageError, match="requires y to be passed"):
        BaselineRegressor().fit([[0]], None)
    with pytest.raises(UsageError, match="costs have shape 1 × 2"):
        BaselineClassifier(costs=[[0, 1]]).fit([[0], [0]], [0, 1]).predict([[0]])
    with pytest.raises(ValueError, match=r"positive weight|non-zero number"):
        BaselineClassifier().fit([[0]], [0], sample_weight=[0])
