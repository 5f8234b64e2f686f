"""Weights of a blend: members picked one after the other, again and again, so that their average loses least.

This is greedy selection with replacement (`greedy`) by losses that are quick to follow. Of classes it looks at the
probabilities of what came true, and takes one logarithm of the product of several: a probability is at least `FLOOR`,
so no product leaves the range of a double. Of numbers it looks at the residuals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.combine.greedy import GreedyPath, greedy_path

Floats = NDArray[np.float64]

STEPS = 40  # so the least weight is a fortieth
FLOOR = 1e-7  # of a probability: one 0 for what came true would rule a member out
_TOGETHER = 32  # rows whose probabilities are multiplied before a logarithm is taken


def true_shares(members: NDArray[Any], y: NDArray[Any]) -> Floats:
    """What the members, `[member, row, class]`, gave to the class that came true: `[member, row]`.

    >>> true_shares(np.array([[[0.9, 0.1], [1.0, 0.0]]]), np.array([0, 1]))
    array([[9.e-01, 1.e-07]])
    """
    return np.maximum(np.asarray(members[:, np.arange(len(y)), y], dtype=np.float64), FLOOR)


def blend_of_shares(shares: Floats, steps: int = STEPS) -> Floats:
    """Weights by the log loss, from what each member gave to the class that came true, `[member, row]`.

    >>> blend_of_shares(np.array([[0.9, 0.1, 0.9, 0.1], [0.1, 0.9, 0.1, 0.9], [0.2, 0.2, 0.2, 0.2]]))
    array([0.5, 0.5, 0. ])
    """
    members, rows = shares.shape
    grouped = np.ones((members, -(-rows // _TOGETHER), _TOGETHER))
    grouped.reshape(members, -1)[:, :rows] = shares
    return greedy_path(grouped, lambda tried: -np.log(tried.prod(axis=2)).sum(axis=1), steps).weights


def blend_of_gram(gram: Floats, steps: int = STEPS) -> Floats:
    """Weights by the squared error, from the Gram matrix of the members' residuals (see `stack.residual_gram`).

    >>> blend_of_gram(np.array([[1.0, 0.0], [0.0, 3.0]]), steps=4)
    array([0.75, 0.25])
    """
    own = np.diagonal(gram)
    with_total, of_total = np.zeros(len(gram)), 0.0
    picks: list[int] = []
    reached: list[float] = []
    for step in range(1, steps + 1):
        tried = of_total + 2.0 * with_total + own
        best = int(np.argmin(tried))
        of_total = float(tried[best])
        with_total = with_total + gram[best]
        picks.append(best)
        reached.append(of_total / step**2)
    return GreedyPath(tuple(picks), tuple(reached), len(gram)).weights


def blend_of_residuals(residuals: Floats, steps: int = STEPS) -> Floats:
    """Weights by the absolute error, from the members' residuals, `[member, row]`.

    >>> blend_of_residuals(np.array([[1.0, -1.0], [-1.0, 1.0], [3.0, 3.0]]))
    array([0.5, 0.5, 0. ])
    """
    return greedy_path(residuals[:, :, None], lambda tried: np.abs(tried).sum(axis=(1, 2)), steps).weights
