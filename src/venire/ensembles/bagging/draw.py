"""Which rows and columns a member of a bag gets: a pure function of its seed, so nothing has to be kept."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MOST_SEED = 2**31 - 1


def sample_size(wish: float | None, rows: int) -> int:
    """How many rows `max_samples` asks for: a number, a share, or None for as many as there are.

    >>> sample_size(None, 50), sample_size(7, 50), sample_size(0.5, 50)
    (50, 7, 25)
    """
    if wish is None:
        return rows
    return int(wish) if isinstance(wish, Integral) else max(1, round(wish * rows))


@dataclass(frozen=True, eq=False, slots=True)
class Draw:
    """How the rows and columns of a member follow from its seed."""

    rows: int
    columns: int
    sample: int
    features: int
    replace: bool
    replace_features: bool
    shares: Floats | None = None  # the chance of each row; None when all are equal

    def rows_of(self, seed: int) -> Rows:
        """The rows of a member, in rising order; a row drawn twice is there twice."""
        rng = np.random.default_rng([seed, 0])
        if not self.replace:
            drawn = rng.permutation(self.rows)[: self.sample]
        elif self.shares is None:
            drawn = rng.integers(0, self.rows, self.sample)
        else:
            drawn = rng.choice(self.rows, self.sample, p=self.shares)
        return np.sort(drawn)

    def left_out_by(self, seed: int) -> Rows:
        """The rows a member has not seen."""
        return np.flatnonzero(np.bincount(self.rows_of(seed), minlength=self.rows) == 0)

    def columns_of(self, seed: int) -> Rows | None:
        """The columns of a member; None when it gets all of them as they are."""
        if self.features == self.columns and not self.replace_features:
            return None
        rng = np.random.default_rng([seed, 1])
        if self.replace_features:
            return np.sort(rng.integers(0, self.columns, self.features))
        return np.sort(rng.permutation(self.columns)[: self.features])
