"""The textbook's measures of a split, as plain functions of a column and a target.

The compiled core computes the same numbers from histograms; these are for looking and for checking by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError


def impurity(y: ArrayLike, criterion: str = "entropy", *, weights: ArrayLike | None = None) -> float:
    """How mixed the values of `y` are: `entropy` (bits), `gini`, `error`, `variance` or `absolute`.

    >>> round(impurity(["yes"] * 9 + ["no"] * 5), 3)
    0.94
    >>> impurity([1.0, 3.0], "variance")
    1.0
    """
    values = np.asarray(y)
    w = np.ones(values.size) if weights is None else np.asarray(weights, dtype=float)
    if criterion in ("variance", "absolute"):
        return _spread(values.astype(float), w, criterion)
    _, codes = np.unique(values, return_inverse=True)
    shares = np.bincount(codes, weights=w) / w.sum()
    if criterion in ("entropy", "gain_ratio"):
        return _bits(shares)
    if criterion == "gini":
        return float(1 - np.sum(shares**2))
    if criterion == "error":
        return float(1 - shares.max())
    raise UsageError(f"unknown criterion {criterion!r}", hint="entropy, gain_ratio, gini, error, variance or absolute")


def gain(x: ArrayLike, y: ArrayLike, criterion: str = "entropy") -> float:
    """The decrease of impurity when the rows are parted by the values of `x`, one part a value.

    >>> round(gain(["a", "a", "b", "b"], [0, 0, 1, 1]), 3)
    1.0
    """
    parts, target = _codes(x), np.asarray(y)
    inside = sum((parts == p).mean() * impurity(target[parts == p], criterion) for p in np.unique(parts))
    return float(impurity(target, criterion) - inside)


def split_information(x: ArrayLike) -> float:
    """The information in the sizes of the parts alone: the entropy of `x`."""
    return _bits(np.bincount(_codes(x)) / np.size(x))


def gain_ratio(x: ArrayLike, y: ArrayLike) -> float:
    """Information gain divided by split information; 0 when `x` has a single value."""
    information = split_information(x)
    return gain(x, y) / information if information > 0 else 0.0


def midpoints(values: ArrayLike) -> NDArray[np.float64]:
    """The cuts a tree considers for a numeric column: halfway between neighbouring distinct values.

    >>> midpoints([15, 18, 21, 22]).tolist()
    [16.5, 19.5, 21.5]
    """
    distinct = np.unique(np.asarray(values, dtype=float))
    return np.asarray((distinct[:-1] + distinct[1:]) / 2)


def _bits(shares: NDArray[np.float64]) -> float:
    positive = shares[shares > 0]
    return float(-np.sum(positive * np.log2(positive)))


def _codes(x: ArrayLike) -> NDArray[Any]:
    return np.asarray(np.unique(np.asarray(x), return_inverse=True)[1])


def _spread(values: NDArray[np.float64], weights: NDArray[np.float64], criterion: str) -> float:
    if criterion == "variance":
        mean = np.average(values, weights=weights)
        return float(np.average((values - mean) ** 2, weights=weights))
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    middle = values[order][np.searchsorted(reached, reached[-1] / 2)]
    return float(np.average(np.abs(values - middle), weights=weights))
