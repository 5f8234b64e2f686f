"""Two learners over many tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from venire.errors import UsageError
from venire.inference import holm, sign_test, wilcoxon


def gaps(tables=14, shift=-0.02, seed=0):
    rng = np.random.default_rng(seed)
    second = rng.uniform(0.1, 0.4, tables)
    return second + shift + rng.normal(0, 0.02, tables), second


def ranked(*losses, seed=0, **options):
    return wilcoxon(*losses, np.random.default_rng(seed), **options)


def test_the_sign_test_is_the_binomial_one():
    first, second = gaps()
    wins = int((first < second).sum())
    result = sign_test(first, second)
    assert result.p_value == pytest.approx(stats.binomtest(wins, 14).pvalue)
    assert result.p_better == pytest.approx(stats.beta.sf(0.5, wins + 0.5, 14 - wins + 0.5))
    assert result.p_better + result.p_equal + result.p_worse == pytest.approx(1)
    assert result.difference == pytest.approx(np.median(first - second))


def test_ties_are_shared_out():
    even = sign_test([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4])
    assert (even.p_better, even.p_worse, even.p_value) == (pytest.approx(0.5), pytest.approx(0.5), 1.0)


def test_a_region_gathers_the_small_differences():
    first, second = np.full(20, 0.3), np.full(20, 0.3) + np.tile([0.001, -0.001], 10)
    assert sign_test(first, second, rope=0.005).p_equal > 0.99
    assert ranked(first, second, rope=0.005).p_equal > 0.99
    assert sign_test(first, second, rope=0.0005).p_equal < 0.5


def test_the_largest_of_three_shares_is_that_of_draws():
    rng = np.random.default_rng(3)
    drawn = rng.dirichlet([7.5, 2.5, 4.5], 200_000).argmax(axis=1)
    differences = np.repeat([-1.0, 0.0, 1.0], [7, 2, 4])
    result = sign_test(differences, np.zeros(13), rope=0.5)
    shares = np.bincount(drawn, minlength=3) / 200_000
    assert (result.p_better, result.p_equal, result.p_worse) == pytest.approx(tuple(shares), abs=0.005)


def test_the_signed_ranks_are_those_of_scipy():
    first, second = gaps(seed=4)
    result = ranked(first, second)
    assert result.p_value == pytest.approx(stats.wilcoxon(first, second, zero_method="zsplit").pvalue)
    means = [(a + b) / 2 for k, a in enumerate(first - second) for b in (first - second)[k:]]
    assert result.difference == pytest.approx(np.median(means))
    assert result.p_better > 0.9


def test_both_turn_around():
    first, second = gaps(seed=5)
    ahead, behind = sign_test(first, second, rope=0.01), sign_test(second, first, rope=0.01)
    assert ahead.p_better == pytest.approx(behind.p_worse)
    assert ahead.interval().low == pytest.approx(-behind.interval().high)
    assert ranked(first, second).p_better == pytest.approx(ranked(second, first).p_worse, abs=0.02)


@pytest.mark.parametrize("test", [sign_test, ranked])
def test_intervals_hold_the_typical_difference(test):
    held = []
    for seed in range(200):
        options = {} if test is sign_test else {"draws": 10}  # the interval needs none of them
        found = test(*gaps(tables=20, shift=-0.02, seed=seed), **options).interval()
        held.append(found.low <= -0.02 <= found.high)
    assert np.mean(held) > 0.92


def test_too_few_tables_give_no_interval():
    assert not sign_test([0.1, 0.2, 0.3], [0.2, 0.3, 0.4]).interval().defined
    assert sign_test(*gaps(tables=6)).interval().defined
    assert not ranked([0.1, 0.2], [0.2, 0.3]).interval().defined


def test_no_difference_anywhere_is_no_evidence():
    same = ranked([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (same.p_value, same.difference) == (1.0, 0.0)
    assert same.p_equal == pytest.approx(1)


def test_holm_is_the_step_down_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.5]).tolist() == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([0.4, 0.6]).tolist() == [0.8, 0.8]
    assert holm([]).tolist() == []


def test_tables_undefined_for_either_are_left_out():
    assert sign_test([0.1, np.nan, 0.2], [0.2, 0.1, 0.3]).difference == pytest.approx(-0.1)


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match="have 2 and 1 losses"):
        sign_test([0.1, 0.2], [0.1])
    with pytest.raises(UsageError, match="no table on which both"):
        sign_test([np.nan], [0.1])
    with pytest.raises(UsageError, match="must not be negative, and is -1"):
        ranked([0.1], [0.2], rope=-1)
    with pytest.raises(UsageError, match="numbers between 0 and 1"):
        holm([0.5, 1.5])
