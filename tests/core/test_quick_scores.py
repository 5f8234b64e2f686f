"""Scores by masks against scores by walking: a few rows are always walked."""

from __future__ import annotations

import numpy as np
import pytest

from venire._core import Bins, Booster, BoostPlan, boosted_sums


@pytest.mark.parametrize("leaves", [2, 31, 33, 64, 100])
@pytest.mark.parametrize("scalar", [np.float32, np.float64])
def test_masks_and_walks_agree_to_the_last_bit(leaves: int, scalar: type) -> None:
    rng = np.random.default_rng(leaves)
    x = rng.normal(size=(1_300, 9)).astype(scalar)
    x[:, 3] = rng.integers(0, 30, size=len(x))
    x[:, 4] = rng.integers(0, 3, size=len(x))
    x[:, 5] = 7.0
    x[rng.random(x.shape) < 0.1] = np.nan
    x[0, 0], x[1, 0] = np.inf, -np.inf
    y = (np.nan_to_num(x[:, 0] * x[:, 1], posinf=1, neginf=1) + (x[:, 3] % 3 == 0) > rng.normal(size=len(x))) * 1.0
    categorical = np.arange(9) == 3
    plan = BoostPlan()
    plan.loss, plan.max_leaf_nodes, plan.min_samples_leaf = "logistic", leaves, 3.0
    bins = Bins.of(x, categorical, None, max_bins=255, threads=1)
    booster = Booster.of(bins, y, None, np.zeros(0), np.zeros(0, dtype=np.int8), plan, threads=1)
    booster.advance(8, threads=1)
    forest, start = booster.forest(), booster.start
    at_once = boosted_sums(forest, np.asfortranarray(x), start, [1, 8], threads=2)
    few = [boosted_sums(forest, x[i : i + 50], start, [1, 8], threads=1) for i in range(0, len(x), 50)]
    np.testing.assert_array_equal(at_once, np.concatenate(few, axis=1))
    np.testing.assert_array_equal(at_once[1, :, 0], booster.scores()[0])
