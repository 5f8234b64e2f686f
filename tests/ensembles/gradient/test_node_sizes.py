"""When a node may be split."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_regression

from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.errors import UsageError


def rows_by_leaf(model: GradientBoostingRegressor, x: np.ndarray) -> list[np.ndarray]:
    return [np.unique(leaves, return_counts=True)[1] for leaves in model.apply(x).T]


def test_leaves_of_twenty_rows_unless_told_otherwise() -> None:
    x, y = make_regression(300, 4, noise=1.0, random_state=0)
    assert min(map(min, rows_by_leaf(GradientBoostingRegressor(n_estimators=5).fit(x, y), x))) >= 20
    free = GradientBoostingRegressor(n_estimators=5, min_samples_split=2, max_leaf_nodes=None).fit(x, y)
    assert min(map(min, rows_by_leaf(free, x))) == 1
    share = GradientBoostingRegressor(n_estimators=5, min_weight_fraction_leaf=0.2).fit(x, y)
    assert min(map(min, rows_by_leaf(share, x))) >= 60


def test_a_handful_of_rows_is_split() -> None:
    model = GradientBoostingClassifier(n_estimators=10).fit([[0], [1], [5], [6]], [0, 0, 1, 1])
    assert model.predict([[0.4], [5.5]]).tolist() == [0, 1]


def test_a_node_needs_so_many_rows_to_be_split() -> None:
    x, y = make_regression(300, 4, noise=1.0, random_state=0)
    model = GradientBoostingRegressor(n_estimators=3, min_samples_split=100, max_leaf_nodes=None).fit(x, y)
    for tree, counts in zip(model.estimators_[:, 0], rows_by_leaf(model, x), strict=True):
        arrays = tree.tree_
        inner = np.flatnonzero(arrays.children_left >= 0)
        reached = np.asarray(tree.decision_path(x).sum(axis=0)).ravel()
        assert reached[inner].min() >= 100
        assert counts.sum() == 300


def test_splits_that_gain_too_little_are_left_out() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    y = np.where(x[:, 0] > 0, 1.0, -1.0) + 0.01 * rng.normal(size=200)
    model = GradientBoostingRegressor(n_estimators=1, min_samples_split=2, min_impurity_decrease=0.5).fit(x, y)
    assert model.estimators_[0, 0].tree_.n_leaves == 2


def test_columns_are_drawn_for_every_node() -> None:
    x, y = make_regression(300, 10, noise=1.0, random_state=0)
    model = GradientBoostingRegressor(n_estimators=30, max_features=1, random_state=0).fit(x, y)
    plain = GradientBoostingRegressor(n_estimators=30, random_state=0).fit(x, y)
    used = [len(set(tree.tree_.feature[tree.tree_.feature >= 0])) for tree in model.estimators_[:, 0]]
    assert max(used) > 1  # not one column a tree
    assert (model.feature_importances_ > 0).sum() >= (plain.feature_importances_ > 0).sum()
    assert model.max_features_ == 1


def test_pruning_afterwards_is_refused_with_the_way_out() -> None:
    x, y = make_regression(50, 2, random_state=0)
    with pytest.raises(UsageError, match=r"ccp_alpha=0\.1") as caught:
        GradientBoostingRegressor(ccp_alpha=0.1).fit(x, y)
    assert "min_split_gain" in caught.value.hint
    with pytest.warns(FutureWarning, match="criterion has no effect"):
        GradientBoostingRegressor(criterion="friedman_mse").fit(x, y)
