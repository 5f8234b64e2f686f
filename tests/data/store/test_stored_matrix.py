from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from venire.data.store import column, column_writer
from venire.data.store.stored_matrix import StoredMatrix, numbers_by_rows


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[np.ndarray, StoredMatrix]:
    """A matrix in memory and in files, in stretches of seven rows."""
    for module in (column, column_writer):
        monkeypatch.setattr(module, "STRETCH", 7)
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(45, 4)))
    X[:, 1] = X[:, 1].astype(np.float32)
    X[:, 2] = rng.integers(0, 255, 45)
    X[rng.random(X.shape) < 0.1] = np.nan
    writer = column_writer.ColumnWriter(tmp_path, 45)
    for values in X.T:
        writer.append(values)
    return X, writer.values()


@pytest.mark.parametrize(
    "key",
    [
        np.array([3, 3, 40, 44]),
        np.array([40, 0, -1, 7]),
        np.arange(45) % 3 == 0,
        slice(5, 30),
        slice(None, None, 4),
        slice(30, 5),
        np.empty(0, dtype=np.intp),
        11,
    ],
)
def test_rows_and_columns_are_those_of_an_array(pair: tuple[np.ndarray, StoredMatrix], key: object) -> None:
    X, stored = pair
    assert np.array_equal(stored[key], X[key], equal_nan=True)  # type: ignore[index]  # any key
    for columns in (2, slice(1, 3), slice(None)):
        assert np.array_equal(stored[key, columns], X[key, columns], equal_nan=True)  # type: ignore[index]  # any key


def test_the_whole_is_the_same(pair: tuple[np.ndarray, StoredMatrix]) -> None:
    X, stored = pair
    assert (stored.shape, stored.size, len(stored), stored.ndim) == (X.shape, X.size, len(X), 2)
    assert np.array_equal(np.asarray(stored), X, equal_nan=True)
    assert np.array_equal(np.stack([values[:] for values in stored.T], axis=1), X, equal_nan=True)
    for columns in (np.array([3, 0]), np.array([True, False, True, False])):
        assert np.array_equal(stored[:, columns], X[:, columns], equal_nan=True)
    assert np.array_equal(stored.without(1)[:], np.delete(X, 1, axis=1), equal_nan=True)
    rows = np.array([9, 2, 30])
    assert np.array_equal(stored.by_columns(rows), X.T[:, rows], equal_nan=True)


def test_a_walk_over_rows_by_accident_is_refused(pair: tuple[np.ndarray, StoredMatrix]) -> None:
    with pytest.raises(TypeError, match=r"not gone through row by row"):
        iter(pair[1])


def test_numbers_by_rows(pair: tuple[np.ndarray, StoredMatrix]) -> None:
    X, stored = pair
    rows = np.arange(3, 40)
    for part, numbers in numbers_by_rows(stored, rows, 10):
        assert np.array_equal(numbers, X[rows[part]], equal_nan=True)
