"""Integrals over the unit interval, by Gauss and Legendre."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special


@cache
def unit_nodes(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes in (0, 1) and their weights, which add up to one. Only made when asked for.

    >>> nodes, weights = unit_nodes(5)
    >>> round(float(weights @ nodes**4), 12)
    0.2
    """
    nodes, weights = special.roots_legendre(count)
    return (nodes + 1) / 2, weights / 2
