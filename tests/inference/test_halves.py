"""The conservative z interval."""

from __future__ import annotations

import numpy as np
import pytest

from venire.errors import UsageError
from venire.inference import conservative_z


def test_the_variance_is_that_between_halves():
    halves = np.array([[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]])
    found = conservative_z([0.1, 0.2, np.nan], halves, level=0.9)
    error = np.sqrt(np.square(halves[:, 0] - halves[:, 1]).mean() / 2)
    assert found.value == pytest.approx(0.15)
    assert found.interval.width == pytest.approx(2 * 1.644854 * error)
    assert found.rows == "2 figures, and 3 splits into halves for their spread"


def test_it_is_conservative_for_a_mean():
    """The mean of n values has half the variance of the mean of n / 2: the interval is √2 too wide."""
    rng = np.random.default_rng(0)
    held = []
    for _ in range(300):
        values = rng.normal(size=40)
        splits = [rng.permutation(values).reshape(2, 20).mean(axis=1) for _ in range(10)]
        found = conservative_z(values, splits)
        held.append(found.low <= 0 <= found.high)
    assert np.mean(held) > 0.97


def test_without_splits_nothing_is_claimed():
    assert not conservative_z([0.1, 0.2], np.empty((0, 2))).interval.defined


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match=r"halves have the shape \(3,\)"):
        conservative_z([0.1], [0.1, 0.2, 0.3])
