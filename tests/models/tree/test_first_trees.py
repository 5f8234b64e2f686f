"""The first trees of many are the trees that growing fewer gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from venire.ensembles.forest.estimators import RandomForestClassifier, RandomForestRegressor
from venire.models.tree.first_trees import first_trees


def rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    X[:, 3] = rng.integers(0, 12, size=200)
    return X, (X[:, 0] + (X[:, 3] % 3) > 1).astype(int)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(random_state=1, categorical_features=[3]),
        RandomForestRegressor(random_state=1),
        RandomForestClassifier(random_state=1, combinations=2),
    ],
    ids=["categories", "numbers", "combined columns"],
)
def test_as_if_fewer_had_been_grown(estimator: Any) -> None:
    X, y = rows()
    many = estimator.set_params(n_estimators=9).fit(X, y)._forest
    few = estimator.set_params(n_estimators=4).fit(X, y)._forest
    ours, theirs = first_trees(many, 4).to_arrays(), few.to_arrays()
    assert ours.keys() == theirs.keys()
    for name, values in theirs.items():
        np.testing.assert_array_equal(ours[name], values, err_msg=name)


def test_all_of_them_are_the_forest_itself() -> None:
    X, y = rows()
    forest = RandomForestClassifier(n_estimators=3, random_state=1).fit(X, y)._forest
    assert first_trees(forest, 3) is forest
