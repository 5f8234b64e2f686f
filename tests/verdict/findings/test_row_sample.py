"""Rows drawn for a look: all of a short table, and of a long one so many that what is compared stays together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.validation.tables import classification, plain
from venire.data.table import Kind, Table
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.verdict.findings import row_sample as module
from venire.verdict.findings.row_sample import most_rows, screened, whole_values


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 400)
    monkeypatch.setattr(module, "_FEWEST", 100)


def visits(rows: int = 4000, seed: int = 0) -> tuple[Table, Plan]:
    """Patients of five rows each, a few of whom have no number; a yes or no; a measurement; every tenth row a copy."""
    rng = np.random.default_rng(seed)
    patient = rng.permutation(np.repeat(np.arange(rows // 5), 5)).astype(float)
    patient[:40] = np.nan
    X = np.column_stack([patient, rng.integers(0, 2, rows), rng.normal(size=rows)])
    X[rows - rows // 10 :] = X[: rows // 10]
    table = plain(X, rng.integers(0, 2, rows), classes=2)
    return table, make_plan(table, folds=4, seed=seed)


def test_a_short_table_is_seen_whole() -> None:
    table = classification(300)
    plan = make_plan(table, folds=4)
    screen = screened(table, plan)
    assert screen.table is table
    assert screen.rows.tolist() == list(range(300))
    assert screen.note == ""
    column = whole_values(table, plan, 2)
    assert column is not None
    assert column.note == ""
    np.testing.assert_array_equal(column.table.X[:, 0], table.X[:, 2])
    assert column.table.columns == (table.columns[2],)


def test_rows_of_a_long_table_are_drawn_in_order_with_all_that_belongs_to_them() -> None:
    table, plan = visits()
    table = replace(table, time=np.arange(4000.0), groups=np.arange(4000, dtype=np.int32), weights=np.ones(4000))
    screen = screened(table, plan)
    assert len(screen.rows) == len(np.unique(screen.rows)) == 400
    assert (np.diff(screen.rows) > 0).all()
    np.testing.assert_array_equal(screen.table.X, table.X[screen.rows])
    np.testing.assert_array_equal(screen.table.y, table.y[screen.rows])
    np.testing.assert_array_equal(screen.table.time, screen.rows)
    np.testing.assert_array_equal(screen.table.groups, screen.rows)
    assert screen.note == " (in 400 rows drawn from 4,000)"
    assert screened(table, plan).rows.tolist() == screen.rows.tolist(), "the same rows every time"
    _, other = visits(seed=1)
    assert screened(table, other).rows.tolist() != screen.rows.tolist()


def test_a_wide_table_is_seen_in_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = visits()
    assert most_rows(table) == 400
    monkeypatch.setattr(module, "_MOST_CELLS", 600.0)
    assert most_rows(table) == 200
    monkeypatch.setattr(module, "_MOST_CELLS", 30.0)
    assert most_rows(table) == 100, "but never in too few"


def test_values_are_drawn_with_all_of_their_rows() -> None:
    table, plan = visits()
    screen = whole_values(table, plan, 0)
    assert screen is not None
    drawn = table.X[screen.rows, 0]
    assert 300 <= len(drawn) <= 400
    assert not np.isnan(drawn).any()
    values, sizes = np.unique(drawn, return_counts=True)
    for value, size in zip(values, sizes, strict=True):
        assert size == (table.X[:, 0] == value).sum()
    beside = np.isin(values + 1, values).mean()
    assert beside > 0.6, "most of them have their neighbour with them: they come in runs"
    assert values.max() - values.min() > 400, "from all over the range"


def test_a_column_of_few_values_marks_no_groups_in_a_long_table() -> None:
    table, plan = visits()
    assert whole_values(table, plan, 1) is None


def test_a_value_that_is_most_of_the_rows_does_not_make_it_long() -> None:
    table, plan = visits()
    X = table.X.copy(order="F")
    X[np.random.default_rng(1).random(4000) < 0.6, 0] = -1.0
    assert whole_values(replace(table, X=X), plan, 0) is None, "a number that is usually the same is a measurement"
    named = (replace(table.columns[0], kind=Kind.CATEGORICAL), *table.columns[1:])
    screen = whole_values(replace(table, X=X, columns=named), plan, 0)
    assert screen is not None
    assert 0 < len(screen.rows) <= 400
