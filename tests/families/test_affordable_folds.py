from __future__ import annotations

import numpy as np
import pytest

from venire.data.read import read_table
from venire.data.table import Table
from venire.families.affordable_folds import drawn_within, folds_within, rows_within


def table(rows: int, columns: int = 10, **given: object) -> Table:
    rng = np.random.default_rng(0)
    return read_table(rng.normal(size=(rows, columns)), rng.integers(0, 2, rows), **given)


@pytest.mark.parametrize(("rows", "folds"), [(300, 10), (5_000, 10), (5_001, 5), (20_000, 5), (50_001, 3)])
def test_a_long_budget_leaves_it_to_the_rows(rows: int, folds: int) -> None:
    assert folds_within(table(rows, 2), 3600.0) == folds


def test_the_shorter_the_budget_the_fewer_the_folds() -> None:
    rows = table(2_000)
    found = [folds_within(rows, budget) for budget in (600.0, 60.0, 10.0, 3.0, 0.5)]
    assert found == sorted(found, reverse=True)
    assert (found[0], found[-1]) == (10, 3)


def test_without_a_budget_and_with_groups_or_time_the_plan_decides() -> None:
    rows = 6_000
    assert folds_within(table(rows), None) is None
    assert folds_within(table(rows, groups=np.arange(rows) % 50), 60.0) is None
    assert folds_within(table(rows, time=np.arange(rows)), 60.0) is None


def test_rows_are_drawn_where_not_even_three_folds_fit() -> None:
    large = table(60_000)
    assert rows_within(large, None) == rows_within(large, 600.0) == 60_000
    assert drawn_within(large, 600.0, 0) == (large, ())
    found = [rows_within(large, budget) for budget in (60.0, 2.0, 1.0, 0.001)]
    assert found == sorted(found, reverse=True)
    assert (found[0], found[-1]) == (60_000, 5_000)
    assert 5_000 < found[2] < 60_000


def test_rows_that_are_drawn_are_the_same_for_a_seed_in_their_order_and_have_every_class() -> None:
    rng = np.random.default_rng(1)
    X, y = np.arange(20_000.0)[:, None] + rng.normal(size=(20_000, 30)) / 100, np.zeros(20_000, int)
    y[7], y[::2] = 2, 1
    rare = read_table(X, y)
    (one, said), (other, _), (again, _) = (drawn_within(rare, 0.01, seed) for seed in (0, 1, 0))
    assert said == (
        f"{one.rows:,} of 20,000 rows, drawn at random, are what 0.01 seconds pay for: trials and the model that is "
        "handed over know no others",
    )
    assert one.rows in (5_000, 5_001)
    assert sorted(np.unique(one.y)) == [0, 1, 2]
    assert (np.diff(one.X[:, 0]) > -1).all()
    assert np.array_equal(one.X, again.X)
    assert not np.array_equal(one.X[:5000], other.X[:5000])


@pytest.mark.parametrize("given", [{"groups": True}, {"time": True}, {"weights": True}])
def test_rows_that_hang_together_are_all_kept(given: dict[str, bool]) -> None:
    rows = 8_000
    values = {"groups": np.arange(rows) % 50, "time": np.arange(rows), "weights": np.ones(rows) + np.arange(rows)}
    assert rows_within(table(rows, **{name: values[name] for name in given}), 0.01) == rows
