"""Statistics of categories that look at no target but those of rows before."""

from __future__ import annotations

import numpy as np

from benchmarks.accuracy.target_statistics import of_all, ordered

CODES = np.array([0, 1, 0, 2, 0, 1, 1, 0])
TARGET = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0])


def test_a_row_is_told_the_mean_of_those_of_its_category_that_come_before() -> None:
    found = ordered(CODES, TARGET, 0.5, np.random.default_rng(4))
    order = np.random.default_rng(4).permutation(len(CODES))
    for place, row in enumerate(order):
        before = [other for other in order[:place] if CODES[other] == CODES[row]]
        assert np.isclose(found[row], (TARGET[before].sum() + 0.5) / (len(before) + 1))


def test_no_row_is_told_its_own_target() -> None:
    for row in range(len(CODES)):
        flipped = TARGET.copy()
        flipped[row] = 1 - flipped[row]
        one, other = (ordered(CODES, y, 0.5, np.random.default_rng(4)) for y in (TARGET, flipped))
        assert one[row] == other[row]


def test_a_new_category_is_told_the_prior() -> None:
    assert of_all(CODES, TARGET, 0.3, np.array([7])).tolist() == [0.3]
