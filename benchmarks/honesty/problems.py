"""Problems whose truth can be computed: any number of rows can be drawn, so the error on fresh rows is known.

Each gives (X, y) with classes 0 and 1, rows independent. `rare` has one positive in ten; `noise` has nothing to learn,
so every procedure errs on half of the rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from venire.data import generators
from venire.data.table import Column, Kind, Table, Target, Task

Rows = tuple[NDArray[np.float64], NDArray[np.int32]]


def linear(n: int, rng: np.random.Generator) -> Rows:
    """Five attributes, a straight boundary blurred by noise."""
    X = rng.standard_normal((n, 5))
    return X, (X @ [1.0, 1.0, 0.5, 0.0, 0.0] + rng.standard_normal(n) > 0).astype(np.int32)


def chi_square(n: int, rng: np.random.Generator) -> Rows:
    """The ten-dimensional problem of the book: a sphere inside a shell."""
    X, y = generators.chi_square(n, rng)
    return X, (y > 0).astype(np.int32)


def banana(n: int, rng: np.random.Generator) -> Rows:
    """Two crescents."""
    return generators.banana(n, rng, noise=1.5)


def rare(n: int, rng: np.random.Generator) -> Rows:
    """One row in ten belongs to a cloud of its own, which overlaps the other."""
    y = (rng.random(n) < 0.1).astype(np.int32)
    return rng.standard_normal((n, 4)) + 1.2 * y[:, None] * [1.0, 1.0, 0.0, 0.0], y


def noise(n: int, rng: np.random.Generator) -> Rows:
    """Attributes that say nothing about a fair coin."""
    return rng.standard_normal((n, 5)), rng.integers(0, 2, n, dtype=np.int32)


PROBLEMS: dict[str, Callable[[int, np.random.Generator], Rows]] = {
    "linear": linear,
    "chi_square": chi_square,
    "banana": banana,
    "rare": rare,
    "noise": noise,
}


def draw(problem: str, n: int, rng: np.random.Generator) -> Rows:
    """Rows of a problem. A table with a single class is refused by venire, so such a draw is thrown away."""
    while True:
        X, y = PROBLEMS[problem](n, rng)
        if y.min() != y.max():
            return X, y


def as_table(X: NDArray[np.float64], y: NDArray[np.int32]) -> Table:
    """The rows as venire holds them."""
    columns = tuple(Column(f"x{j}", Kind.NUMERIC) for j in range(X.shape[1]))
    return Table(np.asfortranarray(X), columns, Target("y", Task.CLASSIFICATION, y, (0, 1), 1))


def erring_groups(
    rng: np.random.Generator, *, groups: int, error: float, alike: float
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Which rows of a test part are wrong, and the group of each: groups of 5 to 20 rows whose error rates differ.

    `alike` is the correlation of two rows of a group.
    """
    rates = np.full(groups, error)
    if alike:
        strength = 1 / alike - 1
        rates = rng.beta(error * strength, (1 - error) * strength, groups)
    group = np.repeat(np.arange(groups), rng.integers(5, 21, groups))
    return rng.random(len(group)) < rates[group], group
