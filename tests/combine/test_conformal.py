"""The radius of held-out scores holds the truth of new rows as often as was asked for."""

from __future__ import annotations

import numpy as np
import pytest

from venire.combine.conformal import MOST_SCORES, Conformal, around, class_scores, likely_classes, residual_scores
from venire.errors import UsageError


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("rows", [20, 99, 400])
def test_a_new_row_is_within_the_radius_as_often_as_asked(coverage, rows):
    rng = np.random.default_rng([rows, int(100 * coverage)])
    held = [rng.exponential() <= Conformal.of(rng.exponential(size=rows), rows).radius(coverage) for _ in range(4000)]
    rank = np.ceil((rows + 1) * coverage)  # of the radius among the scores
    assert abs(np.mean(held) - rank / (rows + 1)) < 4 * np.sqrt(coverage * (1 - coverage) / 4000)


def test_of_many_scores_some_are_kept_and_none_is_made_smaller():
    scores = np.random.default_rng(0).random(100_001)
    few, every = Conformal.of(scores, len(scores)), np.sort(scores)
    assert (len(few.scores), few.rows) == (MOST_SCORES, 100_001)
    assert few.scores[-1] == every[-1]
    for coverage in (0.01, 0.5, 0.9, 0.99, 0.9999):
        exact = every[int(np.ceil(coverage * 100_002)) - 1]
        assert exact <= few.radius(coverage) <= exact + 2 / MOST_SCORES


def test_rows_that_hang_together_count_as_fewer():
    scores = np.arange(1.0, 101.0)
    assert Conformal.of(scores, 100).radius(0.9) == 91
    assert Conformal.of(scores, 10).radius(0.9) == 99
    with pytest.raises(UsageError, match=r"100 held-out rows are too few for a coverage of 0\.95"):
        Conformal.of(scores, 10).radius(0.95)


@pytest.mark.parametrize("coverage", [0.0, 1.0, -1.0, float("nan"), 1.5])
def test_a_coverage_lies_between_zero_and_one(coverage):
    with pytest.raises(UsageError, match="a coverage lies between 0 and 1"):
        Conformal.of(np.arange(10.0), 10).radius(coverage)


def test_scores_say_how_strange_the_truth_was():
    assert residual_scores(np.array([1.0, 2.0]), np.array([1.5, 0.0])).tolist() == [0.5, 2.0]
    assert class_scores(np.array([1, 0]), np.array([[0.25, 0.75], [1.0, 0.0]])).tolist() == [0.25, 0.0]
    assert around(np.array([1.0, 2.0]), 0.5).tolist() == [[0.5, 1.5], [1.5, 2.5]]


def test_no_set_is_empty():
    assert likely_classes(np.array([[0.4, 0.35, 0.25]]), 0.1).tolist() == [[True, False, False]]


def test_scores_that_are_none_are_left_out():
    assert Conformal.of(np.array([np.nan, 2.0, 1.0]), 3).rows == 2
