"""Large trees: subtrees grown apart, columns looked at in parallel."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import tree as sk

from venire.ensembles.forest.estimators import RandomForestClassifier
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor


def large_table(rows: int = 40_000) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Enough rows that subtrees are grafted and the first nodes are shared among threads; ten values a column."""
    rng = np.random.default_rng(9)
    x = rng.integers(0, 10, size=(rows, 6)).astype(float)
    y = (x[:, 0] * x[:, 1] + 5 * x[:, 2] + 12 * rng.normal(size=rows) > 40).astype(int) + (x[:, 4] % 3 == 0)
    return x, y


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"criterion": "entropy", "categorical_features": [0, 4], "categorical": "subset"},
        {"criterion": "gain_ratio", "categorical_features": [0, 4], "categorical": "multiway"},
        {"max_features": 2, "splitter": 3},
        {"splitter": "random", "min_samples_leaf": 5},
    ],
    ids=["plain", "subset", "multiway", "drawn", "random"],
)
def test_one_large_tree_has_the_same_bytes_for_any_number_of_threads(settings: dict[str, Any]) -> None:
    x, y = large_table()
    x[::17, 3] = np.nan
    trees = [DecisionTreeClassifier(random_state=2, n_jobs=n, **settings).fit(x, y) for n in (1, 2, 3, 8)]
    assert len({pickle.dumps(tree._forest) for tree in trees}) == 1
    nodes = trees[0].nodes_
    for node in nodes:
        assert node.is_leaf or node.rows == sum(nodes[child].rows for _, child in node.branches)


def test_a_large_tree_is_scikit_learns() -> None:
    x, y = large_table()
    ours = DecisionTreeClassifier(n_jobs=2).fit(x, y)
    theirs = sk.DecisionTreeClassifier(random_state=0).fit(x, y)
    assert ours.nodes_[0].rows == len(y)
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x))


def test_large_trees_of_numbers_and_combinations_are_grafted_right() -> None:
    x, y = large_table(20_000)
    target = x[:, 0] + np.random.default_rng(0).random(len(y))
    trees = [DecisionTreeRegressor(min_samples_leaf=3, n_jobs=n).fit(x, target) for n in (1, 2)]
    assert pickle.dumps(trees[0]._forest) == pickle.dumps(trees[1]._forest)
    assert trees[0].score(x, target) > 0.98
    distinct = x + np.random.default_rng(1).random(x.shape)
    forest = RandomForestClassifier(n_estimators=1, combinations=3, bootstrap=False, random_state=0).fit(distinct, y)
    assert forest.score(distinct, y) == 1.0
