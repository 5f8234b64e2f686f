"""Two learners over many tables: in how many, and by how much, is one ahead? And Holm's correction for many pairs.

Each table gives one difference in loss, first minus second, so below zero the first is better. Differences within
the region of practical equivalence count for neither. The answers are about a further table of the same kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from venire.errors import UsageError
from venire.inference.comparisons import paired_differences
from venire.inference.intervals import Interval, tail
from venire.inference.quadrature import unit_nodes

Floats = NDArray[np.float64]

_NODES = 400


@dataclass(frozen=True, eq=False)
class TablesComparison:
    """What many tables say: the three probabilities sum to one, and `interval` is about the typical difference.

    Attributes
    ----------
    p_better, p_equal, p_worse
        The probabilities that the first learner is better, as good, or worse on a table.
    p_value
        Two-sided, of no difference.
    difference
        The median difference, or the median of the means of all pairs of tables.
    method
        The name of the method.

    Examples
    --------
    >>> result = sign_test([0.10, 0.20, 0.11, 0.30, 0.15, 0.12], [0.14, 0.22, 0.15, 0.29, 0.19, 0.16])
    >>> round(result.difference, 3), round(result.interval().low, 3)
    (-0.04, -0.04)
    """

    p_better: float
    p_equal: float
    p_worse: float
    p_value: float  # two-sided, of no difference
    difference: float  # the median difference, or the median of the means of all pairs of tables
    method: str
    _ordered: Floats  # what the difference is the median of, ascending

    def interval(self, level: float = 0.95) -> Interval:
        """The distribution-free interval of the difference that belongs to the test."""
        n = len(self._ordered)
        low = _least(self._tables, self.method, tail(level))
        if low < 0 or not n:
            return Interval(nan, nan, level)
        return Interval(float(self._ordered[low]), float(self._ordered[n - 1 - low]), level)

    @property
    def _tables(self) -> int:
        """The number of tables, also where all pairs of them are kept."""
        n = len(self._ordered)
        return n if self.method == "sign_test" else round((np.sqrt(8 * n + 1) - 1) / 2)


def sign_test(first: ArrayLike, second: ArrayLike, *, rope: float = 0.0) -> TablesComparison:
    """Count the tables on which each learner is ahead; ties are shared out equally.

    `p_value` is that of the exact binomial test. The probabilities are those of the Bayesian sign test: that the share
    of tables won by the first (or tied, or won by the second) is the largest of the three.

    Parameters
    ----------
    first, second
        The losses of the two learners, one per table.
    rope
        Differences of at most this much do not matter.

    Returns
    -------
    TablesComparison
        Probabilities, p-value and median difference.

    Examples
    --------
    >>> result = sign_test([0.10, 0.20, 0.11, 0.30, 0.15, 0.12], [0.14, 0.22, 0.15, 0.29, 0.19, 0.16])
    >>> round(result.p_better, 2), round(result.p_value, 3)
    (0.95, 0.219)
    """
    gaps = _differences(first, second, rope)
    wins, losses = int((gaps < -rope).sum()), int((gaps > rope).sum())
    ties = len(gaps) - wins - losses
    if rope:
        better, equal, worse = _largest([wins + 0.5, ties + 0.5, losses + 0.5])
    else:
        better, equal = float(special.betainc(losses + ties / 2 + 0.5, wins + ties / 2 + 0.5, 0.5)), 0.0
        worse = 1 - better
    # An odd tie is left out, so that the counts stay whole.
    ahead, rounds = max(wins, losses) + ties // 2, wins + losses + 2 * (ties // 2)
    from scipy import stats  # takes longer to import than all the rest here

    p_value = min(1.0, 2 * float(stats.binom.sf(ahead - 1, rounds, 0.5))) if rounds else 1.0
    return TablesComparison(better, equal, worse, p_value, float(np.median(gaps)), "sign_test", np.sort(gaps))


def wilcoxon(
    first: ArrayLike, second: ArrayLike, rng: np.random.Generator, *, rope: float = 0.0, draws: int = 20_000
) -> TablesComparison:
    """The signed-rank test, where large differences count for more than small ones, and its Bayesian counterpart.

    `p_value` is Wilcoxon's, zero differences shared out. The probabilities come from `draws` of random
    weights for the tables (Benavoli and others, 2014): that the weight of pairs of tables whose mean difference favours
    the first is the largest.

    Parameters
    ----------
    first, second
        The losses of the two learners, one per table.
    rng
        The random generator that the draws come from.
    rope
        Differences of at most this much do not matter.
    draws
        How many times the tables are weighted at random.

    Returns
    -------
    TablesComparison
        Probabilities, p-value and the typical difference.

    Examples
    --------
    >>> first, second = [0.10, 0.20, 0.11, 0.30, 0.15, 0.12], [0.14, 0.22, 0.15, 0.29, 0.19, 0.16]
    >>> result = wilcoxon(first, second, np.random.default_rng(0), rope=0.005)
    >>> result.p_better > 0.95, round(result.difference, 3)
    (True, -0.03)
    """
    gaps = _differences(first, second, rope)
    means = (gaps[:, None] + gaps[None, :]) / 2
    # A table with no difference at all is the prior's say: it keeps few tables from being certain.
    placed = np.append(gaps, 0.0)
    pairs = (placed[:, None] + placed[None, :]) / 2
    weights = rng.dirichlet(np.ones(len(placed)), draws)
    shares = [np.einsum("di,ij,dj->d", weights, kind.astype(np.float64), weights, optimize=True)
              for kind in (pairs < -rope, np.abs(pairs) <= rope, pairs > rope)]  # fmt: skip
    better, worse = _leads(shares[0], shares[2], shares[1]), _leads(shares[2], shares[0], shares[1])
    from scipy import stats  # as above

    p_value = float(stats.wilcoxon(gaps, zero_method="zsplit").pvalue) if gaps.any() else 1.0
    ordered = np.sort(means[np.triu_indices(len(gaps))])
    return TablesComparison(
        better, max(0.0, 1 - better - worse), worse, p_value, float(np.median(ordered)), "wilcoxon", ordered
    )


def holm(p_values: ArrayLike) -> Floats:
    """p-values corrected for how many there are: where no difference is real, any falls below α in at most α of cases.

    Parameters
    ----------
    p_values
        One per comparison.

    Returns
    -------
    ndarray
        The corrected p-values, in the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    """
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1 or (given < 0).any() or (given > 1).any():
        raise UsageError("p-values are a list of numbers between 0 and 1")
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def _differences(first: ArrayLike, second: ArrayLike, rope: float) -> Floats:
    gaps = paired_differences(first, second, rope, "table")
    gaps = gaps[~np.isnan(gaps)]
    if not len(gaps):
        raise UsageError("there is no table on which both learners have a loss")
    return gaps


def _largest(counts: list[float]) -> tuple[float, ...]:
    """For each entry of a Dirichlet variable the probability that it is the largest.

    Dirichlet shares are gamma variables over their sum, so that is E[F₂(G₁) F₃(G₁)], an integral over a quantile.
    """
    found = []
    nodes, weights = unit_nodes(_NODES)
    for at, own in enumerate(counts):
        values = special.gammaincinv(own, nodes)
        others = [special.gammainc(count, values) for k, count in enumerate(counts) if k != at]
        found.append(float(weights @ np.prod(others, axis=0)))
    return tuple(value / sum(found) for value in found)


def _leads(own: Floats, rival: Floats, between: Floats) -> float:
    """How often one share is the largest; a tie with the rival is half of it."""
    ahead = (own > np.maximum(rival, between)).mean()
    level = ((own == rival) & (own > between)).mean()
    return float(ahead + level / 2)


def _least(tables: int, method: str, below: float) -> int:
    """How many of the ordered values the interval leaves out at either end, less one: −1 when there are too few."""
    if method == "sign_test":
        from scipy import stats  # as above

        return int(stats.binom.ppf(below, tables, 0.5)) - 1 if below >= 0.5**tables else -1
    centre = tables * (tables + 1) / 4
    spread = np.sqrt(tables * (tables + 1) * (2 * tables + 1) / 24)
    return int(np.floor(centre + special.ndtri(below) * spread)) - 1
