"""A table with all the kinds of columns that naive Bayes knows."""

from __future__ import annotations

import numpy as np

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
