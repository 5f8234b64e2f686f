"""Rows drawn at random for learners whose time or memory grows faster than the rows: the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.models.tree.growth import draw_seed


def drawn_rows(rows: int, most: int | None, random_state: Any) -> NDArray[np.intp]:
    """The places of at most so many of the rows, ascending; all of them, and nothing is drawn, where they are no more.

    >>> drawn_rows(10, 4, 0).tolist(), drawn_rows(3, 4, 0).tolist(), drawn_rows(3, None, 0).tolist()
    ([1, 3, 4, 7], [0, 1, 2], [0, 1, 2])
    """
    if most is None or rows <= most:
        return np.arange(rows)
    rng = np.random.default_rng(draw_seed(random_state))
    return np.sort(rng.permutation(rows)[:most])
