"""Two models on the same folds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from venire.errors import UsageError
from venire.inference import Comparison, Student, compare_learners, compare_paired, p_beats_baseline, rope


@pytest.mark.parametrize(
    ("folds", "mean", "scale", "low", "high"), [(5, 0.7340, 0.46, -0.55, 2.02), (10, 1.4960, 0.40, 0.60, 2.40)]
)
def test_figures_of_the_literature(folds, mean, scale, low, high):
    interval = Comparison(Student(mean, scale, folds - 1)).interval()
    assert interval.low == pytest.approx(low, abs=0.01)
    assert interval.high == pytest.approx(high, abs=0.01)


@pytest.mark.parametrize("test_over_train", [0, 1 / 4])
@pytest.mark.parametrize("rope", [0, 0.02])
def test_posterior_is_student_t(test_over_train, rope):
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.2, 0.05, (2, 5))
    result = compare_paired(a, b, test_over_train=test_over_train, rope=rope)
    d = a - b
    t = stats.t(4, d.mean(), np.sqrt((1 / 5 + test_over_train) * d.var(ddof=1)))
    assert result.difference == pytest.approx(d.mean())
    assert result.p_better == pytest.approx(t.cdf(-rope), abs=1e-12)
    assert result.p_worse == pytest.approx(t.sf(rope), abs=1e-12)
    assert result.p_equal == pytest.approx(t.cdf(rope) - t.cdf(-rope), abs=1e-12)
    assert result.p_better + result.p_equal + result.p_worse == pytest.approx(1, abs=1e-12)
    assert (result.interval().low, result.interval().high) == pytest.approx(t.interval(0.95), rel=1e-9)


def test_without_a_rope_the_difference_test_is_the_paired_t_test():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.2, 0.05, (2, 10))
    one_sided = stats.ttest_rel(a, b, alternative="less").pvalue
    assert compare_paired(a, b, test_over_train=0).p_worse == pytest.approx(one_sided, abs=1e-12)


def test_the_correction_makes_claims_weaker():
    a, b = [0.10, 0.12, 0.08, 0.11], [0.14, 0.15, 0.10, 0.16]
    plain, corrected = (compare_paired(a, b, test_over_train=ratio) for ratio in (0, 1 / 3))
    assert 0.5 < corrected.p_better < plain.p_better


def test_reversing_swaps_better_and_worse():
    result = compare_paired([0.1, 0.2, 0.1], [0.2, 0.1, 0.3], test_over_train=0.5, rope=0.03)
    back = result.reverse()
    assert (back.p_better, back.p_worse) == (result.p_worse, result.p_better)
    assert back.p_equal == pytest.approx(result.p_equal, abs=1e-15)
    assert back.reverse() == result


def test_a_model_equals_itself():
    losses = [0.1, 0.3, 0.2]
    result = compare_paired(losses, losses, test_over_train=0.5)
    assert (result.p_better, result.p_equal, result.p_worse) == (0, 1, 0)


def test_a_constant_gap_on_the_edge_of_the_region_is_equal():
    edge = compare_paired([1.0, 2.0, 3.0], [1.5, 2.5, 3.5], test_over_train=0.5, rope=0.5)
    assert (edge.p_better, edge.p_equal, edge.p_worse) == (0, 1, 0)
    beyond = compare_paired([1.0, 2.0, 3.0], [1.5, 2.5, 3.5], test_over_train=0.5, rope=0.25)
    assert (beyond.p_better, beyond.p_equal, beyond.p_worse) == (1, 0, 0)


def test_folds_undefined_for_either_are_left_out():
    nan = float("nan")
    holes = compare_paired([0.1, nan, 0.2, 0.3, 0.4], [0.3, 0.1, nan, 0.4, 0.3], test_over_train=0.25)
    assert holes == compare_paired([0.1, 0.3, 0.4], [0.3, 0.4, 0.3], test_over_train=0.25)


def test_one_fold_claims_nothing():
    result = compare_paired([0.1], [0.2], test_over_train=0.5)
    assert np.isnan([result.p_better, result.p_equal, result.p_worse, result.interval().low]).all()
    assert np.isnan(p_beats_baseline([0.1], [0.2], test_over_train=0.5))


def test_beating_the_baseline():
    baseline = np.full(10, 0.3)
    good, useless = np.linspace(0.05, 0.15, 10), baseline + np.tile([-0.02, 0.02], 5)
    assert p_beats_baseline(good, baseline, test_over_train=1 / 9) > 0.999
    assert p_beats_baseline(useless, baseline, test_over_train=1 / 9) == pytest.approx(0.5, abs=1e-9)


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match="the two models have 2 and 3 losses"):
        compare_paired([1, 2], [1, 2, 3], test_over_train=0)
    with pytest.raises(UsageError, match="region of equivalence must not be negative, and is -1"):
        compare_paired([1, 2], [1, 3], test_over_train=0, rope=-1)


def test_learners_are_compared_with_twice_the_overlap():
    a, b = np.random.default_rng(9).normal(0.2, 0.05, (2, 10))
    cautious = compare_learners(a, b, test_over_train=1 / 9, rope=0.01)
    assert cautious == compare_paired(a, b, test_over_train=2 / 9, rope=0.01)
    assert cautious.interval().width > compare_paired(a, b, test_over_train=1 / 9).interval().width


def test_a_wider_region_holds_more():
    compared = compare_paired([0.1, 0.2, 0.15], [0.12, 0.2, 0.18], test_over_train=1 / 2)
    assert rope(compared, 0.05).p_equal > rope(compared, 0.01).p_equal > compared.p_equal
    assert rope(compared, 0.0) == compared
    with pytest.raises(UsageError, match="must not be negative, and is -1"):
        rope(compared, -1)
