"""Rows that go down a tree in turns end where each ends that goes alone, node by node (`Forest.levels`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from venire._core import Bins
from venire.models.tree.growth import NO_LIMIT, Growth, Problem

KINDS: dict[str, dict[str, Any]] = {
    "thresholds": {},
    "subsets": {"categorical": [3]},
    "multiway": {"categorical": [3, 4], "multiway": True},
    "combinations": {"combined": 2, "max_features": 3, "sampling": "bootstrap"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", [NO_LIMIT, 3])
def test_many_rows_end_where_each_of_them_does(kind: str, depth: int) -> None:
    rng = np.random.default_rng(len(kind))
    settings = dict(KINDS[kind])
    X = rng.normal(size=(700, 5))
    X[:, 3:] = rng.integers(0, 7, size=(700, 2))
    if kind != "combinations":
        X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0] * X[:, 1]) + np.isin(X[:, 3], [1, 4]) + rng.normal(size=700) > 0.5).astype(np.int32)
    mask = np.isin(np.arange(5), settings.pop("categorical", []))
    bins = Bins.of(X, mask, None, max_bins=60, threads=1)
    growth = Growth("gini", count=1, draws=700, max_depth=depth, min_samples_leaf=4, **settings)
    tree = growth.grow(bins, X, Problem(2, y, None, None))
    plain = tree.levels(X, [0.0], threads=1)[0]
    assert len(np.unique(plain[:, 0])) > 2
    for rows in (700, 64, 17, 8, 7, 1):
        found = tree.average(X[:rows], [1], votes=False, threads=2)[0]
        np.testing.assert_array_equal(found, plain[:rows])
