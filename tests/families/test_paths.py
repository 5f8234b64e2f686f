from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.validation.tables import plain
from venire.data.table import Table
from venire.families import fit_seconds as costs
from venire.families import paths
from venire.families.bucket import default_bucket
from venire.validation import two_layer


def table(rows: int, columns: int = 1) -> Table:
    return plain(np.zeros((rows, columns)), np.zeros(rows))


@pytest.mark.parametrize(
    ("rows", "expected"), [(2, [1]), (14, [3, 1]), (100, [9, 7, 5, 3, 1]), (10**4, list(range(29, 0, -2)))]
)
def test_neighbours_are_odd_and_at_most_the_root_of_the_rows(rows: int, expected: list[int]) -> None:
    assert [setting.params["n_neighbors"] for setting in paths.neighbours(table(rows))] == expected


@pytest.mark.parametrize("m", [1, 2, 3, 4, 10, 30, 1000])
def test_attributes_a_split_are_between_one_and_all(m: int) -> None:
    sizes = paths.forest_sizes(m)
    assert sizes[0] == 1
    assert sizes[-1] == m
    assert sizes == tuple(sorted(set(sizes)))
    assert int(np.log2(m)) + 1 in sizes


def test_strengths_are_twenty_between_ten_thousandth_and_ten_thousand() -> None:
    rising = [setting.params["C"] for setting in paths.strengths("C", "C", rising=True)]
    assert len(rising) == 20
    assert rising == sorted(rising)
    np.testing.assert_allclose([rising[0], rising[-1]], [1e-4, 1e4])
    falling = [setting.params["C"] for setting in paths.strengths("C", "C", rising=False)]
    assert falling == rising[::-1]


def test_rounds_are_ten_to_two_hundred() -> None:
    assert [s.params["n_estimators"] for s in paths.rounds(table(9))] == list(range(10, 201, 10))


FORMULAS = [f for name, f in vars(costs).items() if callable(f) and getattr(f, "__module__", "") == costs.__name__]


@pytest.mark.parametrize("formula", [f for f in FORMULAS if f.__code__.co_argcount == 3], ids=lambda f: f.__name__)
def test_more_of_anything_never_costs_less(formula: object) -> None:
    seconds = formula  # rows, columns, classes → seconds
    base = seconds(1000, 10, 2)  # type: ignore[operator]  # a function
    assert base > 0
    for more in ((2000, 10, 2), (1000, 20, 2), (1000, 10, 8)):
        assert seconds(*more) >= base  # type: ignore[operator]  # a function


def test_leaves_of_boosting_hold_a_sixth_of_a_small_table() -> None:
    found = {rows: paths.boosting_rounds(table(rows)) for rows in (9, 32, 120)}
    assert {rows: path[0].params.get("min_samples_leaf") for rows, path in found.items()} == {9: 2, 32: 5, 120: None}
    assert [setting.label for setting in found[32]] == [setting.label for setting in found[120]]


def test_boosting_learns_from_thirty_rows() -> None:
    x = np.arange(30.0)
    family = next(one for one in default_bucket() if one.name == "boosting")
    found = two_layer(family, pd.DataFrame({"x": x, "y": np.where(x < 15, "a", "b")}), "y", folds=5)
    assert found.error < 0.2
