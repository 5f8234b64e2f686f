"""Many models on the same folds: one joint posterior, from which every pairwise answer and P(best) are read.

The losses of F models on J folds have a covariance that J folds cannot determine (it is singular for F ≥ J). So its
correlations are shrunk towards their common mean, by the amount that minimises the expected squared error (Ledoit and
Wolf; Schäfer and Strimmer). Fold difficulty is shared by all models, which is why the target is one common correlation
and not none: pairs stay paired. A copy of a model counts once, so that it moves nobody else's figures. No pair is told
apart better than by its own folds: where shrinking would make a difference look surer than the two models' losses
alone do, those count. Nor is P(best) surer than the pairs: nobody is the best more probably than better than any one
rival.

Differences are judged with twice the overlap term of Nadeau and Bengio, (1/J + 2 n_test/n_train) s²: see
`compare_learners`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from venire.errors import UsageError
from venire.inference.comparisons import CAUTION, Comparison
from venire.inference.intervals import Student, inflation

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointPosterior:
    """A multivariate Student-t over the mean losses of all models.

    Whatever is asked of an absent model is NaN.

    Attributes
    ----------
    mean
        Of each model's loss.
    scale
        Of each model's own mean.
    correlation
        Between the models, `[model, model]`, shrunk.
    apart
        The scale of each difference by the two models' own losses, `[model, model]`.
    df
        Degrees of freedom.
    absent
        Models without a loss on the shared folds.

    Examples
    --------
    >>> losses = [[0.10, 0.12, 0.08, 0.11], [0.11, 0.13, 0.09, 0.10], [0.30, 0.33, 0.27, 0.31]]
    >>> posterior = joint_posterior(losses, 1 / 3)
    >>> round(posterior.compare(0, 2).p_better, 3)
    1.0
    """

    mean: Floats  # [F]
    scale: Floats  # [F], of each model's own mean
    correlation: Floats  # [F, F], shrunk
    apart: Floats  # [F, F], the scale of each difference by the two models' own losses
    df: float
    absent: NDArray[np.bool_]  # [F]

    def compare(self, first: int, second: int, rope: float = 0.0) -> Comparison:
        """One cell of the pairwise table: the posterior of the difference between two mean losses."""
        if self.df < 1 or self.absent[first] or self.absent[second]:
            return Comparison(Student(nan, nan, 0), rope)
        gap, scale = self.mean[first] - self.mean[second], self._spread[first, second]
        return Comparison(Student(float(gap), float(scale), self.df), rope, "joint")

    def keeps_up(self, rope: float = 0.0) -> Floats:
        """The probability that one model's loss exceeds another's by at most `rope`: [one, other], NaN if absent."""
        ahead = rope - (self.mean[:, None] - self.mean[None, :])
        certain = self._spread == 0
        surely = np.where(np.isnan(ahead), nan, ahead >= 0)
        t = np.divide(ahead, self._spread, out=np.zeros_like(ahead), where=~certain)
        return np.where(certain, surely, special.stdtr(self.df, t))

    @cached_property
    def _spread(self) -> Floats:
        """The scale of every difference: by the shrunk correlations, or by the two models' own losses if larger."""
        both = self.scale[:, None] * self.scale[None, :]
        variance = np.square(self.scale)[:, None] + np.square(self.scale)[None, :] - 2 * self.correlation * both
        spread = np.maximum(np.sqrt(np.maximum(variance, 0.0)), self.apart)
        copies = (self.mean[:, None] == self.mean[None, :]) & (self.apart == 0)
        return np.where(copies, 0.0, spread)  # they differ by nothing, whatever the shrunk correlation says

    def draw(self, rng: np.random.Generator, draws: int) -> Floats:
        """Joint draws of the mean losses [draw, model]; NaN for absent models."""
        present = np.flatnonzero(~self.absent)
        root = _symmetric_root(self.correlation[np.ix_(present, present)])
        normal = rng.standard_normal((draws, len(present)))
        heavy = np.sqrt(self.df / rng.chisquare(self.df, draws))
        # einsum without BLAS: the sums, and so the ties, are the same for any number of threads
        spread = np.einsum("df,fg->dg", normal, root) * heavy[:, None]
        drawn = np.full((draws, len(self.mean)), np.nan)
        drawn[:, present] = self.mean[present] + self.scale[present] * spread
        return drawn


def joint_posterior(losses: ArrayLike, test_over_train: float) -> JointPosterior:
    """The joint posterior of the models' mean losses, from losses [model, fold].

    Only folds that all models share are used, so that no model gains by missing a hard one. A model without any
    loss is absent; while fewer than two common folds are left, the models that miss most are absent too.

    Parameters
    ----------
    losses
        `[model, fold]`; NaN where there is none.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.

    Returns
    -------
    JointPosterior
        Of the mean losses.

    Examples
    --------
    >>> posterior = joint_posterior([[0.10, 0.12, 0.08], [0.11, 0.13, 0.09]], 1 / 2)
    >>> posterior.mean.round(3), posterior.absent
    (array([0.1 , 0.11]), array([False, False]))
    """
    table = np.asarray(losses, dtype=np.float64)
    if table.ndim != 2:
        raise UsageError(f"the losses must be a matrix [model, fold], and have {table.ndim} dimensions")
    first, place = distinct_rows(table)
    distinct = table[first]
    absent, shared = _contest(np.isnan(distinct))
    used = np.where(absent[:, None], 0.0, distinct)[:, shared]
    folds = used.shape[1]
    if folds < 2:
        nothing = np.full(len(table), np.nan)
        alone = np.eye(len(table))
        return JointPosterior(nothing, nothing, alone, np.zeros_like(alone), 0, np.ones(len(table), dtype=bool))
    widening = inflation(folds, CAUTION * test_over_train)
    scale = used.std(axis=1, ddof=1) * widening
    apart = (used[:, None] - used[None, :]).std(axis=2, ddof=1) * widening
    correlation = np.eye(len(distinct))
    present = np.flatnonzero(~absent)
    correlation[np.ix_(present, present)] = shrunk_correlation(used[present])
    mean, scale = (np.where(absent, np.nan, figures)[place] for figures in (used.mean(axis=1), scale))
    pairs = np.ix_(place, place)
    return JointPosterior(mean, scale, correlation[pairs], apart[pairs], folds - 1, absent[place])


def probability_best(
    losses: ArrayLike,
    test_over_train: float,
    rng: np.random.Generator,
    *,
    rope: float = 0.0,
    draws: int = 20_000,
) -> tuple[Floats, Floats]:
    """For each model: the probability that it is the best, and that it is within `rope` of the best.

    By draws from the joint posterior. A model and its exact duplicate share their chance of being the best equally;
    both are as good as the best together. Absent models get NaN.

    Parameters
    ----------
    losses
        `[model, fold]`; NaN where there is none.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.
    rng
        The random generator that the draws come from.
    rope
        Differences of at most this much do not matter.
    draws
        How many times the posterior is drawn from.

    Returns
    -------
    tuple of ndarray
        The two probabilities of every model.

    Examples
    --------
    >>> losses = [[0.10, 0.12, 0.08, 0.11], [0.11, 0.12, 0.09, 0.10], [0.30, 0.33, 0.27, 0.31]]
    >>> best, as_good = probability_best(losses, 1 / 3, np.random.default_rng(0), rope=0.01)
    >>> best.round(1), as_good.round(1)
    (array([0.6, 0.4, 0. ]), array([0.9, 0.8, 0. ]))
    """
    if not rope >= 0:
        raise UsageError(f"the region of equivalence must not be negative, and is {rope}")
    given = np.asarray(losses, dtype=np.float64)
    first, place = distinct_rows(given)
    return chances(joint_posterior(given[first], test_over_train), place, rng, rope=rope, draws=draws)


def chances(
    posterior: JointPosterior, place: NDArray[np.intp], rng: np.random.Generator, *, rope: float, draws: int
) -> tuple[Floats, Floats]:
    """P(best) and P(as good as the best) of models of which each is a copy of that in its `place` in the posterior."""
    if posterior.df < 1:
        return np.full(len(place), np.nan), np.full(len(place), np.nan)
    drawn = posterior.draw(rng, draws)
    lowest = np.nanmin(drawn, axis=1, keepdims=True)
    first = drawn == lowest
    best = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    as_good = (drawn <= lowest + rope).mean(axis=0)
    best = _no_surer_than_pairs(best, np.nanmin(posterior.keeps_up(), axis=1, initial=1.0))
    # As for the best: no surer than within the region of any one rival.
    as_good = np.maximum(np.fmin(as_good, np.nanmin(posterior.keeps_up(rope), axis=1, initial=1.0)), best)
    best[posterior.absent] = as_good[posterior.absent] = np.nan
    return best[place] / np.bincount(place)[place], as_good[place]


def _no_surer_than_pairs(best: Floats, ceiling: Floats) -> Floats:
    """Chances cut to what the pairs allow; what is cut off goes to the others in proportion, as far as they allow."""
    over, cut = np.zeros(len(best), dtype=bool), best
    while ((more := cut > ceiling + 1e-12) & ~over).any():
        over |= more
        rest = best[~over].sum()
        if rest == 0:
            return np.asarray(ceiling / ceiling.sum())
        cut = np.where(over, ceiling, best * (1 - ceiling[over].sum()) / rest)
    return cut


def shrunk_correlation(losses: Floats) -> Floats:
    """The correlations between the rows of `losses` [model, fold], shrunk towards their mean.

    The weight of the target is Σ Var(r) / Σ (r − r̄)² over all pairs, within [0, 1]. The result is positive
    semi-definite, being a mixture of two matrices that are. A model with the same loss on every fold has no
    correlation with any other.
    """
    models, folds = losses.shape
    centred = losses - losses.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, ddof=1)
    varies = spread > 1e-12 * np.abs(losses).max(axis=1)  # below that it is rounding
    z = np.divide(centred, spread[:, None], out=np.zeros_like(centred), where=varies[:, None])
    products = z[:, None, :] * z[None, :, :]
    r = products.sum(axis=2) / (folds - 1)
    pairs = varies[:, None] & varies[None, :] & ~np.eye(models, dtype=bool)
    if not pairs.any():
        return np.eye(models)
    common = r[pairs].mean()
    noise = np.square(products - products.mean(axis=2, keepdims=True)).sum(axis=2) * folds / (folds - 1) ** 3
    gap = np.square(r[pairs] - common).sum()
    weight = min(1.0, noise[pairs].sum() / gap) if gap > 0 else 1.0
    shrunk = np.where(pairs, (1 - weight) * r + weight * common, 0.0)
    np.fill_diagonal(shrunk, 1.0)
    return shrunk


def _contest(missing: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which models are out, and which folds all the others share."""
    missed = missing.sum(axis=1)
    absent = missed == missing.shape[1]
    while not absent.all():
        shared = ~missing[~absent].any(axis=0)
        if shared.sum() >= 2:
            return absent, shared
        absent = absent | (missed == missed[~absent].max())
    return absent, np.zeros(missing.shape[1], dtype=bool)


def distinct_rows(losses: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which rows repeat none before them, in order, and to which of these each row belongs (NaN equals NaN).

    >>> [found.tolist() for found in distinct_rows(np.array([[0.1, 0.2], [0.3, 0.2], [0.1, 0.2]]))]
    [[0, 1], [0, 1, 0]]
    """
    seen: dict[bytes, int] = {}
    place = [seen.setdefault((row + 0.0).tobytes(), len(seen)) for row in losses]
    first = [place.index(k) for k in range(len(seen))]
    return np.array(first, dtype=np.intp), np.array(place, dtype=np.intp)


def _symmetric_root(matrix: Floats) -> Floats:
    """R with R R = matrix. The symmetric root is unique, so it does not hang on the signs LAPACK picks."""
    values, vectors = np.linalg.eigh(matrix)
    root = np.sqrt(np.clip(values, 0.0, None))
    return np.asarray(np.einsum("ik,k,jk->ij", vectors, root, vectors))
