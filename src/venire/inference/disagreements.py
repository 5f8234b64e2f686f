"""Two fixed classifiers on one test set: only the rows on which exactly one of them errs tell them apart (McNemar)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.optimize import brentq

from venire.errors import UsageError
from venire.inference.comparisons import Comparison
from venire.inference.intervals import Interval, tail
from venire.inference.quadrature import unit_nodes

# Exact to many digits: the integrand is smooth in the quantile.
_NODES = 200


@dataclass(frozen=True)
class ShareDifference:
    """The posterior of θ₁ − θ₂, the shares of rows on which only the first and only the second model is wrong.

    With Jeffreys' prior (½ for each of the three kinds of row) θ₁ + θ₂ and θ₁ / (θ₁ + θ₂) are independent Betas.

    Attributes
    ----------
    only_first, only_second
        Rows on which only that model is wrong.
    neither
        Rows on which both are wrong or none is.

    Examples
    --------
    >>> difference = ShareDifference(only_first=3, only_second=15, neither=82)
    >>> round(difference.mean, 3), round(difference.cdf(0.0), 3)
    (-0.118, 0.998)
    """

    only_first: float
    only_second: float
    neither: float  # rows on which both err or none does

    @property
    def mean(self) -> float:
        """The posterior mean."""
        return (self.only_first - self.only_second) / self._strength

    @property
    def scale(self) -> float:
        """The posterior standard deviation."""
        first, second = (self.only_first + 0.5) / self._strength, (self.only_second + 0.5) / self._strength
        return sqrt((first + second - (first - second) ** 2) / (self._strength + 1))

    def cdf(self, at: float) -> float:
        """The probability of a difference of at most `at`."""
        together, weights = self._quadrature
        split = np.clip((1 + at / together) / 2, 0.0, 1.0)
        return float(weights @ special.betainc(self.only_first + 0.5, self.only_second + 0.5, split))

    def interval(self, level: float = 0.95) -> Interval:
        """The central interval."""
        below = tail(level)
        low, high = (float(brentq(lambda at, p=p: self.cdf(at) - p, -1.0, 1.0)) for p in (below, 1 - below))
        return Interval(low, high, level)

    def mirrored(self) -> ShareDifference:
        """θ₂ − θ₁."""
        return ShareDifference(self.only_second, self.only_first, self.neither)

    @property
    def _strength(self) -> float:
        return self.only_first + self.only_second + self.neither + 1.5

    @cached_property
    def _quadrature(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Values of θ₁ + θ₂ at the nodes of its quantile, and the nodes' weights."""
        nodes, weights = unit_nodes(_NODES)
        values = special.betaincinv(self.only_first + self.only_second + 1, self.neither + 0.5, nodes)
        return np.maximum(values, np.finfo(np.float64).tiny), weights


def mcnemar(first_wrong: ArrayLike, second_wrong: ArrayLike, *, rope: float = 0.0) -> Comparison:
    """Compare two fixed classifiers by which of the same test rows each gets wrong.

    `p_value` is the mid-p version of McNemar's exact test, which is neither as timid as the exact one nor as loose as
    the chi-square. The posterior is that of the difference in error rate, the first's minus the second's. It speaks of
    the two models as they are, not of how they would come out of other training rows.

    Parameters
    ----------
    first_wrong, second_wrong
        One per row: did that model get it wrong?
    rope
        Differences of at most this much do not matter.

    Returns
    -------
    Comparison
        The posterior of the difference in error rate, with the p-value.

    Examples
    --------
    >>> rows = np.arange(100)
    >>> result = mcnemar(rows < 5, (rows >= 3) & (rows < 20))
    >>> round(result.p_value, 4), round(result.p_better, 4)
    (0.0044, 0.9984)
    """
    first, second = (np.asarray(wrong).astype(bool).ravel() for wrong in (first_wrong, second_wrong))
    if first.shape != second.shape:
        raise UsageError(
            f"the two models were tested on {len(first)} and {len(second)} rows", hint="give the same rows to both"
        )
    if not rope >= 0:
        raise UsageError(f"the region of equivalence must not be negative, and is {rope}")
    b, c = int((first & ~second).sum()), int((second & ~first).sum())
    return Comparison(ShareDifference(b, c, len(first) - b - c), rope, "mcnemar", mid_p(b, c))


def mid_p(b: int, c: int) -> float:
    """Twice the smaller tail of Binomial(b + c, ½), with half of the probability of the value itself.

    >>> mid_p(0, 0), mid_p(2, 8) < 0.07
    (1.0, True)
    """
    if b + c == 0:
        return 1.0
    low = min(b, c)
    up_to = float(special.bdtr(low, b + c, 0.5))
    before = float(special.bdtr(low - 1, b + c, 0.5)) if low else 0.0
    return min(1.0, up_to + before)
