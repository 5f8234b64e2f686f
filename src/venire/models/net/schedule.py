"""How the learning rate of a net changes while it is trained, as multiples of the rate that was asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_WARM_UP = 0.05  # of all steps


def factors(schedule: str, epoch: int, epochs: int, batches: int) -> NDArray[np.float32]:
    """One factor for each batch of an epoch (the first is 0).

    `"cosine"` rises for a twentieth of all steps and falls to 0 along half a wave; `"waves"` is RealMLP's coslog4: four
    waves, each twice as long as the one before, so that a good early stop is at the end of any of them.

    >>> factors("constant", 0, 1, 2).tolist()
    [1.0, 1.0]
    >>> factors("cosine", 0, 1, 4).astype(float).round(2).tolist()
    [0.98, 0.74, 0.34, 0.04]
    """
    done = (np.arange(epoch * batches, (epoch + 1) * batches) + 0.5) / (epochs * batches)
    if schedule == "constant":
        return np.ones(batches, dtype=np.float32)
    if schedule == "waves":
        return (0.5 - 0.5 * np.cos(2 * np.pi * np.log2(1 + 15 * done))).astype(np.float32)
    rising = np.minimum(1.0, done / _WARM_UP)
    falling = 0.5 + 0.5 * np.cos(np.pi * np.clip((done - _WARM_UP) / (1 - _WARM_UP), 0.0, 1.0))
    return np.minimum(rising, falling).astype(np.float32)
