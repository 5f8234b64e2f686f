from __future__ import annotations

import numpy as np
import pytest

from venire.data.read import read_table
from venire.data.table import Table
from venire.families.affordable_folds import folds_within


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
