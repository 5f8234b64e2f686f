"""Pruning: scikit-learn's path, and every level from one growth."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import tree as sk
from sklearn.base import clone
from sklearn.datasets import load_diabetes

from tests.models.tables import table
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_pruning_path_is_scikit_learns(kind: str) -> None:
    if kind == "classes":
        x, y = table(rows=250, seed=3)
        ours, theirs = DecisionTreeClassifier(), sk.DecisionTreeClassifier(random_state=0)
    else:
        x, y = load_diabetes(return_X_y=True)
        x, y = x[:200], y[:200]
        ours, theirs = DecisionTreeRegressor(max_depth=5), sk.DecisionTreeRegressor(max_depth=5, random_state=0)
    path, expected = (model.cost_complexity_pruning_path(x, y) for model in (ours, theirs))
    top = 8  # near the leaves, ties are broken differently
    assert np.allclose(path.ccp_alphas[-top:], expected.ccp_alphas[-top:])
    assert np.allclose(path.impurities[-top:], expected.impurities[-top:])
    assert path.ccp_alphas[0] == 0


@pytest.mark.parametrize("categorical", ["subset", "multiway"])
def test_every_level_from_one_growth(categorical: str) -> None:
    x, y = table(rows=400, seed=4)
    x = np.column_stack([x, np.digitize(x[:, 0], [-1, 0, 1])])
    tree = DecisionTreeClassifier(categorical=categorical, categorical_features=[5]).fit(x[:300], y[:300])
    alphas = tree.cost_complexity_pruning_path(x[:300], y[:300]).ccp_alphas
    all_levels = tree.predict_proba_path(x[300:], alphas)
    for level, alpha in enumerate(alphas):
        pruned = clone(tree).set_params(ccp_alpha=alpha).fit(x[:300], y[:300])
        assert np.array_equal(all_levels[level], pruned.predict_proba(x[300:]))
    assert np.array_equal(tree.predict_path(x[300:])[0], tree.predict(x[300:]))
    assert np.array_equal(tree.predict_path(x[300:], alphas[::-1])[0], tree.predict_path(x[300:])[-1])


def test_levels_are_nested_and_end_at_the_root() -> None:
    x, y = table(rows=300, seed=5)
    alphas = DecisionTreeClassifier().cost_complexity_pruning_path(x, y).ccp_alphas
    leaves = [DecisionTreeClassifier(ccp_alpha=alpha).fit(x, y).get_n_leaves() for alpha in alphas]
    assert np.all(np.diff(alphas) > 0)
    assert np.all(np.diff(leaves) < 0)
    assert leaves[-1] == 1
