"""Small tables with everything that makes tables hard: categories, gaps, rare classes, constant columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Column, Kind, Table, Target, Task


def attributes(rows: int, rng: np.random.Generator, gaps: float = 0.1) -> tuple[NDArray[np.float64], list[Column]]:
    """Three numbers on very different scales, a category, a rare-valued category and a yes or no; with gaps."""
    X = np.empty((rows, 6), order="F")
    X[:, 0] = rng.normal(size=rows)
    X[:, 1] = rng.lognormal(5, 1, size=rows)
    X[:, 2] = rng.integers(0, 3, size=rows)
    X[:, 3] = np.minimum(rng.geometric(0.4, size=rows) - 1, 7)
    X[:, 4] = rng.integers(0, 2, size=rows)
    X[:, 5] = 1e6 + rng.normal(size=rows) * 10
    for j in (1, 3):
        X[rng.random(rows) < gaps, j] = np.nan
    columns = [
        Column("a", Kind.NUMERIC),
        Column("b", Kind.NUMERIC, missing=int(np.isnan(X[:, 1]).sum())),
        Column("colour", Kind.CATEGORICAL, ("blue", "green", "red")),
        Column("town", Kind.CATEGORICAL, tuple("ABCDEFGH"), missing=int(np.isnan(X[:, 3]).sum())),
        Column("member", Kind.BOOLEAN, ("no", "yes")),
        Column("far", Kind.NUMERIC),
    ]
    return X, columns


def signal(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the attributes say about the target, the gaps included."""
    b = np.nan_to_num(np.log(X[:, 1]), nan=7.0) - 5.0
    return np.asarray(1.5 * X[:, 0] + b + (X[:, 2] == 1) - X[:, 4] + 0.05 * (X[:, 5] - 1e6))


def classification(rows: int = 90, classes: int = 3, seed: int = 0, noise: float = 0.8, **fields: Any) -> Table:
    """A table whose classes are cut from the signal and noise."""
    rng = np.random.default_rng(seed)
    X, columns = attributes(rows, rng)
    score = signal(X) + noise * rng.normal(size=rows)
    cuts = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    y = np.searchsorted(cuts, score).astype(np.int32)
    labels = tuple(f"class {c}" for c in range(classes))
    target = Target("y", Task.CLASSIFICATION, y, labels, positive=1 if classes == 2 else None)
    return Table(X, tuple(columns), target, **fields)


def regression(rows: int = 90, seed: int = 0, noise: float = 0.5, **fields: Any) -> Table:
    """The same attributes and a number."""
    rng = np.random.default_rng(seed)
    X, columns = attributes(rows, rng)
    y = 1e3 + 10 * (signal(X) + noise * rng.normal(size=rows))
    return Table(X, tuple(columns), Target("y", Task.REGRESSION, y), **fields)


def plain(X: Any, y: Any, classes: int = 0, **fields: Any) -> Table:
    """A table of numeric columns; class codes when `classes` is given."""
    X = np.asfortranarray(X, dtype=np.float64)
    columns = tuple(Column(f"x{j}", Kind.NUMERIC, missing=int(np.isnan(X[:, j]).sum())) for j in range(X.shape[1]))
    if classes:
        labels = tuple(f"c{k}" for k in range(classes))
        target = Target("y", Task.CLASSIFICATION, np.asarray(y, np.int32), labels, positive=1 if classes == 2 else None)
    else:
        target = Target("y", Task.REGRESSION, np.asarray(y, np.float64))
    return Table(X, columns, target, **fields)


def noise(rows: int, seed: int, columns: int = 3, classes: int = 2) -> Table:
    """Attributes that know nothing of the target."""
    rng = np.random.default_rng(seed)
    return plain(rng.normal(size=(rows, columns)), rng.integers(0, classes, size=rows), classes)


def clouds(rows: int = 200, seed: int = 0) -> Table:
    """Two classes, each a cloud of points."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    return plain(rng.normal(size=(rows, 3)) + 1.5 * y[:, None], y, classes=2)
