"""Nested cross-validation intervals (Bates, Hastie and Tibshirani, 2023), from the trials without one and two folds.

How far is a cross-validated error from the error it estimates? Each outer fold gives an answer: the cross-validation
among the other folds estimates an error, and the fold itself, which it has not seen, estimates the same error without
bias. The mean squared gap between the two, less the noise of the fold's own rows, is the mean squared error of
cross-validation on (K−1)/K of the rows.

    outer fold i:   estimate  e_i = mean over j ≠ i of the loss on j without {i, j}
                     check     f_i = loss on i without {i}
    MSE = mean over i of (e_i − f_i)² − Var(f_i)

For one fixed setting the model without {i, j} is all that is needed. Where a setting is chosen, the choice has to
happen inside each training set without {i, j}, on models without {i, j, k}: the losses of a tuned
procedure come from triples.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from venire.errors import UsageError
from venire.inference.estimates import Estimate
from venire.inference.intervals import Interval, tail

Floats = NDArray[np.float64]


def nested_interval(
    outer: ArrayLike, inner: ArrayLike, fold_of: ArrayLike, *, level: float = 0.95, at_all_rows: bool = False
) -> Estimate:
    """The nested interval of an error that is a mean over rows, from the loss of every row.

    Several repeats steady the standard error, which is kept between that of independent rows and √K times it. The
    estimate is the plain cross-validated error, of models on (K−1)/K of the rows, unless `at_all_rows` is set.

    Parameters
    ----------
    outer
        Each row's loss by the model without its fold, `[repeat, row]`. A single repeat may come without the first
        axis.
    inner
        Each row's loss by the model without its fold and another one, `[repeat, row, fold]`; NaN for its own fold.
    fold_of
        The fold of each row, `[repeat, row]`.
    level
        The probability that the interval holds the figure.
    at_all_rows
        Correct the bias as the paper does, to speak of models trained on all rows.

    Returns
    -------
    Estimate
        The error and its interval.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> folds = np.arange(200) % 10
    >>> outer = (rng.random(200) < 0.2).astype(float)
    >>> inner = np.where(np.arange(10) == folds[:, None], np.nan, outer[:, None])
    >>> nested_interval(outer, inner, folds).method
    'nested'
    """
    seen, unseen, folds = _checked(outer, inner, fold_of)
    repeats, rows, k = unseen.shape
    gaps, noise = [], []
    for r in range(repeats):
        for i in range(k):
            own = folds[r] == i
            estimate = float(np.nanmean(unseen[r, ~own, i]))  # the models without i, on all other folds
            gaps.append((estimate - float(seen[r, own].mean())) ** 2)
            noise.append(float(seen[r, own].var(ddof=1)) / int(own.sum()) if own.sum() > 1 else 0.0)
    mse = (k - 1) / k * (float(np.mean(gaps)) - float(np.mean(noise)))
    plain = float(np.nanstd(unseen)) / sqrt(rows)
    error = min(max(sqrt(max(mse, 0.0)), plain), sqrt(k) * plain)
    value, target = float(seen.mean()), "the expected error of models trained on (K−1)/K of the rows"
    if at_all_rows:
        without_two = float(np.nanmean(unseen))
        value = without_two - (1 + (k - 2) / k) * (without_two - value)
        target = "the expected error of models trained on all rows"
    reach = float(special.ndtri(1 - tail(level))) * error
    where = f"{rows} rows in {k} folds" + (f", split {repeats} times" if repeats > 1 else "")
    return Estimate(value, Interval(value - reach, value + reach, level), "nested", target, where)


def _checked(outer: ArrayLike, inner: ArrayLike, fold_of: ArrayLike) -> tuple[Floats, Floats, NDArray[np.intp]]:
    seen = np.atleast_2d(np.asarray(outer, dtype=np.float64))
    folds = np.atleast_2d(np.asarray(fold_of, dtype=np.intp))
    unseen = np.asarray(inner, dtype=np.float64)
    unseen = unseen[None] if unseen.ndim == 2 else unseen
    if unseen.ndim != 3 or unseen.shape[:2] != seen.shape or folds.shape != seen.shape:
        raise UsageError(
            f"the losses have the shapes {seen.shape} and {unseen.shape}, the folds {folds.shape}",
            hint="give outer [repeat, row], inner [repeat, row, fold] and fold_of [repeat, row]",
        )
    if unseen.shape[2] < 3 or folds.min() < 0 or folds.max() != unseen.shape[2] - 1:
        raise UsageError(
            f"the inner losses are for {unseen.shape[2]} folds, and the rows lie in folds up to {folds.max()}",
            hint="number the folds 0, 1, …, K − 1, with K at least 3",
        )
    return seen, unseen, folds
