"""What drifted is told from what only chance moved."""

from __future__ import annotations

import numpy as np
import pytest

from venire.use.drift import distance


def counts(shares, rows, seed):
    return np.random.default_rng(seed).multinomial(rows, shares).tolist()


def test_the_distance_is_the_population_stability_index():
    before, after = [400, 300, 300], [200, 300, 500]
    p, q = np.array(before) / 1000, np.array(after) / 1000
    assert distance(before, after).value == pytest.approx(((q - p) * np.log(q / p)).sum(), rel=0.01)


def test_rows_of_one_source_hardly_ever_drift():
    even = np.full(10, 0.1)
    found = [distance(counts(even, 300, seed), counts(even, 60, seed + 10_000)).drifted for seed in range(2000)]
    assert found.count("no") > 1980
    assert np.mean([distance(counts(even, 300, s), counts(even, 60, s + 10_000)).value for s in range(200)]) > 0.1


def test_rows_of_another_source_drift():
    tilted = np.linspace(1, 3, 10) / np.linspace(1, 3, 10).sum()
    even = np.full(10, 0.1)
    assert distance(counts(even, 5000, 0), counts(tilted, 5000, 1)).drifted == "some"
    assert distance(counts(even, 5000, 0), counts(tilted**3 / (tilted**3).sum(), 500, 1)).drifted == "much"


def test_a_category_that_nobody_had_is_no_infinite_drift():
    assert np.isfinite(distance([100, 0], [0, 100]).value)
