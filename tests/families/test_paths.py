from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from tests.validation.tables import plain
from venire.data.table import Table
from venire.families import fit_seconds as costs
from venire.families import paths
from venire.families.bucket import default_bucket
from venire.validation import two_layer
from venire.validation.trials.generic import GenericFamily


def table(rows: int, columns: int = 1) -> Table:
    return plain(np.zeros((rows, columns)), np.zeros(rows))


@pytest.mark.parametrize(
    ("rows", "expected"), [(2, [1]), (14, [3, 1]), (100, [9, 7, 5, 3, 1]), (10**4, list(range(29, 0, -2)))]
)
def test_neighbours_are_odd_and_at_most_the_root_of_the_rows(rows: int, expected: list[int]) -> None:
    assert [setting.params["n_neighbors"] for setting in paths.neighbours(table(rows))] == expected


def test_the_rule_in_words_holds_for_tables_of_any_length() -> None:
    """What `venire models` lists is the rule, not what it came to on one table."""
    assert "from √rows (29 at most) down to 1" in paths.neighbours.words
    for rows in (10, 400, 552, 10**5):
        ks = [setting.params["n_neighbors"] for setting in paths.neighbours(table(rows))]
        largest_odd = math.isqrt(rows) - (math.isqrt(rows) % 2 == 0)
        assert (ks[0], ks[-1]) == (min(29, largest_odd), 1)


@pytest.mark.parametrize("family", default_bucket(), ids=lambda family: family.name)
def test_every_path_of_the_bucket_is_in_words(family: GenericFamily) -> None:
    assert family.path_rule != "by the shape of the table"
    labels = [setting.label for setting in family.path(table(10**5, 12))]
    fixed = family.with_path(family.path(table(10**5, 12))).path_rule
    assert fixed == (labels[0] if len(labels) == 1 else f"{len(labels)} values: {labels[0]} … {labels[-1]}")


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
    found = {rows: paths.boosting_rounds(paths.ROUNDS, 20)(table(rows)) for rows in (9, 32, 120)}
    assert {rows: path[0].params.get("min_samples_leaf") for rows, path in found.items()} == {9: 2, 32: 5, 120: None}
    assert [setting.label for setting in found[32]] == [setting.label for setting in found[120]]


def test_boosting_learns_from_thirty_rows() -> None:
    x = np.arange(30.0)
    family = next(one for one in default_bucket() if one.name == "boosting")
    found = two_layer(family, pd.DataFrame({"x": x, "y": np.where(x < 15, "a", "b")}), "y", folds=5)
    assert found.error < 0.2
