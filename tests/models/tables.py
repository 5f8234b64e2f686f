"""Generated tables that the tests of several modules look at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MIXED = {"categorical_features": [2, 3], "count_features": [4, 5]}


def mixed(rows: int = 300, classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two numeric columns, two of codes, two of counts, all with gaps."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    numbers = rng.normal(y[:, None], 1 + y[:, None], (rows, 2))
    codes = (rng.random((rows, 2)) * (3 + y[:, None])).astype(int)
    counts = rng.poisson(1 + y[:, None], (rows, 2))
    X = np.hstack([numbers, codes, counts]).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def table(rows: int = 300, columns: int = 5, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Three classes of numeric columns, with some noise; the last column says nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)).astype(np.float32).astype(np.float64)
    y = (x[:, 0] + x[:, 1] * x[:, 2] + 0.5 * rng.normal(size=rows) > 0).astype(int) + (x[:, 3] > 1)
    return x, y
