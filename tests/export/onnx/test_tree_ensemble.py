"""Trees as they are grown in all their ways, beside the operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier

import venire as vn
from tests.export.onnx.parity import assert_same, run
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor
from venire.reductions.score_shares import ScoreShares

ROWS, CODES = 400, 120


def coded(seed: int = 0) -> np.ndarray:
    """Two numbers and two columns of codes, one of them with many; gaps everywhere."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.normal(size=ROWS), rng.normal(size=ROWS), rng.integers(0, CODES, ROWS), rng.integers(0, 4, ROWS)]
    )
    X[rng.random(X.shape) < 0.08] = np.nan
    return X


def target(X: np.ndarray, classes: int) -> np.ndarray:
    told = np.nan_to_num(X[:, 0]) + (X[:, 2] % 3 == 1) + np.isnan(X[:, 1])
    return told if classes == 0 else np.digitize(told, np.linspace(-0.5, 1.5, classes - 1))


def new() -> np.ndarray:
    """Rows with codes that were not there in training, and others that no row has."""
    X = coded(seed=1)
    X[::7, 2], X[::11, 3] = CODES + 50, 6
    return X


TREE, FOREST, BOOST = vn.DecisionTreeClassifier, vn.RandomForestClassifier, vn.GradientBoostingClassifier
CODED: dict[str, Any] = {"categorical_features": [2, 3]}
MODELS: dict[str, tuple[int, Any]] = {
    "subsets": (2, TREE(**CODED)),
    "many ways": (3, TREE(categorical="multiway", **CODED)),
    "many ways, deep": (5, TREE(categorical="multiway", criterion="gain_ratio", min_samples_leaf=5, **CODED)),
    "costs": (2, TREE(max_depth=3, costs=[[0, 1], [6, 0]], **CODED)),
    "costs of many": (3, TREE(max_depth=3, costs=[[0, 1, 9], [5, 0, 1], [1, 3, 0]], **CODED)),
    "a leaf alone": (2, TREE(max_depth=1, min_samples_split=ROWS + 1)),
    "votes": (3, FOREST(n_estimators=7, voting="hard", random_state=0, **CODED)),
    "many classes": (9, FOREST(n_estimators=60, random_state=0, **CODED)),
    "combinations": (3, FOREST(n_estimators=30, combinations=2, random_state=0, **CODED)),
    "random cuts": (2, vn.ExtraTreesClassifier(n_estimators=9, random_state=0, **CODED)),
    "boosting": (2, BOOST(n_estimators=20, min_samples_leaf=3, **CODED)),
    "boosting of many": (4, BOOST(n_estimators=12, min_samples_leaf=3, **CODED)),
    "stumps": (2, vn.AdaBoostClassifier(TREE(max_depth=1, **CODED), n_estimators=20, random_state=0)),
    "stumps of many": (4, vn.AdaBoostClassifier(TREE(max_depth=2, **CODED), n_estimators=9, random_state=0)),
    "boosted by weights": (3, vn.AdaBoostClassifier(vn.NaiveBayesClassifier(**CODED), n_estimators=3, random_state=0)),
    "bagging": (3, vn.BaggingClassifier(TREE(max_depth=4), n_estimators=5, max_features=3, random_state=0)),
    "crisp bagging": (2, vn.BaggingClassifier(TREE(max_depth=4), n_estimators=5, voting="crisp", random_state=0)),
    "vote by confidence": (3, vn.VotingClassifier([TREE(max_depth=3), vn.NaiveBayesClassifier()], voting="confidence")),
    "vote by error": (3, vn.VotingClassifier([TREE(max_depth=3), vn.NaiveBayesClassifier()], voting="error")),
    "greedy vote": (3, vn.VotingClassifier([TREE(max_depth=3), vn.NaiveBayesClassifier()], voting="greedy")),
    "stack": (3, vn.StackingClassifier([TREE(max_depth=3), vn.NaiveBayesClassifier()])),
    "stack of two": (2, vn.StackingClassifier([TREE(max_depth=3), vn.NaiveBayesClassifier()])),
    "weighted stack": (3, vn.StackingClassifier([TREE(max_depth=3), vn.NaiveBayesClassifier()], "weights")),
    "stack beside columns": (2, vn.StackingClassifier([TREE(max_depth=3)], TREE(max_depth=4), passthrough=True)),
    "bucket": (2, vn.BucketOfModels([TREE(max_depth=2), vn.NaiveBayesClassifier()])),
    "cost threshold": (2, vn.CostThreshold(TREE(max_depth=4), costs=[[0, 1], [8, 0]])),
    "cost threshold of many": (3, vn.CostThreshold(TREE(max_depth=4), costs=[[0, 1, 9], [5, 0, 1], [1, 3, 0]])),
    "numbers": (0, vn.DecisionTreeRegressor(**CODED)),
    "a forest of numbers": (0, vn.RandomForestRegressor(n_estimators=20, random_state=0, **CODED)),
    "counts": (0, vn.GradientBoostingRegressor(loss="poisson", n_estimators=9, **CODED)),
    "stages": (0, vn.AdditiveRegressor(n_estimators=3, learning_rate=0.5, random_state=0)),
    "bags of numbers": (0, vn.BaggingRegressor(n_estimators=3, random_state=0)),
    "weighted numbers": (0, vn.StackingRegressor([vn.DecisionTreeRegressor(max_depth=3)], "weights")),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_operator_says_what_the_trees_say(name: str) -> None:
    classes, model = MODELS[name]
    X = coded()
    y = target(X, classes)
    fitted = model.fit(X, y - y.min() if name == "counts" else y)
    rows = new() if "categorical_features" in str(model) else coded(seed=1)
    assert_same(fitted, rows, run(fitted, {"X": rows}))


def test_a_threshold_between_neighbours_of_single_precision_stays_between_them() -> None:
    low = np.float32(1.0)
    high = np.nextafter(low, np.float32(2.0))
    X = np.array([[low], [high]] * 10, dtype=np.float64)
    y = np.array([0, 1] * 10)
    tree = TREE().fit(X, y)
    found = run(tree, {"X": X.astype(np.float32)}, "float32")
    np.testing.assert_array_equal(found["label"], y)


def test_linear_machines() -> None:
    X = np.random.default_rng(0).normal(size=(80, 3))
    two, amount = (X[:, 0] > 0).astype(int), X @ [1.0, 2.0, 3.0]
    three = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
    for model, y in (
        (ScoreShares(RidgeClassifier()), two),
        (ScoreShares(RidgeClassifier()), three),
        (SupportVectorClassifier(kernel="linear"), two),
        (SupportVectorRegressor(kernel="linear"), amount),
    ):
        assert_same(model.fit(X, y), X, run(model, {"X": X}))


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (SupportVectorClassifier(), "the kernel 'rbf' keeps training rows"),
        (vn.RuleListClassifier(), "RuleListClassifier has no form"),
        (vn.StackingClassifier([("bags", vn.BaggingClassifier(n_estimators=2))], rounds_of=["bags"]), "single rounds"),
    ],
)
def test_what_is_not_drawn_says_why(model: Any, why: str) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    fitted = model.fit(X, (X[:, 0] > 0).astype(int))
    with pytest.raises(vn.UsageError, match=why):
        run(fitted, {"X": X})


def test_members_that_were_fitted_on_words_are_refused() -> None:
    import pandas as pd

    table = pd.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40.0)})
    fitted = vn.BaggingClassifier(TREE(), n_estimators=2, random_state=0).fit(table, [0, 1] * 20)
    with pytest.raises(vn.UsageError, match="was fitted on a frame with words"):
        run(fitted, {})
    with pytest.raises(vn.UsageError, match="LogisticRegression is no fitted model"):
        run(LogisticRegression(), {})
