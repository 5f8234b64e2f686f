"""Intervals by rows: the Beta posterior of an error rate, and what other losses have instead."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from venire.errors import UsageError
from venire.inference import discounted_beta, row_interval, stretches
from venire.metrics.all_rows import Rates


@given(st.integers(0, 200), st.integers(3, 10))
def test_an_error_rate_has_the_discounted_beta(wrong: int, folds: int) -> None:
    losses = np.repeat([1.0, 0.0], [wrong, 200 - wrong])
    rate = wrong / 200
    found = row_interval(rate, losses - rate, overlap=1 + folds / (folds - 1))
    expected = discounted_beta(rate, 200, folds=folds, test_over_train=1 / (folds - 1))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_losses_that_never_came_are_allowed_for() -> None:
    certain = np.full(200, 1e-4)
    found = row_interval(1e-4, certain - 1e-4, unseen=(0.0, 8.0), bounds=(0.0, 16.0))
    assert found.low <= 1e-4
    assert 8.0 / 200 < found.high < 8.0 * stats.beta.ppf(0.999, 0.5, 200)


def test_a_loss_without_a_bound_allows_for_more_above_than_below() -> None:
    squares = np.square(np.random.default_rng(0).standard_normal(100))
    value = float(squares.mean())
    found = row_interval(value, squares - value, unseen=(value, 2 * squares.max()), bounds=(0.0, np.inf))
    assert 0 < value - found.low < found.high - value


def test_rows_of_a_group_count_as_fewer() -> None:
    groups = np.repeat(np.arange(20), 10)
    wrong = np.repeat(np.random.default_rng(0).integers(0, 2, 20), 10).astype(float)
    rate = float(wrong.mean())
    alone, together = row_interval(rate, wrong - rate), row_interval(rate, wrong - rate, groups=groups)
    assert together.width > 2.5 * alone.width


def test_a_class_that_is_always_missed_does_not_show_a_rate_of_one() -> None:
    missed = np.repeat([1.0, 0.0], [10, 90])
    rates = Rates(wrong=(0.0, 10.0), right=(90.0, 0.0))
    found = row_interval(0.5, np.zeros(100) + missed - 0.1, counted=20, rates=rates)
    assert found.low < 0.45
    assert 0.5 <= found.high < 0.55


def test_an_f1_is_the_beta_of_its_rows_turned() -> None:
    rates = Rates(wrong=(12.0,), right=(20.0,), hits_twice=True)
    found = row_interval(12 / 52, np.ones(200), overlap=1.0, rates=rates)
    share = stats.beta(12.5, 20.5).ppf([0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(tuple(share / (2 - share)))


def test_what_groups_and_training_sets_share_is_added() -> None:
    groups = np.repeat(np.arange(40), 5)
    wrong = np.repeat(np.random.default_rng(0).integers(0, 2, 40), 5).astype(float)
    rate = float(wrong.mean())
    widths = [row_interval(rate, wrong - rate, groups=groups, overlap=1 + more).width ** 2 for more in (0.0, 1.0, 2.0)]
    assert widths[2] - widths[1] == pytest.approx(widths[1] - widths[0], rel=0.2)
    assert widths[1] < 1.5 * widths[0]


def test_training_sets_never_make_it_surer() -> None:
    with pytest.raises(UsageError, match="never more"):
        row_interval(0.1, np.zeros(10), overlap=0.5)


def test_neighbours_in_time_are_together() -> None:
    assert np.bincount(stretches(np.arange(100.0)[::-1])).tolist() == [10] * 10
    assert np.bincount(stretches(np.arange(10.0))).tolist() == [5] * 2
