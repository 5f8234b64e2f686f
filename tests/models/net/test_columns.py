"""Columns of a net: a few rows are written at once, in the same numbers as many."""

from __future__ import annotations

import numpy as np
import pytest

from venire.models.net.columns import NetColumns


@pytest.mark.parametrize("case", range(12))
def test_few_rows_are_the_first_of_many(case):
    rng = np.random.default_rng(case)
    rows, columns = 200, int(rng.integers(1, 8))
    X = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-3, 5, size=columns)
    categorical = rng.random(columns) < 0.3
    X[:, categorical] = rng.integers(0, 5, size=(rows, int(categorical.sum())))
    X[rng.random((rows, columns)) < 0.1 * (case % 2)] = np.nan
    X[:, ~categorical & (rng.random(columns) < 0.2)] = 3.0
    found = NetColumns.of(X, categorical, int(rng.integers(0, 40)))
    many = found.transform(X)
    assert many.any()
    for few in (1, 2, 7, 64):
        assert found.transform(X[:few]).tobytes() == np.ascontiguousarray(many[:few]).tobytes()
