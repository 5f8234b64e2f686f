"""Nested intervals from losses without one and without two folds."""

from __future__ import annotations

import numpy as np
import pytest

from venire.errors import UsageError
from venire.inference import nested_interval

K = 10


def from_least_squares(rng, n=60, p=20):
    """Squared errors of a regression in a linear world: outer and inner losses, and the truth at (K−1)/K n rows."""
    X, y = rng.standard_normal((n, p)), rng.standard_normal(n)
    folds = rng.permutation(n) % K

    def losses(left_out):
        train = ~np.isin(folds, left_out)
        beta = np.linalg.lstsq(X[train], y[train], rcond=None)[0]
        return np.square(y - X @ beta)

    outer, inner = np.zeros(n), np.full((n, K), np.nan)
    for i in range(K):
        outer[folds == i] = losses([i])[folds == i]
        for j in range(i):
            found = losses([i, j])
            inner[folds == i, j] = found[folds == i]
            inner[folds == j, i] = found[folds == j]
    return outer, inner, folds


def test_it_follows_the_paper_step_by_step():
    outer, inner, folds = from_least_squares(np.random.default_rng(0))
    a, b = [], []
    for i in range(K):
        own = folds == i
        a.append((np.mean([inner[row, i] for row in np.flatnonzero(~own)]) - outer[own].mean()) ** 2)
        b.append(outer[own].var(ddof=1) / own.sum())
    mse = (K - 1) / K * (np.mean(a) - np.mean(b))
    plain = np.nanstd(inner) / np.sqrt(60)
    error = np.clip(np.sqrt(max(mse, 0)), plain, np.sqrt(K) * plain)
    found = nested_interval(outer, inner, folds)
    assert found.value == pytest.approx(outer.mean())
    assert found.interval.width == pytest.approx(2 * 1.959964 * error)
    corrected = nested_interval(outer, inner, folds, at_all_rows=True)
    gap = np.nanmean(inner) - outer.mean()
    assert corrected.value == pytest.approx(np.nanmean(inner) - (1 + 8 / 10) * gap)
    assert corrected.target.endswith("trained on all rows")


def test_it_covers_where_the_plain_interval_does_not():
    rng = np.random.default_rng(1)
    drawn = [from_least_squares(rng) for _ in range(120)]
    # A least-squares fit on m rows of p normal attributes errs by 1 + p / (m − p − 1) on new ones.
    truth = 1 + 20 / (54 - 20 - 1)
    nested = [nested_interval(*one) for one in drawn]
    held = np.mean([one.low <= truth <= one.high for one in nested])
    plain = np.mean([abs(o.mean() - truth) <= 1.96 * o.std(ddof=1) / np.sqrt(60) for o, _, _ in drawn])
    assert held > 0.9
    assert plain < held


def test_repeats_are_averaged():
    rng = np.random.default_rng(2)
    parts = [from_least_squares(rng) for _ in range(3)]
    outer, inner, folds = (np.stack(kind) for kind in zip(*parts, strict=True))
    found = nested_interval(outer, inner, folds)
    assert found.value == pytest.approx(outer.mean())
    assert found.rows == "60 rows in 10 folds, split 3 times"


def test_losses_that_never_vary_give_a_point():
    inner = np.where(np.arange(3) == np.repeat(np.arange(3), 2)[:, None], np.nan, 0.0)
    found = nested_interval(np.zeros(6), inner, np.repeat(np.arange(3), 2))
    assert (found.low, found.value, found.high) == (0, 0, 0)


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match=r"shapes \(1, 4\) and \(1, 3, 3\), the folds \(1, 4\)"):
        nested_interval(np.zeros(4), np.zeros((3, 3)), [0, 1, 2, 0])
    with pytest.raises(UsageError, match="for 3 folds, and the rows lie in folds up to 5"):
        nested_interval(np.zeros(3), np.zeros((3, 3)), [0, 1, 5])
