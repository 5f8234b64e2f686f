"""Greedy selection of members with replacement, on held-out predictions (Caruana and others, 2004).

Starting from nothing, each step adds the member that makes the average of all picks so far best; a member may be picked
again, so the counts are weights. The path is followed for a fixed number of steps and the best point on it is kept:
a step that makes things worse may open the way to a better one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GreedyPath:
    """Which member each step picked, and the loss of the average after it."""

    picks: tuple[int, ...]
    losses: tuple[float, ...]
    members: int

    @property
    def steps(self) -> int:
        """How many picks the best point of the path has; the shorter of equals."""
        return int(np.argmin(self.losses)) + 1

    @property
    def weights(self) -> Floats:
        """The share of each member among the picks up to the best point."""
        counts = np.bincount(self.picks[: self.steps], minlength=self.members)
        return np.asarray(counts / self.steps, dtype=np.float64)


def greedy_path(members: Floats, losses: Callable[[Floats], Floats], steps: int) -> GreedyPath:
    """Follow the path on `members` [member, row, output]; `losses` maps [candidate, row, output] to one loss each.

    >>> predicted, truth = np.array([[[4.0], [2.0]], [[3.0], [7.0]], [[9.0], [9.0]]]), np.array([[4.0], [4.0]])
    >>> path = greedy_path(predicted, lambda tried: np.square(tried - truth).sum(axis=(1, 2)), steps=4)
    >>> path.picks, path.steps, path.weights.round(2)
    ((0, 1, 0, 1), 3, array([0.67, 0.33, 0.  ]))
    """
    total = np.zeros(members.shape[1:])
    picks: list[int] = []
    reached: list[float] = []
    for step in range(1, steps + 1):
        found = np.asarray(losses((total + members) / step), dtype=np.float64)
        best = int(np.nanargmin(found))
        picks.append(best)
        reached.append(float(found[best]))
        total = total + members[best]
    return GreedyPath(tuple(picks), tuple(reached), len(members))
