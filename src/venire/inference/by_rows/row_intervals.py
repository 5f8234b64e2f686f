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
rows would: `overlap` is by how much its variance grows.
"""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from venire.errors import UsageError
from venire.inference.clusters import freedom
from venire.inference.intervals import Interval, tail

Floats = NDArray[np.float64]

_FEWEST = 3.0  # degrees of freedom of the spread of rows, however few make most of it
_AT_LEAST = 0.2  # of the usual correction for overlapping training sets


def row_interval(
    value: float,
    influence: ArrayLike,
    *,
    counted: float | None = None,
    unseen: tuple[float, float] = (0.0, 1.0),
    bounds: tuple[float, float] = (0.0, 1.0),
    overlap: float = 1.0,
    groups: ArrayLike | None = None,
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
    variance = share * float(np.square(moved).sum()) / rows**2  # of one of the rows counted
    effective = share / overlap / _hanging_together(moved, groups, level)
    mean, spread = _with_unseen(value, variance, effective, unseen)
    if bounds[1] < inf:
        low, high = _ends(mean, spread, bounds, tail(level))
    else:
        # A few large losses make most of the spread, which is then known badly; and what was not seen is only above.
        doubt = 1.0 if groups is not None else _badly_known(np.square(moved), level, least=_FEWEST)
        low, _ = _ends(value, doubt * variance / effective, bounds, tail(level))
        _, high = _ends(mean, doubt * spread, bounds, tail(level))
    return Interval(float(min(low, value)), float(max(high, value)), level)


def _with_unseen(value: float, variance: float, rows: float, unseen: tuple[float, float]) -> tuple[float, float]:
    """Mean and variance of the figure under random weights of the rows, half a row of either kind among them."""
    best, worst = unseen
    mean = (rows * value + 0.5 * best + 0.5 * worst) / (rows + 1)
    within = rows * (variance + (value - mean) ** 2) + 0.5 * (best - mean) ** 2 + 0.5 * (worst - mean) ** 2
    return mean, within / (rows + 1) / (rows + 2)


def _hanging_together(moved: Floats, groups: ArrayLike | None, level: float) -> float:
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
    return design * _badly_known(squares, level)


def _badly_known(squares: Floats, level: float, least: float = 1.0) -> float:
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


def training_overlap(
    influence: ArrayLike, fold_of: ArrayLike, shifts: ArrayLike, noise: ArrayLike, *, usual: float, most: float
) -> float:
    """By how much the variance of a cross-validated figure exceeds that of one fixed model on the same rows.

    What a fold does to the figure as training rows shows in the models that were trained without it: the figure of all
    other folds by models without {i, j}, less that by models without {i}, is the shift that fold j's absence makes.
    This is the jackknife over folds: fold j moves the figure by its own rows, t_j, and by what it teaches,
    a_j = −(K − 1) shift_j, and the variance of the figure is that of t + a over K. The part of t is known from all
    rows; var(a) and 2 cov(t, a) are added to it. Of var(a) half of what chance alone would make of it is taken off: a
    jackknife counts such parts twice (Efron and Stein 1981). With K folds all this is known roughly only, so a fifth of
    the usual correction is made in any case, and the whole of it where nothing is known.

    Parameters
    ----------
    influence
        Of every row on the figure.
    fold_of
        The fold of each row: 0, 1, …, K − 1.
    shifts
        For each fold, what its absence from training does to the figure of the others.
    noise
        For each fold, the variance that the shift has by the chance of which rows it is measured on.
    usual
        The factor of Nadeau and Bengio, 1 + K n_test / n_train, which takes nothing from the data.
    most
        The largest factor it may be.

    Returns
    -------
    float
        The factor of the variance.

    Examples
    --------
    >>> moved = np.tile([0.9, -0.1, -0.1, -0.7], 10)
    >>> training_overlap(moved, np.arange(40) % 5, np.zeros(5), np.zeros(5), usual=2.25, most=2.25)
    1.25
    >>> training_overlap(moved, np.arange(40) % 5, [0.1, -0.1, 0.1, -0.1, 0.0], np.zeros(5), usual=2.25, most=2.25)
    2.25
    """
    moved, folds = np.asarray(influence, dtype=np.float64), np.asarray(fold_of, dtype=np.intp)
    shifted, chance = np.asarray(shifts, dtype=np.float64), np.asarray(noise, dtype=np.float64)
    plain = float(np.square(moved).sum()) / len(moved) ** 2
    usable = ~np.isnan(shifted)
    count = int(usable.sum())
    if plain <= 0 or count < 3:
        return usual
    by_rows = (np.bincount(folds, moved, minlength=len(shifted)) * len(shifted) / len(moved))[usable]
    taught = -(len(shifted) - 1) * shifted[usable]
    by_chance = (len(shifted) - 1) ** 2 * float(chance[usable].mean())
    added = max(0.0, float(taught.var(ddof=1)) - by_chance / 2) + 2 * float(np.cov(by_rows, taught)[0, 1])
    return float(np.clip(1 + added / len(shifted) / plain, 1 + _AT_LEAST * (usual - 1), most))
