"""Voting: the plain average of what the members say of each class, or of their values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def average(members: NDArray[Any], weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """The (weighted) mean over members.

    Parameters
    ----------
    members
        `[member, row, output]`.
    weights
        One per member; equal by default.

    Returns
    -------
    ndarray
        `[row, output]`.

    Examples
    --------
    >>> average(np.array([[[0.9, 0.1]], [[0.5, 0.5]]])).round(2)
    array([[0.7, 0.3]])
    """
    count = len(members)
    shares = np.full(count, 1.0 / count) if weights is None else weights
    total = np.zeros(members.shape[1:])
    for share, member in zip(shares, members, strict=True):  # in order: the same sum whatever the machine
        if share > 0:
            total += share * member
    return total
