"""Credible intervals: of an accuracy on one test set, and of a mean over the folds of a cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from venire.errors import UsageError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval that holds a quantity with probability `level`. Both ends are NaN where it is undefined.

    Attributes
    ----------
    low, high
        The ends.
    level
        The probability.

    Examples
    --------
    >>> Interval(-0.1, 0.4).within(0.0, 1.0)
    Interval(low=0.0, high=0.4, level=0.95)
    """

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
    """A Student-t distribution: the posterior of a mean. With scale 0 it is a single point; df = ∞ is the normal.

    Attributes
    ----------
    mean
        Where it is centred.
    scale
        Its scale, the standard error of the mean.
    df
        Degrees of freedom.

    Examples
    --------
    >>> interval = Student(0.1, 0.02, 9).interval()
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.055, 0.145)
    """

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

    It speaks of the rows of one test set. Pooled over the folds of a cross-validation it is too narrow, because the
    models differ from fold to fold: use `corrected_t` there.

    Parameters
    ----------
    correct
        Rows predicted rightly.
    n
        Rows of the test set.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Interval
        Of the accuracy.

    Examples
    --------
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
    """The interval of a mean over folds, with the variance of Nadeau and Bengio: (1/J + n_test/n_train) s².

    The folds' training sets overlap, so their figures are not independent and s²/J is too small. `values` has one
    figure a fold (of every repeat, when there are several); undefined folds (NaN) are left out. For K folds
    `test_over_train` is 1 / (K − 1), and 0 gives the plain interval. With fewer than two folds it is undefined.

    Parameters
    ----------
    values
        One figure per fold.
    test_over_train
        Rows tested over rows trained on.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Interval
        Of the mean.

    Examples
    --------
    >>> interval = corrected_t([0.05, 0.03, 0.08, 0.04, 0.05], test_over_train=1 / 4)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.015, 0.085)
    """
    return mean_posterior(values, test_over_train).interval(level)


def discounted_beta(error: float, rows: float, *, folds: int, test_over_train: float, level: float = 0.95) -> Interval:
    """The interval of a cross-validated error rate: Beta(m + ½, N − m + ½) with discounted counts.

    The `rows` were tested by `folds` models whose training sets overlap, which by the correction of Nadeau and Bengio
    multiplies the variance of their mean by 1 + K n_test / n_train. So they count as N = rows / (1 + K n_test /
    n_train) rows of one test set, m = N · error of them wrong. The variance of a share is known from the share: unlike
    `corrected_t` this needs no spread between folds, keeps within 0 and 1, and knows what no error at all is worth.
    It takes the rows to be independent.

    Parameters
    ----------
    error
        The error rate over all rows tested.
    rows
        The rows tested.
    folds
        The number of folds K.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Interval
        Of the error rate.

    Examples
    --------
    >>> interval = discounted_beta(0.10, 200, folds=10, test_over_train=1 / 9)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.052, 0.172)
    """
    if not 0 <= error <= 1:
        raise UsageError(f"an error rate lies between 0 and 1, and {error} was given")
    counted = rows / (folds * inflation(folds, test_over_train) ** 2)
    found = accuracy_interval(error * counted, counted, level)
    # With no error at all (or nothing else) both tails lie on one side of the figure, which belongs in.
    return Interval(min(found.low, error), max(found.high, error), level)


def cross_validated(
    values: ArrayLike,
    test_over_train: float,
    *,
    rows: float | None = None,
    scarce: float | None = None,
    repeats: int = 1,
    dependent: bool = False,
    bounds: tuple[float, float] = (-inf, inf),
    level: float = 0.95,
) -> Interval:
    """The interval the leaderboard shows of a loss over the folds of a cross-validation (of every repeat).

    Where the loss is an error rate, give the number of `rows` tested: it is `discounted_beta`, and repeats, which bring
    no new rows, do not narrow it. Where rows hang together the spread between folds has its say too, and the wider
    ends count: where that is known (`dependent`: groups, time), or where the folds differ by more than independent
    rows would let them in 99 of 100 cases. Any other loss has `corrected_t`, cut to its `bounds`. Where such a loss is
    the least there is on every fold, the folds do not differ and their spread claims certainty: then `scarce`, the
    rows of the rarest class, says what that is worth, as if it were an error rate of theirs.

    Parameters
    ----------
    values
        One loss per fold (of every repeat).
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.
    rows
        Where the loss is an error rate: the rows tested.
    scarce
        The rows of the rarest class.
    repeats
        How many times the rows were split into folds.
    dependent
        Rows are known to hang together.
    bounds
        No loss lies outside.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Interval
        Of the mean loss.

    Examples
    --------
    >>> round(cross_validated([0.0] * 10, 1 / 9, rows=100).high, 3)
    0.051
    >>> round(cross_validated([0.0] * 10, 1 / 9, scarce=20, bounds=(0, 1)).high, 3)
    0.227
    """
    by_folds = corrected_t(values, test_over_train, level).within(*bounds)
    if not by_folds.defined:
        return by_folds
    given = np.asarray(values, dtype=np.float64)
    folds = max(1, given.size // repeats)
    if rows is None:
        if scarce is None or not isfinite(bounds[1]) or by_folds.high > bounds[0]:
            return by_folds
        most = discounted_beta(0.0, scarce, folds=folds, test_over_train=test_over_train, level=level).high
        return Interval(by_folds.low, bounds[0] + most * (bounds[1] - bounds[0]), level)
    error = float(np.nanmean(given))
    by_rows = discounted_beta(error, rows, folds=folds, test_over_train=test_over_train, level=level)
    if not dependent and not _overdispersed(given, error, rows / folds):
        return by_rows
    return Interval(min(by_folds.low, by_rows.low), max(by_folds.high, by_rows.high), level)


def _overdispersed(values: Floats, error: float, rows_a_fold: float) -> bool:
    """Whether error rates of folds spread more than those of independent rows, by a chi-square test at 1 %."""
    expected = error * (1 - error) / rows_a_fold
    df = np.count_nonzero(~np.isnan(values)) - 1
    return bool(expected > 0 and df * np.nanvar(values, ddof=1) / expected > special.chdtri(df, 0.01))


def mean_posterior(values: ArrayLike, test_over_train: float) -> Student:
    """The posterior of a mean over folds, as `corrected_t` describes it.

    Parameters
    ----------
    values
        One figure per fold; NaN where it is undefined.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.

    Returns
    -------
    Student
        The posterior.

    Examples
    --------
    >>> posterior = mean_posterior([0.05, 0.03, 0.08, 0.04, 0.05], test_over_train=1 / 4)
    >>> round(posterior.mean, 3), round(posterior.scale, 4), posterior.df
    (0.05, 0.0125, 4)
    """
    given = np.asarray(values, dtype=np.float64).ravel()
    defined = given[~np.isnan(given)]
    folds = len(defined)
    if folds < 2:
        return Student(float(defined[0]) if folds else nan, nan, 0)
    return Student(float(defined.mean()), float(defined.std(ddof=1)) * inflation(folds, test_over_train), folds - 1)


def inflation(folds: int, test_over_train: float) -> float:
    """What turns the spread between folds into that of their mean: √(1/J + n_test/n_train)."""
    if not test_over_train >= 0:
        raise UsageError(f"the ratio of test to training rows must not be negative, and is {test_over_train}")
    return sqrt(1 / folds + test_over_train)


def tail(level: float) -> float:
    """The probability left out on either side of a central interval."""
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval lies between 0 and 1, and {level} was asked for")
    return (1 - level) / 2
