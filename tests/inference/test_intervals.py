"""The literature's figures, the formulas by scipy.stats, and the coverage the correction is for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from venire.errors import UsageError
from venire.inference import (
    Interval,
    Student,
    accuracy_interval,
    corrected_t,
    cross_validated,
    discounted_beta,
    mean_posterior,
)


@pytest.mark.parametrize(("correct", "n", "low", "high"), [(6, 8, 0.41, 0.94), (67, 100, 0.57, 0.76)], ids=["8", "100"])
def test_accuracy_figures(correct, n, low, high):
    interval = accuracy_interval(correct, n)
    assert (round(interval.low, 2), round(interval.high, 2)) == (low, high)


@pytest.mark.parametrize(("correct", "n", "level"), [(0, 10, 0.95), (10, 10, 0.9), (37, 380, 0.5)])
def test_accuracy_interval_is_the_beta_posterior(correct, n, level):
    interval = accuracy_interval(correct, n, level)
    expected = stats.beta(correct + 0.5, n - correct + 0.5).interval(level)
    assert (interval.low, interval.high) == pytest.approx(expected, rel=1e-9)
    assert interval.level == level


def test_corrected_t_is_nadeau_and_bengio():
    values = np.array([0.11, 0.07, 0.15, 0.09, 0.10, 0.12, 0.05, 0.08, 0.13, 0.10])
    interval = corrected_t(values, test_over_train=1 / 9)
    scale = np.sqrt((1 / 10 + 1 / 9) * values.var(ddof=1))
    assert (interval.low, interval.high) == pytest.approx(stats.t(9, values.mean(), scale).interval(0.95), rel=1e-9)


def test_without_overlap_it_is_the_plain_t_interval():
    values = [1.0, 2.0, 4.0]
    plain = stats.t(2, np.mean(values), stats.sem(values)).interval(0.9)
    interval = corrected_t(values, 0, level=0.9)
    assert (interval.low, interval.high) == pytest.approx(plain, rel=1e-9)


def test_undefined_folds_are_left_out():
    assert corrected_t([0.1, np.nan, 0.3, 0.2], 0.25) == corrected_t([0.1, 0.3, 0.2], 0.25)


@pytest.mark.parametrize("values", [[], [0.4], [np.nan, 0.4]])
def test_fewer_than_two_folds_leave_it_undefined(values):
    interval = corrected_t(values, 0.25)
    assert not interval.defined
    assert not interval.within(0, 1).defined


def test_equal_folds_are_a_point():
    assert corrected_t([0.25, 0.25, 0.25], 0.5) == Interval(0.25, 0.25)
    point = mean_posterior([0.25, 0.25], 0.5)
    assert (point.cdf(0.2), point.cdf(0.25), point.cdf(0.3)) == (0, 1, 1)


def test_the_correction_covers_where_the_plain_interval_does_not():
    """Figures that share a part, as folds with overlapping training sets do: correlation ρ = n_test / n."""
    rng = np.random.default_rng(0)
    folds, rho, runs = 10, 0.1, 400
    shared = rng.normal(0, np.sqrt(rho), (runs, 1))
    figures = shared + rng.normal(0, np.sqrt(1 - rho), (runs, folds))

    def coverage(ratio: float) -> float:
        intervals = [corrected_t(row, ratio) for row in figures]
        return float(np.mean([interval.low <= 0 <= interval.high for interval in intervals]))

    assert 0.92 <= coverage(rho / (1 - rho)) <= 0.98
    assert coverage(0) < 0.88


def test_intervals_are_cut_at_the_bounds_of_the_quantity():
    assert Interval(-0.1, 0.2).within(0, 1) == Interval(0, 0.2)
    assert Interval(0.9, 1.2).within(0, 1) == Interval(0.9, 1)
    assert Interval(1.1, 1.2).within(0, 1) == Interval(1, 1)
    assert Interval(0.25, 0.5).width == 0.25


def test_an_undefined_posterior_says_so():
    unknown = Student(0.3, float("nan"), 0)
    assert np.isnan(unknown.cdf(0.5))
    assert not unknown.interval().defined


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match="9 rows right of 8 is impossible"):
        accuracy_interval(9, 8)
    with pytest.raises(UsageError, match="between 0 and 1, and 95 was asked for"):
        accuracy_interval(6, 8, level=95)
    with pytest.raises(UsageError, match=r"must not be negative, and is -0\.1"):
        corrected_t([1, 2], -0.1)


def test_discounted_counts_are_those_of_fewer_rows():
    found = discounted_beta(0.2, 211, folds=10, test_over_train=1.11)
    counted = 211 / (1 + 11.1)
    ends = stats.beta.ppf([0.025, 0.975], 0.2 * counted + 0.5, 0.8 * counted + 0.5)
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    assert discounted_beta(0.25, 80, folds=10, test_over_train=0) == accuracy_interval(20, 80)


@pytest.mark.parametrize("error", [0.0, 1.0])
def test_no_error_at_all_belongs_to_its_interval(error):
    found = discounted_beta(error, 50, folds=10, test_over_train=1 / 9)
    assert found.low <= error <= found.high
    assert 0.05 < found.width < 0.12


def test_independent_rows_leave_the_folds_no_say():
    rng = np.random.default_rng(0)
    losses = rng.binomial(20, 0.3, 10) / 20
    expected = discounted_beta(losses.mean(), 200, folds=10, test_over_train=1 / 9)
    assert cross_validated(losses, 1 / 9, rows=200) == expected


@pytest.mark.parametrize("known", [True, False])
def test_rows_that_hang_together_widen_it(known):
    losses = np.array([0.05, 0.06] * 5) if known else np.array([0.0, 0.6] * 5)
    by_rows = discounted_beta(losses.mean(), 200, folds=10, test_over_train=1 / 9)
    by_folds = corrected_t(losses, 1 / 9)
    found = cross_validated(losses, 1 / 9, rows=200, dependent=known, bounds=(0, 1))
    assert found.low == pytest.approx(max(0, min(by_rows.low, by_folds.low)))
    assert found.high == pytest.approx(max(by_rows.high, by_folds.high))


def test_repeats_bring_no_new_rows():
    losses = [0.1, 0.2, 0.3, 0.2]
    assert cross_validated(losses * 3, 1 / 3, rows=40, repeats=3) == cross_validated(losses, 1 / 3, rows=40)


def test_other_losses_have_the_corrected_t_within_their_bounds():
    losses = [0.0, 0.5, 0.1]
    assert cross_validated(losses, 1 / 2) == corrected_t(losses, 1 / 2)
    assert cross_validated(losses, 1 / 2, bounds=(0, 1)).low == 0
    assert not cross_validated([0.5], 1 / 2, rows=10).defined


def test_an_error_rate_beyond_one_is_refused():
    with pytest.raises(UsageError, match=r"between 0 and 1, and 1\.5 was given"):
        discounted_beta(1.5, 10, folds=5, test_over_train=1 / 4)


def test_nothing_wrong_anywhere_is_no_certainty():
    none = [0.0] * 10
    assert cross_validated(none, 1 / 9, bounds=(0, 1)).width == 0, "the folds alone cannot know"
    found = cross_validated(none, 1 / 9, scarce=68, bounds=(0, 1))
    assert found.low == 0
    assert found.high == discounted_beta(0.0, 68, folds=10, test_over_train=1 / 9).high
    assert cross_validated(none, 1 / 9, scarce=68, bounds=(0, 5)).high == pytest.approx(5 * found.high)
    assert cross_validated(none * 3, 1 / 9, scarce=68, repeats=3, bounds=(0, 1)).high == pytest.approx(found.high)
    constant = cross_validated([0.5] * 10, 1 / 9, scarce=68, bounds=(0, 1))
    assert (constant.low, constant.high) == (0.5, 0.5), "an AUC of a constant is a half, whatever the rows"
