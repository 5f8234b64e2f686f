"""The interval of an error rate on one test part whose rows come in groups (patients, shops, sessions).

Rows of a group hang together, so n of them tell less than n independent ones. How much less shows in how much groups
differ: the variance of the error rate by the groups' own sums, over the variance n independent rows would give it, is
the design effect d, and the rows count as n / d. Because d is itself estimated, they are discounted once more by the
squared ratio of Student's quantiles with n − 1 degrees of freedom and with as many as that estimate has. The interval
is the exact one (Clopper and Pearson) of those counts.

That is the method of Korn and Graubard (1998) for shares in surveys, but for the degrees of freedom. Theirs are G − 1
for G groups, too many where errors sit in a few of them: a variance from sums of the kurtosis κ has 2G / (κ − 1).
"""

from __future__ import annotations

from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from venire.errors import UsageError
from venire.inference.estimates import Estimate
from venire.inference.intervals import Interval, tail

_FEW_GROUPS = 10

Floats = NDArray[np.float64]


def clustered_beta(wrong: ArrayLike, groups: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The error rate of one fixed model on new groups, from rows that are `wrong` or not and the group of each.

    Never narrower than for independent rows. With no error at all (or nothing else) the rows say nothing of how they
    hang together, and every group counts as one row. With a single group it is undefined.

    Parameters
    ----------
    wrong
        One per row: was the prediction wrong?
    groups
        The group of each row.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Estimate
        The error rate and its interval.

    Examples
    --------
    >>> by_group = [[1, 1, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    >>> found = clustered_beta(np.ravel(by_group), np.repeat(range(6), 4))
    >>> print(found)
    0.1667 [0.003958, 0.6461] (95 %): the error rate of this model on new groups; ...
    """
    errors, members = _checked(wrong, groups)
    rows, count = len(errors), int(members.max()) + 1
    rate = float(errors.mean())
    counted = effective_rows(errors, members, level)
    if count < 2:
        ends = Interval(nan, nan, level)
    else:
        ends = _exact(rate * counted, counted, level)
    return Estimate(
        rate,
        # Where all counts are on one side the exact interval ends there, and rounding must not cut the figure off.
        Interval(min(ends.low, rate), max(ends.high, rate), level) if ends.defined else ends,
        "clustered_beta",
        "the error rate of this model on new groups",
        f"{rows:,} test rows in {count:,} groups, which count as {counted:.3g} independent rows",
    )


def effective_rows(wrong: ArrayLike, groups: ArrayLike, level: float = 0.95) -> float:
    """As how many independent rows these count.

    >>> effective_rows([0, 1] * 50, range(100)), round(effective_rows([0, 0, 1, 1] * 25, np.arange(100) // 2), 1)
    (100.0, 47.8)
    """
    errors, members = _checked(wrong, groups)
    rows, count = len(errors), int(members.max()) + 1
    rate = float(errors.mean())
    if rate in (0.0, 1.0) or count < 2 or count == rows:
        return float(count)
    squares = np.square(np.bincount(members, errors - rate))  # of what each group has more or less than its share
    between = count / (count - 1) * squares.sum() / rows**2
    design_effect = max(1.0, between / (rate * (1 - rate) / rows))
    below = tail(level)
    unknown = special.stdtrit(rows - 1, below) / special.stdtrit(freedom(squares), below)
    return float(rows / design_effect * unknown**2)


def freedom(squares: Floats) -> float:
    """The degrees of freedom of a variance that is the mean of these squares."""
    count = len(squares)
    kurtosis = count * float(np.square(squares).sum()) / float(squares.sum()) ** 2 if squares.any() else 1.0
    return float(np.clip(2 * count / (kurtosis - 1), 1.0, count - 1)) if kurtosis > 1 else count - 1.0


def too_few_groups(groups: ArrayLike) -> str | None:
    """Why the interval over these groups is not to be relied on, if it is not: a sentence."""
    count = len(np.unique(np.asarray(groups)))
    if count < 2:
        return "all rows of the test part are of one group, which cannot show how much groups differ: no interval"
    if count < _FEW_GROUPS:
        return f"the test part has {count} groups, too few to show how much groups differ: the interval is a rough one"
    return None


def _exact(hits: float, counted: float, level: float) -> Interval:
    """Clopper and Pearson's interval, for counts that need not be whole."""
    below, misses = tail(level), counted - hits
    low = float(special.betaincinv(hits, misses + 1, below)) if hits > 0 else 0.0
    high = float(special.betaincinv(hits + 1, misses, 1 - below)) if misses > 0 else 1.0
    return Interval(low, high, level)


def _checked(wrong: ArrayLike, groups: ArrayLike) -> tuple[Floats, NDArray[np.intp]]:
    errors = np.asarray(wrong, dtype=np.float64)
    given = np.asarray(groups)
    if errors.ndim != 1 or given.shape != errors.shape or not len(errors):
        raise UsageError(f"there are groups of the shape {given.shape} for rows of the shape {errors.shape}")
    if not np.isin(errors, (0.0, 1.0)).all():
        raise UsageError("a row is wrong (1) or not (0), and other values were given")
    return errors, np.asarray(np.unique(given, return_inverse=True)[1], dtype=np.intp)
