"""How high 1 − F1 may be where a model happens to call many rows positive.

With little to learn, how many rows are called positive hangs on the training rows, and 1 − F1 hangs on that: it is low
where nearly all are called. There leaving out a fold turns few rows, so that one table shows less luck than there is.
On the scale of the normal quantile of the share called the luck is about the same everywhere. So the share is taken
down by what the models without a fold show on that scale, and the figure is computed for it: rows at the line are
positive half of the time, or as seldom as those called are.
"""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from venire.inference.intervals import tail


def highest_f1_loss(
    by_rows: float,
    *,
    hits: float,
    called: float,
    positive: float,
    rows: int,
    without: ArrayLike,
    level: float = 0.95,
) -> float:
    """The upper end of 1 − F1 with the luck of the share called; `by_rows` is the end without it.

    Parameters
    ----------
    by_rows
        The upper end by rows, as if the share called were no luck.
    hits, called, positive
        Rows rightly called positive, called, and actually positive: of all rows, as shares.
    rows
        How many rows there are.
    without
        For each fold, the share called by models trained without it, less that of the models with it, on the same rows.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    float
        The end.

    Examples
    --------
    A coin, of which a model calls four in five; every fold that is left out changes that by a hundredth:

    >>> round(highest_f1_loss(0.42, hits=0.4, called=0.8, positive=0.5, rows=200, without=[0.01, -0.01] * 5), 2)
    0.43
    >>> round(highest_f1_loss(0.42, hits=0.4, called=0.8, positive=0.5, rows=200, without=[0.04, -0.04] * 5), 2)
    0.53
    """
    value = 1 - 2 * hits / (called + positive)
    moved = np.asarray(without, dtype=np.float64)
    folds = len(moved)
    whole = (rows * called + 0.5) / (rows + 1)
    least = 0.5 / (rows + 1)
    place = float(special.ndtri(whole))
    luck = special.ndtri(np.clip(whole + moved, least, 1 - least)) - place
    reach = float(special.stdtrit(folds - 1, 1 - tail(level))) * (folds - 1) / sqrt(folds) * float(luck.std(ddof=1))
    fewer = max((float(special.ndtr(place - reach)) * (rows + 1) - 0.5) / rows, 0.0)
    at_the_line = min((rows * hits + 0.5) / (rows * called + 1), 0.5)
    left = float(np.clip(hits + at_the_line * (fewer - called), 0.0, min(fewer, positive)))
    worse = 1 - 2 * left / (fewer + positive) - value
    return min(value + hypot(max(by_rows - value, 0.0), max(worse, 0.0)), 1.0)
