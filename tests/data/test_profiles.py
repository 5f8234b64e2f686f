"""A dozen numbers say how a column is spread."""

from __future__ import annotations

import numpy as np

from venire.data.profiles import RANGES, counted, profile


def test_ranges_hold_about_as_many_values_each():
    values = np.random.default_rng(0).normal(size=1003)
    values[::10] = np.nan
    edges, counts = profile(values)
    assert len(counts) == len(edges) + 1 == RANGES
    assert sum(counts) == np.sum(~np.isnan(values))
    assert max(counts) - min(counts) <= 1


def test_frequent_values_make_fewer_ranges_and_nothing_is_lost():
    edges, counts = profile(np.array([0.0] * 90 + [1.0] * 5 + [2.0] * 5))
    assert len(edges) < RANGES - 1
    assert sum(counts) == 100


def test_an_upper_edge_belongs_to_its_range():
    assert counted(np.array([1.0, 1.5, 2.0, 2.5]), [1.5, 2.0]).tolist() == [2, 1, 1]


def test_a_column_of_gaps_has_one_empty_range():
    assert profile(np.full(5, np.nan)) == ([], [0])
