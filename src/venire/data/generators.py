"""Small problems with a known truth: each takes the number of rows and a generator, and returns (X, y).

Rows are drawn independently. Classes are 0, 1, …, except in `chi_square`, whose classes are −1 and 1 as in the book.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError

Floats = NDArray[np.float64]
Classes = NDArray[np.int32]

CHI_SQUARE_MEDIAN = 9.34  # of the chi-square distribution with ten degrees of freedom, as the book rounds it


def banana(n: int, rng: np.random.Generator, noise: float = 1.0) -> tuple[Floats, Classes]:
    """Two crescents that hook into each other, each an arc of radius 5 blurred by Gaussian noise.

    >>> X, y = banana(100, np.random.default_rng(0))
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 2), [0, 1])
    """
    y = _labels(n, rng, 2)
    turn = rng.uniform(0, 1.25 * np.pi, n)
    angle = np.where(y == 0, 0.125 * np.pi + turn, 0.375 * np.pi - turn)
    arc = 5.0 * np.column_stack([np.sin(angle), np.cos(angle)])
    return arc - 3.75 * (y == 1)[:, None] + noise * rng.standard_normal((n, 2)), y


def circles(n: int, rng: np.random.Generator, noise: float = 0.1) -> tuple[Floats, Classes]:
    """A ring of radius ½ (class 1) inside a ring of radius 1 (class 0)."""
    y = _labels(n, rng, 2)
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = np.where(y == 1, 0.5, 1.0)[:, None]
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return ring + noise * rng.standard_normal((n, 2)), y


def gaussian_clouds(
    n: int, rng: np.random.Generator, classes: int = 3, distance: float = 3.0
) -> tuple[Floats, Classes]:
    """Round clouds of unit variance around points spaced evenly on a circle, neighbours `distance` apart.

    The clouds overlap: for two classes the best error any model can reach is Φ(−distance / 2).
    """
    if classes < 2:
        raise UsageError(f"clouds need at least two classes, and {classes} were asked for")
    y = _labels(n, rng, classes)
    angle = 2 * np.pi * y / classes
    radius = distance / (2 * np.sin(np.pi / classes))
    centre = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return centre + rng.standard_normal((n, 2)), y


def linear_sinusoid(n: int, rng: np.random.Generator, noise: float = 0.2) -> tuple[Floats, Floats]:
    """A line with a wave on it, y = x + 2 sin(1.5 x) + N(0, noise) for x in [0, 10]; `noise` is a standard deviation.

    >>> X, y = linear_sinusoid(20, np.random.default_rng(0), noise=0.0)
    >>> bool(np.allclose(y, linear_sinusoid_truth(X[:, 0])))
    True
    """
    x = rng.uniform(0, 10, _rows(n))
    return x[:, None], linear_sinusoid_truth(x) + noise * rng.standard_normal(n)


def linear_sinusoid_truth(x: Floats) -> Floats:
    """The noiseless value of `linear_sinusoid`, which bias is measured against."""
    return np.asarray(x + 2 * np.sin(1.5 * x))


def chi_square(n: int, rng: np.random.Generator) -> tuple[Floats, Classes]:
    """Ten standard normal attributes; class 1 when their squares sum to more than 9.34, else −1.

    The problem of *The Elements of Statistical Learning*, §10.1: the classes are equally likely, and no single
    attribute tells much.
    """
    X = rng.standard_normal((_rows(n), 10))
    return X, np.where(np.square(X).sum(axis=1) > CHI_SQUARE_MEDIAN, 1, -1).astype(np.int32)


def _labels(n: int, rng: np.random.Generator, classes: int) -> Classes:
    return rng.integers(0, classes, _rows(n), dtype=np.int32)


def _rows(n: int) -> int:
    if n < 1:
        raise UsageError(f"at least one row has to be generated, and {n} were asked for")
    return n
