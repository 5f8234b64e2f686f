"""The error rate on one test part of groups: known values, limits, and how often the interval holds the truth."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.honesty.problems import erring_groups
from venire.errors import UsageError
from venire.inference import accuracy_interval, clustered_beta
from venire.inference.clusters import effective_rows, too_few_groups


def held(found, error):
    return found.low <= error <= found.high


@pytest.mark.parametrize(
    ("groups", "error", "alike"), [(12, 0.3, 0.1), (20, 0.2, 0.3), (40, 0.05, 0.3), (30, 0.45, 0.8), (25, 0.2, 0.0)]
)
def test_it_holds_the_error_on_new_groups_as_often_as_it_says(groups, error, alike):
    rng = np.random.default_rng(0)
    clustered = plain = 0
    for _ in range(1000):
        wrong, group = erring_groups(rng, groups=groups, error=error, alike=alike)
        clustered += held(clustered_beta(wrong, group), error)
        plain += held(accuracy_interval(wrong.sum(), len(wrong)), error)
    assert clustered / 1000 >= 0.93
    if alike >= 0.1:
        assert plain / 1000 < 0.85, "or the planted groups would be none"


def test_independent_rows_in_groups_cost_little():
    rng = np.random.default_rng(1)
    ratios = []
    for _ in range(200):
        wrong, group = erring_groups(rng, groups=60, error=0.2, alike=0.0)
        ratios.append(clustered_beta(wrong, group).interval.width / accuracy_interval(wrong.sum(), len(wrong)).width)
    assert 1.0 <= np.mean(ratios) < 1.15
    assert min(ratios) >= 1.0, "never narrower than the counts alone"


def test_groups_of_copies_count_as_their_number_at_most():
    one = np.random.default_rng(2).random(50) < 0.3
    copies, group = np.repeat(one, 8), np.repeat(np.arange(50), 8)
    assert 40 < effective_rows(copies, group) < 50
    assert clustered_beta(copies, group).value == clustered_beta(one, np.arange(50)).value


def test_groups_of_one_row_are_independent_rows():
    found = clustered_beta(np.arange(40) < 7, np.arange(40))
    exact = stats.binomtest(7, 40).proportion_ci(method="exact")
    assert (found.low, found.high) == (pytest.approx(exact.low), pytest.approx(exact.high))


@pytest.mark.parametrize("wrong", [0, 1])
def test_without_any_difference_groups_are_counted(wrong):
    found = clustered_beta(np.full(200, wrong), np.repeat(np.arange(20), 10))
    exact = stats.binomtest(20 * wrong, 20).proportion_ci(method="exact")
    assert (found.low, found.high) == (pytest.approx(exact.low), pytest.approx(exact.high))


def test_a_single_group_has_no_interval():
    found = clustered_beta([0, 1, 1], ["a", "a", "a"])
    assert found.value == pytest.approx(2 / 3)
    assert not found.interval.defined


def test_the_names_of_the_groups_do_not_matter():
    wrong, group = erring_groups(np.random.default_rng(3), groups=15, error=0.3, alike=0.2)
    order = np.random.default_rng(4).permutation(len(wrong))
    named = np.array([f"g{k * 7919 % 1000}" for k in group])
    other = clustered_beta(wrong[order], named[order])
    assert other.high == pytest.approx(clustered_beta(wrong, group).high)
    assert "15 groups" in other.rows


def test_errors_in_few_groups_leave_few_degrees_of_freedom():
    group = np.arange(400) // 10
    spread, packed = np.arange(400) % 10 == 0, group < 4
    assert effective_rows(spread, group) > 350
    rows_of_four_groups = effective_rows(packed, group)
    assert rows_of_four_groups < 40 * (stats.t.ppf(0.975, 399) / stats.t.ppf(0.975, 39)) ** 2
    assert rows_of_four_groups > 20


def test_few_groups_are_said():
    assert too_few_groups(np.arange(120) // 12) is None
    assert "has 6 groups" in too_few_groups(np.arange(120) // 20)
    assert "one group" in too_few_groups(np.zeros(120))


def test_what_is_refused():
    with pytest.raises(UsageError, match=r"groups of the shape \(2,\) for rows of the shape \(3,\)"):
        clustered_beta([0, 1, 0], [1, 2])
    with pytest.raises(UsageError, match="shape"):
        clustered_beta([], [])
    with pytest.raises(UsageError, match="wrong \\(1\\) or not"):
        clustered_beta([0.5, 1], [1, 2])
    with pytest.raises(UsageError, match="level of an interval"):
        clustered_beta([0, 1], [1, 2], level=1.5)
