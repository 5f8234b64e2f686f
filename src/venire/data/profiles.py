"""How the values of a column are spread, in a dozen numbers: enough to see later whether other rows are like these."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from venire.data.ranges import equal_frequency_edges

RANGES = 10


def profile(values: NDArray[np.float64], categories: int = 0) -> tuple[list[float], list[int]]:
    """The inner edges of about ten ranges with as many values each, and how many values lie in each.

    Codes of so many categories need no edges. What is missing is not counted.

    >>> profile(np.arange(20.0))[1]
    [2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    >>> profile(np.array([0.0, 1.0, 1.0, np.nan]), categories=3)
    ([], [1, 2, 0])
    """
    edges = [] if categories else equal_frequency_edges(values, RANGES).tolist()
    return edges, counted(values, edges, categories).tolist()


def counted(values: NDArray[np.float64], edges: Sequence[float], categories: int = 0) -> NDArray[np.int64]:
    """How many values lie in each range, or have each code; a range holds its upper edge."""
    there = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    places = there.astype(np.intp) if categories else np.searchsorted(edges, there, side="left")
    return np.bincount(places, minlength=categories or len(edges) + 1).astype(np.int64)
