"""How the rows of a table were tested: what the figure of one model and the comparison of several start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RowsTested:
    """Rows that were predicted fold by fold, possibly more than once.

    Attributes
    ----------
    rows
        Which row each prediction is about: a row that is predicted in several repeats stays one row, and so do copies
        of one row that are given one number.
    fold_of
        The fold of each prediction; folds of a further repeat have further numbers.
    folds
        How many folds a repeat has.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.
    groups
        Of every row of the table, what it hangs together with; None for independent rows.
    in_order
        Whether every model was trained on earlier rows only.

    Examples
    --------
    Forty rows in five folds, twice:

    >>> at = np.tile(np.arange(40), 2)
    >>> tested = RowsTested(at, at % 5 + np.repeat([0, 5], 40), folds=5, test_over_train=1 / 4)
    >>> len(np.unique(tested.rows)), len(np.unique(tested.fold_of))
    (40, 10)
    """

    rows: Codes
    fold_of: Codes
    folds: int
    test_over_train: float
    groups: Codes | None = None
    in_order: bool = False
