"""Rows that repeat one another: what is said of tables where nothing is wrong, and where much is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.validation.tables import clouds, plain
from venire.data.table import Table
from venire.validation.plans.folds import make_plan
from venire.verdict.findings.duplicates import repeated_rows


def said_of(table: Table) -> list[str]:
    case: Any = SimpleNamespace(docket=SimpleNamespace(table=table, plan=make_plan(table)))
    return [message for message, _ in repeated_rows(case)]


@pytest.mark.parametrize("seed", range(12))
def test_tables_whose_rows_are_different_cases_hear_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(60, 500))
    line = np.sort(rng.normal(size=rows))  # neighbours on a line are near
    tables = [
        clouds(rows, seed),
        plain(np.column_stack([line, line**2]), rng.normal(size=rows)),
        plain(rng.integers(0, 3, (rows, 12)), rng.integers(0, 2, rows), classes=2),
        plain(rng.normal(size=(rows, 8)).round(1), rng.integers(0, 4, rows), classes=4),
    ]
    assert [said_of(table) for table in tables] == [[]] * 4


@pytest.mark.parametrize("copies", [2, 4])
@pytest.mark.parametrize("noise", [1e-6, 1e-2])
def test_copies_with_noise_are_seen(copies: int, noise: float) -> None:
    table = clouds(150).take(np.tile(np.arange(150), copies))
    X = table.X + noise * np.random.default_rng(0).normal(size=table.X.shape)
    (message,) = said_of(table.with_values(np.asfortranarray(X), table.y))
    assert message.endswith("of the rows hardly differ from another row: they may be copies with noise")


def test_rows_made_by_interpolation_are_no_copies_but_near_ones_are() -> None:
    """A rare class filled up with points between its rows: those close to a row are seen where they are most."""
    rng = np.random.default_rng(0)
    table = clouds(100)
    near = table.X + 0.01 * (table.X[rng.permutation(100)] - table.X)
    both = plain(np.vstack([table.X, near]), np.tile(table.y, 2), classes=2)
    assert any("hardly differ" in message for message in said_of(both))
