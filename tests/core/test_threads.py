"""What runs in parallel gives the same bytes for any number of threads. `make sanitize` watches it for races."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from venire.ensembles.forest.estimators import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor

THREADS = (1, 2, 3, 8)
rng = np.random.default_rng(0)
X = rng.normal(size=(36_000, 5)).astype(np.float32)
X[::13, 1] = np.nan
X[:, 4] = rng.integers(0, 9, size=len(X))
Y = (X[:, 0] + X[:, 2] * X[:, 3] + rng.normal(size=len(X)) > 0).astype(int)

MODELS: dict[str, Callable[[int], Any]] = {
    "tree": lambda n: DecisionTreeClassifier(n_jobs=n, min_samples_leaf=4, categorical_features=[4]),
    "tree of numbers": lambda n: DecisionTreeRegressor(n_jobs=n, max_depth=12),
    "forest": lambda n: RandomForestClassifier(n_estimators=5, n_jobs=n, random_state=1, max_depth=12, oob_score=True),
    "forest of numbers": lambda n: RandomForestRegressor(n_estimators=3, n_jobs=n, random_state=1, max_depth=10),
    "extra trees": lambda n: ExtraTreesClassifier(n_estimators=3, n_jobs=n, random_state=1, max_depth=10),
    "combinations": lambda n: RandomForestClassifier(
        n_estimators=3, combinations=2, n_jobs=n, random_state=1, max_depth=8
    ),
}


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")  # five trees leave few rows out
@pytest.mark.parametrize("name", MODELS)
def test_threads_change_no_byte(name: str) -> None:
    seen = set()
    for threads in THREADS:
        model = MODELS[name](threads).fit(X, Y)
        seen.add((pickle.dumps(model._forest), model.predict(X).tobytes(), getattr(model, "oob_score_", None)))
    assert len(seen) == 1


def test_many_rows_are_read_through_copies_and_give_the_same_tree() -> None:
    """Thin nodes of a large table read copies of their codes; growing best first never copies, and is the oracle."""
    many = np.random.default_rng(2)
    x = many.normal(size=(300_000, 3)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] * x[:, 2] + many.normal(size=len(x)) > 0).astype(int)
    leaves = {"min_samples_leaf": 150}
    plain = DecisionTreeClassifier(max_leaf_nodes=len(x), **leaves).fit(x, y).predict_proba(x)
    weights = np.ones(len(x))  # without weights, such a tree would read the matrix itself
    trees = [DecisionTreeClassifier(n_jobs=threads, **leaves).fit(x, y, sample_weight=weights) for threads in (1, 3)]
    assert np.array_equal(trees[0].predict_proba(x), plain)
    assert pickle.dumps(trees[0]._forest) == pickle.dumps(trees[1]._forest)
