"""Some rows of many, at equal distances: what is measured or drawn of a table too long to be taken whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def spaced_rows(rows: int, most: int) -> NDArray[np.intp]:
    """At most so many of the numbers of rows, rising, from the first to the last.

    >>> spaced_rows(10, 4)
    array([0, 3, 6, 9])
    >>> spaced_rows(3, 100)
    array([0, 1, 2])
    """
    return np.unique(np.linspace(0, rows - 1, min(rows, most)).round().astype(np.intp))
