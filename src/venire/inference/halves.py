"""The conservative z interval (Nadeau and Bengio, 2003): the spread of an estimate between disjoint halves of the rows.

The variance of a cross-validated error has no unbiased estimate from one cross-validation. Two disjoint halves of the
rows give two independent estimates, each from half as many rows; their spread is an honest variance, a little too
large for the estimate from all rows. Hence conservative; and expensive, because each half is validated anew.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from venire.errors import UsageError
from venire.inference.estimates import Estimate
from venire.inference.intervals import Interval, tail


def conservative_z(values: ArrayLike, halves: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The interval of the mean of `values`, with the variance between `halves`.

    The rows are split at random into two disjoint parts, several times, and both parts are validated in the same way:
    the variance is the mean over splits of (first − second)² / 2.

    Parameters
    ----------
    values
        The figures of the estimate itself, one per fold or resample.
    halves
        The estimates from the two parts of each random split, `[split, 2]`.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Estimate
        The mean of `values` and its interval.

    Examples
    --------
    >>> e = conservative_z([0.10, 0.12, 0.08, 0.10], [[0.09, 0.13], [0.12, 0.10], [0.14, 0.09], [0.10, 0.11]])
    >>> round(e.value, 2), round(e.low, 3), round(e.high, 3)
    (0.1, 0.053, 0.147)
    """
    figures = np.asarray(values, dtype=np.float64).ravel()
    figures = figures[~np.isnan(figures)]
    pairs = np.asarray(halves, dtype=np.float64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise UsageError(
            f"the halves have the shape {pairs.shape}",
            hint="give one row a split: the estimate from its first half and from its second",
        )
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    value = float(figures.mean()) if len(figures) else float("nan")
    error = sqrt(float(np.mean(np.square(pairs[:, 0] - pairs[:, 1]))) / 2) if len(pairs) else float("nan")
    reach = float(special.ndtri(1 - tail(level))) * error
    return Estimate(
        value,
        Interval(value - reach, value + reach, level),
        "conservative_z",
        "the expected error of models trained on as many rows as these were",
        f"{len(figures)} figures, and {len(pairs)} splits into halves for their spread",
    )
