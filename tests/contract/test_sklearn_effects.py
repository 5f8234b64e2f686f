"""Parameters of trees do what scikit-learn's do: the training rows are parted alike.

Which column parts two or three rows is a tie that either breaks in its own way, so importances are not compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import tree
from sklearn.datasets import make_regression

import venire

X, Y = make_regression(250, 5, noise=20, random_state=1)
WEIGHTS = np.random.default_rng(0).integers(1, 4, 250).astype(float)
SETTINGS: list[dict[str, Any]] = [
    {},
    {"max_depth": 3},
    {"max_leaf_nodes": 8},
    {"min_samples_split": 10},
    {"min_samples_split": 0.1},
    {"min_samples_leaf": 5},
    {"min_samples_leaf": 0.05},
    {"min_weight_fraction_leaf": 0.1},
    {"min_impurity_decrease": 20.0},
    {"ccp_alpha": 50.0},
    {"max_depth": 6, "min_samples_leaf": 3, "max_leaf_nodes": 20, "ccp_alpha": 5.0},
]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize("criterion", ["squared_error", "friedman_mse"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.filterwarnings("ignore:.*friedman_mse:FutureWarning")  # of scikit-learn's own class
def test_trees_for_numbers_are_scikit_learns(settings: dict[str, Any], criterion: str, weights: Any) -> None:
    kinds = (venire.DecisionTreeRegressor, tree.DecisionTreeRegressor)
    ours, theirs = (kind(criterion=criterion, random_state=0, **settings).fit(X, Y, weights) for kind in kinds)
    assert ours.tree_.node_count == theirs.tree_.node_count
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-9)


@pytest.mark.parametrize(
    ("criterion", "settings"),
    [
        ("absolute_error", {}),
        ("absolute_error", {"max_leaf_nodes": 8}),
        ("absolute_error", {"max_depth": 3}),
        ("poisson", {"max_depth": 3}),
        ("poisson", {"max_leaf_nodes": 8}),
        ("poisson", {"min_weight_fraction_leaf": 0.1}),
    ],
    ids=str,
)
def test_medians_and_counts_too(criterion: str, settings: dict[str, Any]) -> None:
    target = np.round(np.abs(Y) / 40) if criterion == "poisson" else Y
    kinds = (venire.DecisionTreeRegressor, tree.DecisionTreeRegressor)
    ours, theirs = (kind(criterion=criterion, random_state=0, **settings).fit(X, target) for kind in kinds)
    assert ours.predict(X) == pytest.approx(theirs.predict(X))
