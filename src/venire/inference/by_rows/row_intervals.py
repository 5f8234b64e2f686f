"""The interval of a figure of all held-out rows, from how much each row has to do with it.

Rare large losses are absent from many tables. Then the figure and the spread of its rows are small together, and an
interval made of the two alone misses the truth on the side that hurts. So the rows seen are joined by what might have
been: half a row of the best kind and half a row of the worst kind there is. For an error rate that is Jeffreys' prior,
and the result is the Beta posterior of its counts. For any other loss it is the same posterior with the rows' own
spread: mean and variance of a mean under random weights of the rows (the Bayesian bootstrap), as a Beta distribution
between the bounds of the loss, or an inverse gamma distribution (the posterior of a
variance) where it has no upper one.

Rows that hang together (groups, neighbours in time) count as fewer: by the design effect, and once more for how badly
that is known (see `clusters`). Models whose training rows overlap make the figure less sure than independent
rows would: `overlap` is by how much its variance grows. What training sets share is added to what groups share.

A figure that is made of shares of rows (balanced error: of each class; F1: of the rows that are positive or called so)
has the Beta posteriors of these shares: ten rows of a class that are all wrong do not show a rate of one.
"""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from venire.errors import UsageError
from venire.inference.clusters import freedom
from venire.inference.intervals import Interval, tail
from venire.metrics.all_rows import Rates

Floats = NDArray[np.float64]

_FEWEST = 3.0  # degrees of freedom of the spread of rows, however few make most of it


def row_interval(
    value: float,
    influence: ArrayLike,
    *,
    counted: float | None = None,
    unseen: tuple[float, float] = (0.0, 1.0),
    bounds: tuple[float, float] = (0.0, 1.0),
    overlap: float = 1.0,
    groups: ArrayLike | None = None,
    rates: Rates | None = None,
    twice: float = 0.0,
    level: float = 0.95,
) -> Interval:
    """The interval of a figure of rows, such as a mean loss, a share of pairs, or a ratio of two sums.

    Parameters
    ----------
    value
        The figure.
    influence
        Of every row on it: of a mean, the row's loss less the mean.
    counted
        How many rows the figure is a share of, if not all: those of the rarest class for an AUC.
    unseen
        The loss of the best and of the worst row there might be; half a row of each is allowed for.
    bounds
        The figure lies between them; the upper one may be infinite.
    overlap
        By how much the variance is larger than that of one fixed model on independent rows.
    groups
        The group of each row, where rows hang together.
    rates
        The shares of rows that the figure is made of, if it is.
    twice
        The share of the influences' squares that is there twice, because a pair of rows counts for both.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Interval
        Of the figure.

    Examples
    --------
    Of 200 rows 20 are wrong, counted as 95 rows of one model: the Beta posterior of an error rate.

    >>> wrong = np.repeat([1.0, 0.0], [20, 180])
    >>> found = row_interval(0.1, wrong - 0.1, overlap=1 + 10 / 9)
    >>> round(found.low, 3), round(found.high, 3)
    (0.052, 0.172)

    Squared residuals have no bound above; the largest seen was 9, and twice that is allowed for. They are few, so the
    spread is known badly:

    >>> squares = np.square(np.linspace(-3, 3, 50))
    >>> mean = squares.mean()
    >>> found = row_interval(mean, squares - mean, unseen=(mean, 18.0), bounds=(0.0, np.inf))
    >>> round(found.low, 1), round(found.high, 1)
    (2.4, 4.2)
    """
    moved = np.asarray(influence, dtype=np.float64)
    if not overlap >= 1:
        raise UsageError(f"overlapping training sets make a figure less sure, never more: overlap is {overlap}")
    rows = len(moved)
    share = float(rows if counted is None else counted)
    if isnan(value) or share < 2 or not bounds[0] < bounds[1]:
        return Interval(nan, nan, level)
    variance = (1 - twice) * share * float(np.square(moved).sum()) / rows**2  # of one of the rows counted
    as_one = overlap - 1 + (hanging_together(moved, groups, level) - twice) / (1 - twice)
    if rates is not None:
        low, high = _of_rates(rates, as_one, tail(level))
        return Interval(float(min(low, value)), float(max(high, value)), level)
    effective = share / as_one
    mean, spread = _with_unseen(value, variance, effective, unseen)
    if bounds[1] < inf:
        low, high = _ends(mean, spread, bounds, tail(level))
    else:
        # A few large losses make most of the spread, which is then known badly; and what was not seen is only above.
        doubt = 1.0 if groups is not None else badly_known(np.square(moved), level, least=_FEWEST)
        low, _ = _ends(value, doubt * variance / effective, bounds, tail(level))
        _, high = _ends(mean, doubt * spread, bounds, tail(level))
    return Interval(float(min(low, value)), float(max(high, value)), level)


def _of_rates(rates: Rates, as_one: float, below: float) -> tuple[float, float]:
    """The ends of a mean of shares with Jeffreys' prior each, or of an F1, with so many rows counted as one."""
    wrong, right = (np.asarray(counts) / as_one + 0.5 for counts in (rates.wrong, rates.right))
    if rates.hits_twice:
        low, high = (float(special.betaincinv(wrong[0], right[0], at)) for at in (below, 1 - below))
        return low / (2 - low), high / (2 - high)
    every = wrong + right
    spread = float(np.sum(wrong * right / np.square(every) / (every + 1))) / len(every) ** 2
    return _ends(float(np.mean(wrong / every)), spread, (0.0, 1.0), below)


def _with_unseen(value: float, variance: float, rows: float, unseen: tuple[float, float]) -> tuple[float, float]:
    """Mean and variance of the figure under random weights of the rows, half a row of either kind among them."""
    best, worst = unseen
    mean = (rows * value + 0.5 * best + 0.5 * worst) / (rows + 1)
    within = rows * (variance + (value - mean) ** 2) + 0.5 * (best - mean) ** 2 + 0.5 * (worst - mean) ** 2
    return mean, within / (rows + 1) / (rows + 2)


def hanging_together(moved: Floats, groups: ArrayLike | None, level: float) -> float:
    """How many rows count as one, where they come in groups: never fewer than one."""
    if groups is None:
        return 1.0
    members = np.asarray(np.unique(np.asarray(groups), return_inverse=True)[1], dtype=np.intp)
    count, rows = int(members.max()) + 1, len(moved)
    if count == rows:
        return 1.0
    squares = np.square(np.bincount(members, moved))
    if count < 2 or not squares.any():  # the rows say nothing of how they hang together: a group counts as a row
        return rows / count
    design = max(1.0, count / (count - 1) * float(squares.sum()) / float(np.square(moved).sum()))
    return design * badly_known(squares, level)


def badly_known(squares: Floats, level: float, least: float = 1.0) -> float:
    """By how much a variance, the mean of these squares, has to grow because a few of them make most of it."""
    below = tail(level)
    return float(special.stdtrit(max(least, freedom(squares)), below) / special.ndtri(below)) ** 2


def _ends(mean: float, spread: float, bounds: tuple[float, float], below: float) -> tuple[float, float]:
    """The quantiles of the Beta or inverse gamma distribution with this mean and variance."""
    least, most = bounds
    if spread <= 0 or mean <= least or mean >= most:
        return mean, mean
    above = mean - least
    if most == inf:
        shape = above**2 / spread + 2
        low, high = (above * (shape - 1) / float(special.gammaincinv(shape, at)) for at in (1 - below, below))
        return least + low, least + high
    reach = most - least
    middle = above / reach
    # A Beta distribution has no larger variance than that of all or nothing.
    strength = max(middle * (1 - middle) * reach**2 / spread - 1, 1e-3)
    low, high = (float(special.betaincinv(middle * strength, (1 - middle) * strength, at)) for at in (below, 1 - below))
    return least + reach * low, least + reach * high
