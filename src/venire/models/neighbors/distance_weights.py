"""Weights of neighbours by their distance: one over it, or what a function of the user's says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from venire.errors import UsageError
from venire.models.neighbors.search import Floats, Found


def means_by_distance(found: Found, values: Floats, votes: Floats, counts: list[int], out: Floats) -> Floats:
    """Weights 1 / distance. Where rows lie exactly there, they alone are heard, as in scikit-learn.

    Distances are taken relative to the nearest: the ratios of the weights are all that counts, and none overflows.
    """
    exact = found.distances == 0
    there = exact[:, :1]
    nearest = found.distances[:, :1]
    far = np.isinf(nearest)  # not one attribute in common with any row: all are equally far
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(far, 1.0, nearest / found.distances)
    weights = votes * np.where(there, exact, relative)
    totals = np.cumsum(weights, axis=1)
    for c in range(out.shape[2]):
        sums = np.cumsum(weights * values[found.rows, c], axis=1)
        for place, k in enumerate(counts):
            out[place, :, c] = sums[:, k - 1] / totals[:, k - 1]
    return out


def called(function: Callable[[Floats], ArrayLike], distances: Floats) -> Floats:
    """The weights that a function of distances gives, checked."""
    weights = np.asarray(function(distances), dtype=np.float64)
    if weights.shape != distances.shape or not (weights >= 0).all() or np.isinf(weights).any():
        raise UsageError(
            "the function given as weights must return one finite, non-negative number a distance",
            hint="1 / distance is infinite where rows coincide: use weights='distance' for that",
        )
    return weights
