"""From sums to probabilities: what naive Bayes believes about each class, and how that scores a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import bayes_scores
from venire.models.bayes.sparse_table import sparse_scores
from venire.models.bayes.sums import Floats, Sums
from venire.models.sparse import is_sparse

LEAST_LOG = float(np.log(np.finfo(np.float64).tiny))  # of an impossible value: it outweighs all else, yet adds up
LEAST_VARIANCE = 1e-100  # only without smoothing: a constant column stays a sharp test, and nothing overflows


@dataclass(frozen=True, slots=True)
class BayesModel:
    """Priors, Gaussians, tables and rates of the classes."""

    sums: Sums
    prior: Floats  # [class]
    epsilon: float  # what was added to the variances
    mean: Floats  # [class, numeric], measured from the origin
    variance: Floats  # [class, numeric]
    shares: tuple[Floats, ...]  # per categorical column [category, class]
    rates: Floats  # [class, counted]

    @classmethod
    def learned(cls, sums: Sums, priors: Floats | None, alpha: float, var_smoothing: float) -> BayesModel:
        """The model these sums speak for."""
        prior = sums.class_weight / sums.class_weight.sum() if priors is None else priors
        widest, mean, variance = gaussians(sums)
        epsilon = var_smoothing * widest
        shares = tuple(corrected(table, alpha) for table in sums.tables)
        rates = corrected(sums.counted.T, alpha).T
        return cls(sums, prior, epsilon, mean, widened(variance, epsilon), shares, rates)

    @property
    def origin(self) -> Floats:
        """Where the means are measured from."""
        return np.nan_to_num(self.sums.origin)

    def joint(self, matrix: NDArray[Any], threads: int) -> Floats:
        """log P(class) + log P(row | class): [row, class]."""
        steepness, height = 0.5 / self.variance, -0.5 * np.log(2 * np.pi * self.variance)
        if is_sparse(matrix):
            return sparse_scores(
                matrix,
                numeric=self.sums.columns.numeric,
                counted=self.sums.columns.counted,
                prior=logs(self.prior),
                origin=self.origin,
                mean=self.mean,
                steepness=steepness,
                height=height,
                rates=logs(self.rates),
            )
        return bayes_scores(
            matrix,
            **self.sums.columns.as_arguments(),
            origin=self.origin,
            categories=self.sums.categories,
            prior=logs(self.prior),
            mean=self.mean,
            steepness=steepness,
            height=height,
            table=np.concatenate([np.empty((0, len(self.prior))), *map(logs, self.shares)]),
            rates=logs(self.rates),
            threads=threads,
        )

    def attributes(self, row: NDArray[Any]) -> Floats:
        """log P(value | class) of each attribute of one row; 0 where it is missing or unknown: [attribute, class]."""
        columns, found = self.sums.columns, np.zeros((len(row), len(self.prior)))
        for position, j in enumerate(columns.numeric):
            off = row[j] - self.origin[position] - self.mean[:, position]
            variance = self.variance[:, position]
            found[j] = -0.5 * np.log(2 * np.pi * variance) - 0.5 * off * off / variance
        for position, j in enumerate(columns.counted):
            found[j] = row[j] * logs(self.rates[:, position])
        for position, j in enumerate(columns.categorical):
            table = self.shares[position]
            found[j] = logs(table[int(row[j])]) if 0 <= row[j] < len(table) else 0.0
        return np.nan_to_num(found)


def corrected(counts: Floats, alpha: float) -> Floats:
    """Shares in each column of a table, with Laplace's correction; equal ones where there is nothing to go by.

    >>> corrected(np.array([[0.0], [990.0], [10.0]]), 1.0)[2, 0] == 11 / 1003
    np.True_
    """
    totals = counts.sum(axis=0) + alpha * len(counts)
    shares = np.full(counts.shape, 1.0 / max(1, len(counts)))
    np.divide(counts + alpha, totals, out=shares, where=totals > 0)
    return shares


def corrected_together(counts: Floats, sizes: NDArray[np.int64], alpha: float) -> Floats:
    """The same of many tables that stand end to end, of so many lines each: a table costs no call of its own.

    >>> corrected_together(np.array([[0.0], [990.0], [10.0], [3.0]]), np.array([3, 0, 1]), 1.0)[2, 0] == 11 / 1003
    np.True_
    """
    filled = sizes[sizes > 0]  # a sum over no line would be that of the next table
    lines = np.repeat(filled, filled).astype(np.float64)[:, None]
    if not len(filled):
        return counts
    sums = np.add.reduceat(counts, np.cumsum(filled) - filled, axis=0)
    totals = np.repeat(sums, filled, axis=0) + alpha * lines
    shares = np.broadcast_to(1.0 / lines, counts.shape).copy()
    np.divide(counts + alpha, totals, out=shares, where=totals > 0)
    return shares


def logs(shares: Floats) -> Floats:
    """Logarithms, with that of an impossible value large but finite: products of many stay comparable."""
    found = np.full(shares.shape, LEAST_LOG)
    np.log(shares, out=found, where=shares > 0)
    return np.asarray(np.maximum(found, LEAST_LOG))


def gaussians(sums: Sums) -> tuple[float, Floats, Floats]:
    """The largest variance of a column, and mean and variance [class, numeric].

    A class that shows no value of a column is taken to look like all rows together: no evidence either way.
    """
    moments, together = sums.moments, sums.moments.pooled()
    spread = _over(together.squares, together.weight)
    widest = float(spread.max(initial=0.0))
    seen = moments.weight > 0
    variance = np.where(seen, _over(moments.squares, moments.weight), spread)
    return widest if widest > 0 else 1.0, np.where(seen, moments.mean, together.mean), variance


def widened(variance: Floats, epsilon: Any) -> Floats:
    """Variances with something added, and none of them zero."""
    return np.asarray(np.maximum(variance + epsilon, LEAST_VARIANCE))


def _over(squares: Floats, weight: Floats) -> Floats:
    return np.divide(squares, weight, out=np.zeros_like(squares), where=weight > 0)
