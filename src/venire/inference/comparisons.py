"""Two models on the same folds: is the difference real, and does it matter?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError
from venire.inference.intervals import Interval, mean_posterior

CAUTION = 2.0  # times the overlap of training and test rows, where learners are compared: see `compare_learners`


class Posterior(Protocol):
    """What is believed about a difference: a Student-t, or anything that answers the same questions.

    Examples
    --------
    >>> from venire.inference import Student
    >>> round(Student(mean=-0.02, scale=0.01, df=9).cdf(0.0), 3)
    0.962
    """

    @property
    def mean(self) -> float:
        """Its centre."""

    @property
    def scale(self) -> float:
        """Its spread; 0 for a single point, NaN where there is nothing to go by."""

    def cdf(self, at: float) -> float:
        """The probability of a value of at most `at`."""

    def interval(self, level: float = 0.95) -> Interval:
        """The central interval of that probability."""

    def mirrored(self) -> Posterior:
        """The same belief about the difference the other way round."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The posterior of the mean difference in loss, first model minus second: below zero the first is better.

    Differences of at most `rope` (the region of practical equivalence) do not matter to the user. The three
    probabilities sum to one, and are NaN when there were fewer than two folds to compare on.

    Attributes
    ----------
    posterior
        What is believed about the difference.
    rope
        Differences of at most this much do not matter.
    method
        The name of the method.
    p_value
        Two-sided, of no difference at all; NaN where the method has none.

    Examples
    --------
    >>> from venire.inference import Student
    >>> both = Comparison(Student(mean=1.4960, scale=0.40, df=9))
    >>> round(both.interval().low, 1), round(both.interval().high, 1), round(both.p_worse, 3)
    (0.6, 2.4, 0.998)
    """

    posterior: Posterior
    rope: float = 0.0
    method: str = "paired"
    p_value: float = nan  # two-sided, of no difference at all; NaN where the method has none

    @property
    def difference(self) -> float:
        """The mean difference in loss."""
        return self.posterior.mean

    @property
    def p_better(self) -> float:
        """The probability that the first model's loss is lower by more than the region."""
        if self.posterior.scale == 0:  # a point on the edge is inside the region, not beyond it
            return float(self.posterior.mean < -self.rope)
        return self.posterior.cdf(-self.rope)

    @property
    def p_equal(self) -> float:
        """The probability that the difference lies within the region."""
        if self.posterior.scale == 0:
            return float(abs(self.posterior.mean) <= self.rope)
        return self.posterior.cdf(self.rope) - self.posterior.cdf(-self.rope)

    @property
    def p_worse(self) -> float:
        """The probability that the first model's loss is higher by more than the region."""
        return self.reverse().p_better

    def interval(self, level: float = 0.95) -> Interval:
        """The central interval of the mean difference."""
        return self.posterior.interval(level)

    def reverse(self) -> Comparison:
        """The second model against the first."""
        return replace(self, posterior=self.posterior.mirrored())


def compare_paired(a: ArrayLike, b: ArrayLike, *, test_over_train: float, rope: float = 0.0) -> Comparison:
    """Compare two models by their losses on the same folds (Student-t posterior, J − 1 degrees of freedom).

    `test_over_train` is n_test / n_train, 1 / (K − 1) for K folds; it corrects for training sets that overlap. 0 is
    the plain posterior, right only where the folds are independent. Folds undefined for either are left out.

    Parameters
    ----------
    a, b
        The losses of the two models on the same folds.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.
    rope
        Differences of at most this much do not matter.

    Returns
    -------
    Comparison
        The posterior of the difference `a` − `b`.

    Examples
    --------
    >>> first, second = [0.10, 0.12, 0.08, 0.11, 0.09], [0.14, 0.15, 0.10, 0.13, 0.14]
    >>> result = compare_paired(first, second, test_over_train=1 / 4, rope=0.01)
    >>> round(result.p_better, 3), round(result.p_equal, 3), round(result.p_worse, 3)
    (0.967, 0.029, 0.004)
    """
    return Comparison(mean_posterior(paired_differences(a, b, rope, "fold"), test_over_train), rope)


def compare_learners(a: ArrayLike, b: ArrayLike, *, test_over_train: float, rope: float = 0.0) -> Comparison:
    """As `compare_paired`, with twice the overlap term: two learners of which only the losses of folds are known.

    In a K-fold cross-validation training sets overlap, and besides every test fold is part of the other training sets.
    With the single term, learners of equal error were called different (P > 0.95) in up to 9 % of tables; with twice,
    in at most 5 %.

    Parameters
    ----------
    a, b
        The losses of the two learners on the same folds.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.
    rope
        Differences of at most this much do not matter.

    Returns
    -------
    Comparison
        The posterior of the difference `a` − `b`.

    Examples
    --------
    >>> first, second = [0.10, 0.12, 0.08, 0.11, 0.09], [0.14, 0.15, 0.10, 0.13, 0.14]
    >>> round(compare_learners(first, second, test_over_train=1 / 4).p_better, 3)
    0.979
    """
    return compare_paired(a, b, test_over_train=CAUTION * test_over_train, rope=rope)


def rope(compared: Comparison, width: float) -> Comparison:
    """The same comparison with another region of practical equivalence: differences up to `width` do not matter.

    Parameters
    ----------
    compared
        A comparison.
    width
        The new region: differences of at most this much do not matter.

    Returns
    -------
    Comparison
        The same posterior, with other probabilities of better, equal and worse.

    Examples
    --------
    >>> both = compare_paired([0.10, 0.12, 0.08], [0.11, 0.12, 0.09], test_over_train=1 / 2)
    >>> round(both.p_better, 2), round(rope(both, 0.02).p_equal, 2)
    (0.83, 0.92)
    """
    if not width >= 0:
        raise UsageError(f"the region of equivalence must not be negative, and is {width}")
    return replace(compared, rope=width)


def p_beats_baseline(model: ArrayLike, baseline: ArrayLike, *, test_over_train: float) -> float:
    """Is it better than guessing? The posterior probability that a model's loss is below the baseline's.

    By folds, with the caution of `compare_learners`. NaN when fewer than two folds define both.

    Parameters
    ----------
    model, baseline
        The losses of the two on the same folds.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.

    Returns
    -------
    float
        The probability.

    Examples
    --------
    >>> round(p_beats_baseline([0.10, 0.12, 0.08], [0.30, 0.35, 0.31], test_over_train=1 / 2), 3)
    0.996
    """
    compared = compare_learners(model, baseline, test_over_train=test_over_train)
    return nan if np.isnan(compared.posterior.scale) else compared.p_better


def paired_differences(a: ArrayLike, b: ArrayLike, rope: float, unit: str) -> NDArray[np.float64]:
    """The losses of one less those of the other, one a `unit`: a fold or a table.

    >>> paired_differences([0.5, 0.25], [0.25, 0.25], 0.0, "fold")
    array([0.25, 0.  ])
    """
    one, other = (np.asarray(losses, dtype=np.float64).ravel() for losses in (a, b))
    if one.shape != other.shape:
        raise UsageError(
            f"the two models have {len(one)} and {len(other)} losses",
            hint=f"give one loss a {unit} for both, over the same {unit}s in the same order",
        )
    if not rope >= 0:
        raise UsageError(f"the region of equivalence must not be negative, and is {rope}")
    return np.asarray(one - other)
