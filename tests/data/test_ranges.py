"""Cutting into ranges: the midpoints of the literature, equal widths and frequencies, and edges of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from venire.data.ranges import Ranges, cut, equal_frequency_edges, equal_width_edges, midpoints, range_labels
from venire.errors import UsageError

AGES = [15, 18, 21, 22, 24, 25, 29, 31]
numbers = hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e6, 1e6))


@parametrize_with_checks([Ranges(), Ranges(how="frequency", ranges=3), Ranges(how="edges", edges=[0.0, 1.0])])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_midpoints_of_the_ages():
    assert midpoints(AGES).tolist() == [16.5, 19.5, 21.5, 23, 24.5, 27, 30]
    assert midpoints([31, 15, np.nan, 15]).tolist() == [23.0]
    assert midpoints([4, 4]).size == 0


@given(numbers)
def test_every_midpoint_parts_neighbours(values):
    edges = midpoints(values)
    distinct = np.unique(values)
    assert len(edges) == len(distinct) - 1
    assert cut(distinct, edges).tolist() == list(range(len(distinct)))


def test_neighbours_without_a_number_between():
    low = 1.0
    high = np.nextafter(low, 2)
    assert cut([low, high], midpoints([low, high])).tolist() == [0, 1]


def test_equal_width_is_that_of_scikit_learn():
    values = np.random.default_rng(0).normal(size=(100, 1))
    peer = KBinsDiscretizer(4, encode="ordinal", strategy="uniform").fit_transform(values)
    np.testing.assert_array_equal(cut(values[:, 0], equal_width_edges(values, 4)), peer[:, 0])


@given(numbers, st.integers(1, 8))
def test_equal_frequency_never_parts_equals(values, ranges):
    edges = equal_frequency_edges(values, ranges)
    codes = cut(values, edges)
    assert len(edges) <= ranges - 1
    assert len(np.unique(codes)) == len(edges) + 1  # no range is empty
    for value in np.unique(values):
        assert len(set(codes[values == value])) == 1


def test_equal_frequency_of_distinct_values():
    codes = cut(np.arange(12), equal_frequency_edges(np.arange(12), 4))
    assert np.bincount(codes.astype(int)).tolist() == [3, 3, 3, 3]


def test_nothing_to_cut():
    assert equal_width_edges([3, 3, 3], 4).size == 0
    assert equal_frequency_edges([np.nan], 4).size == 0
    assert equal_width_edges([], 2).size == 0
    assert range_labels([]) == ("all",)


def test_ranges_keep_gaps_and_take_values_from_beyond():
    fitted = Ranges(how="width", ranges=2).fit([[0.0], [10.0]])
    np.testing.assert_array_equal(
        fitted.transform([[-5.0], [5.0], [5.1], [99.0], [np.nan]]).ravel(), [0, 0, 1, 1, np.nan]
    )


def test_ranges_in_a_pipeline_with_edges_a_column():
    X = np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 20.0], [4.0, 40.0]])
    model = make_pipeline(Ranges(how="edges", edges=[[2.5], [15.0, 25.0]]), DecisionTreeClassifier())
    assert model.fit(X, [0, 0, 1, 1]).predict(X).tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(model[0].transform(X), [[0, 0], [0, 2], [1, 1], [1, 2]])
    assert model[0].get_feature_names_out().tolist() == ["x0", "x1"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cut([1.0], [2.0, 1.0]), UsageError, r"must be numbers that ascend, and are \[2\.0, 1\.0\]"),
        (lambda: equal_width_edges([1.0], 0), UsageError, "at least one range, and 0 were asked for"),
        (lambda: Ranges(how="edges").fit([[1.0]]), UsageError, "needs the edges"),
        (lambda: Ranges(how="edges", edges=[[1.0]]).fit([[1.0, 2.0]]), UsageError, "for 1 columns, and 2 columns"),
        (lambda: Ranges(ranges=1).fit([[1.0]]), ValueError, "'ranges' parameter"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
