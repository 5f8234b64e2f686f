"""Credible intervals: of an accuracy on one test set, and of a mean over the blocks of a cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from venire.errors import UsageError


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval that holds a quantity with probability `level`. Both ends are NaN where it is undefined."""

    low: float
    high: float
    level: float = 0.95

    @property
    def defined(self) -> bool:
        """Whether there was enough to compute it from."""
        return not (isnan(self.low) or isnan(self.high))

    @property
    def width(self) -> float:
        """From end to end."""
        return self.high - self.low

    def within(self, low: float, high: float) -> Interval:
        """The same interval cut off where the quantity cannot be, such as an error below 0 or above 1.

        >>> Interval(-0.02, 0.07).within(0.0, 1.0)
        Interval(low=0.0, high=0.07, level=0.95)
        """
        if not self.defined:
            return self
        return Interval(min(max(self.low, low), high), max(min(self.high, high), low), self.level)


@dataclass(frozen=True, slots=True)
class Student:
    """A Student-t distribution: the posterior of a mean. With scale 0 it is a single point; df = ∞ is the normal."""

    mean: float
    scale: float
    df: float

    def cdf(self, at: float) -> float:
        """The probability of a value of at most `at`."""
        if isnan(self.scale):
            return nan
        if self.scale == 0:
            return float(self.mean <= at)
        return float(special.stdtr(self.df, (at - self.mean) / self.scale))

    def interval(self, level: float = 0.95) -> Interval:
        """The central interval of that probability."""
        reach = float(special.stdtrit(self.df, 1 - tail(level))) * self.scale
        return Interval(self.mean - reach, self.mean + reach, level)

    def mirrored(self) -> Student:
        """The distribution of the negative."""
        return Student(-self.mean, self.scale, self.df)


def accuracy_interval(correct: float, n: float, level: float = 0.95) -> Interval:
    """The accuracy of one fixed model that got `correct` of `n` test rows right: Beta(m + ½, N − m + ½).

    It speaks of the rows of one test set. Pooled over the blocks of a cross-validation it is too narrow, because the
    models differ from block to block: use `corrected_t` there.

    >>> interval = accuracy_interval(6, 8)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.41, 0.94)
    """
    if not 0 <= correct <= n:
        raise UsageError(f"{correct} rows right of {n} is impossible")
    below = tail(level)
    a, b = correct + 0.5, n - correct + 0.5
    return Interval(float(special.betaincinv(a, b, below)), float(special.betaincinv(a, b, 1 - below)), level)


def corrected_t(values: ArrayLike, test_over_train: float, level: float = 0.95) -> Interval:
    """The interval of a mean over blocks, with the variance of Nadeau and Bengio: (1/J + n_test/n_train) s².

    The blocks' training sets overlap, so their figures are not independent and s²/J is too small. `values` has one
    figure a block (of every repeat, when there are several); undefined blocks (NaN) are left out. For K blocks
    `test_over_train` is 1 / (K − 1), and 0 gives the plain interval. With fewer than two blocks it is undefined.

    >>> interval = corrected_t([0.05, 0.03, 0.08, 0.04, 0.05], test_over_train=1 / 4)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.015, 0.085)
    """
    return mean_posterior(values, test_over_train).interval(level)


def cross_validated(
    values: ArrayLike,
    test_over_train: float,
    *,
    rows: float | None = None,
    bounds: tuple[float, float] = (-inf, inf),
    level: float = 0.95,
) -> Interval:
    """The interval the leaderboard shows of a cross-validated loss: `corrected_t`, cut to the loss's `bounds`.

    For an error rate give the number of `rows` tested: the interval is then at least as wide as that of one fixed model
    that erred on as many of them. A few blocks may agree by chance, or all have no error; their spread says nothing
    then, and no cross-validation knows more than a test set of the same rows.

    >>> cross_validated([0.0] * 10, 1 / 9, rows=100).high.__round__(3)
    0.025
    """
    found = corrected_t(values, test_over_train, level).within(*bounds)
    if rows is None or not found.defined:
        return found
    error = float(np.nanmean(np.asarray(values, dtype=np.float64)))
    fixed = accuracy_interval(error * rows, rows, level)
    return Interval(min(found.low, fixed.low), max(found.high, fixed.high), level)


def mean_posterior(values: ArrayLike, test_over_train: float) -> Student:
    """The posterior of a mean over blocks, as `corrected_t` describes it."""
    given = np.asarray(values, dtype=np.float64).ravel()
    defined = given[~np.isnan(given)]
    blocks = len(defined)
    if blocks < 2:
        return Student(float(defined[0]) if blocks else nan, nan, 0)
    return Student(float(defined.mean()), float(defined.std(ddof=1)) * inflation(blocks, test_over_train), blocks - 1)


def inflation(blocks: int, test_over_train: float) -> float:
    """What turns the spread between blocks into that of their mean: √(1/J + n_test/n_train)."""
    if not test_over_train >= 0:
        raise UsageError(f"the ratio of test to training rows must not be negative, and is {test_over_train}")
    return sqrt(1 / blocks + test_over_train)


def tail(level: float) -> float:
    """The probability left out on either side of a central interval."""
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval lies between 0 and 1, and {level} was asked for")
    return (1 - level) / 2
