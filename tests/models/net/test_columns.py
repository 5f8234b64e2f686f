"""Columns of a net: what the core writes is what NumPy writes, column by column, to the bit."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise

import numpy as np
import pytest

from venire.models.net.columns import FAR, WILD, NetColumns


def plainly(columns, X):
    """Column after column, by the definition in the module's head."""
    found = []
    for place, j in enumerate(columns.numeric):
        missing, x = np.isnan(X[:, j].astype(float)), X[:, j].astype(float).clip(-WILD, WILD)
        with np.errstate(over="ignore"):
            scaled = np.where(missing, 0.0, (x - columns.centre[place]) / columns.spread[place]).clip(-WILD, WILD)
        found.append(scaled / np.sqrt(1 + (scaled / FAR) ** 2))
        for low, high in pairwise(columns.edges[place]):
            found.append(np.where(missing, 0.0, ((x - low) / (high - low)).clip(0.0, 1.0) + 0.0))  # no -0.0
        if columns.gaps[place]:
            found.append(missing)
    for j, levels in zip(columns.categorical, columns.levels, strict=True):
        found.extend(X[:, j] == level for level in levels)
    return np.stack([each.astype(np.float32) for each in found or [np.zeros(len(X))]], axis=1)


def drawn(case):
    rng = np.random.default_rng(case)
    rows, columns = 300, int(rng.integers(1, 8))
    X = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-3, 5, size=columns)
    categorical = rng.random(columns) < 0.3
    X[:, categorical] = rng.integers(0, 5, size=(rows, int(categorical.sum())))
    X[rng.random((rows, columns)) < 0.1 * (case % 2)] = np.nan
    X[:, ~categorical & (rng.random(columns) < 0.2)] = 3.0
    return X, NetColumns.of(X, categorical, int(rng.integers(0, 40)))


@pytest.mark.parametrize("case", range(12))
def test_the_core_writes_what_numpy_writes(case):
    X, columns = drawn(case)
    X[:4] = [[-1e308], [1e308], [-0.0], [5e-324]]
    X[4] = X[5] = np.inf
    X[5] *= -1
    expected = plainly(columns, X)
    assert expected.any()
    for given in (X, np.asfortranarray(X), X[::-1][::-1], np.repeat(X, 2, axis=1)[:, ::2]):
        assert columns.transform(given).tobytes() == expected.tobytes()
    for few in (0, 1, 2, 7, 64, 65):
        assert columns.transform(X[:few]).tobytes() == expected[:few].tobytes()


@pytest.mark.parametrize("dtype", ["f4", "i4", "i8", "u1", "?"])
def test_numbers_of_any_width_are_taken_as_they_are(dtype):
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(200, 3)) * 20).round().clip(0, 100).astype(dtype)
    columns = NetColumns.of(X, np.array([False, True, False]), 5)
    assert columns.transform(X).tobytes() == plainly(columns, X).tobytes()


def test_a_column_without_edges_or_levels_has_none():
    columns = NetColumns.of(np.full((9, 2), np.nan), np.array([False, True]), 4)
    assert columns.transform(np.ones((2, 2))).tolist() == [[np.float32(1 / np.sqrt(1 + 1 / 9)), 0.0]] * 2
    nothing = NetColumns.of(np.ones((9, 0)), np.zeros(0, dtype=bool), 4)
    assert nothing.transform(np.ones((2, 0))).tolist() == [[0.0]] * 2


def test_a_copy_that_travelled_writes_the_same():
    X, columns = drawn(3)
    before = columns.transform(X)
    again = deepcopy(columns)
    assert again.transform(X).tobytes() == before.tobytes()


def test_a_matrix_without_its_columns_is_refused():
    _, columns = drawn(3)
    with pytest.raises(ValueError, match="a column number is beyond the matrix"):
        columns.transform(np.zeros((3, 0)))
