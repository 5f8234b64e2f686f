"""Pairwise coupling: class probabilities from those of all pairs (Wu, Lin and Weng, 2004, second method)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CERTAIN = 1e-7  # a pair is never quite certain, or the equations would not determine the answer
BATCH = 1 << 22  # matrix entries solved at once: 32 MB


def couple(pairs: Floats, classes: int) -> Floats:
    """Class probabilities [row, class] from `pairs` [row, pair]: the probability of j against i for all i < j.

    They minimise Σ (r_ji p_i − r_ij p_j)² over all pairs, with Σ p = 1, where r_ij is the probability of i against j.
    The answer is the truth when the pairs agree:

    >>> p = np.array([0.5, 0.3, 0.2])
    >>> pairs = [[p[1] / (p[0] + p[1]), p[2] / (p[0] + p[2]), p[2] / (p[1] + p[2])]]
    >>> couple(np.array(pairs), 3).round(6)
    array([[0.5, 0.3, 0.2]])
    """
    size = max(1, BATCH // (classes + 1) ** 2)
    parts = [_coupled(pairs[start : start + size], classes) for start in range(0, len(pairs), size)]
    return np.concatenate(parts) if parts else np.zeros((0, classes))


def _coupled(pairs: Floats, classes: int) -> Floats:
    rows = len(pairs)
    first, second = np.triu_indices(classes, k=1)
    sure = np.clip(pairs, CERTAIN, 1 - CERTAIN)
    against = np.zeros((rows, classes, classes))  # r_ij
    against[:, second, first] = sure
    against[:, first, second] = 1 - sure
    system = np.ones((rows, classes + 1, classes + 1))
    system[:, -1, -1] = 0.0
    inner = system[:, :-1, :-1]
    inner[...] = -against * against.transpose(0, 2, 1)
    inner[:, np.arange(classes), np.arange(classes)] = np.square(against).sum(axis=1)
    right = np.zeros((rows, classes + 1, 1))
    right[:, -1] = 1.0
    shares = np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0.0)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
