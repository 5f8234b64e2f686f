"""Ranks of numbers, of equal ones the mean. scipy.stats has them, too, but to import it takes longer than to rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def mean_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Ranks from 1 on, equal numbers sharing the mean of theirs; of several lines each by itself.

    >>> mean_ranks(np.array([0.3, 0.1, 0.3, 0.2])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    if values.ndim > 1:
        return np.stack([mean_ranks(line) for line in values]) if len(values) else np.zeros(values.shape)
    ranks = np.empty(len(values))
    if len(values):
        order = values.argsort(kind="stable")
        ascending = values[order]
        firsts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
        ends = np.append(firsts[1:], len(values))
        ranks[order] = np.repeat((firsts + ends + 1) / 2, ends - firsts)
    return ranks
