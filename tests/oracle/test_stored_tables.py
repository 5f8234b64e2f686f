"""A table in a column store gives every family the same bytes as the table in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from venire.data.read import read_table
from venire.data.store import column, column_writer
from venire.data.store.room import available_memory
from venire.data.table import Table, Task
from venire.errors import VenireError
from venire.families import bucket, fold_encoders, logistic, ridge
from venire.models.bayes import path
from venire.validation.plans.folds import make_plan
from venire.validation.trials import generic
from venire.validation.trials.family import PathPredictions

ROWS = 420
FROM_STORE = (
    "baseline",
    "naive_bayes",
    "linear",
    "logistic",
    "tree",
    "bagging",
    "forest",
    "extra_trees",
    "adaboost",
    "boosting",
)


@pytest.fixture(params=[Task.CLASSIFICATION, Task.REGRESSION])
def tables(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Table, Table]:
    """One table in memory and in a store, both looked at in small pieces."""
    for module in (column, column_writer, path, logistic):
        monkeypatch.setattr(module, "STRETCH", 50)
    for module in (fold_encoders, ridge):
        monkeypatch.setattr(module, "PIECE_ROWS", 60)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, 5))
    X[:, 1] = rng.integers(0, 3, ROWS)
    X[:, 2] = rng.random(ROWS) < 0.5
    told = X[:, 0] + (X[:, 1] == 1) + rng.normal(0, 0.5, ROWS)
    X[rng.random((ROWS, 5)) < 0.05] = np.nan
    X[:, 4] = rng.normal(size=ROWS)
    y = told if request.param is Task.REGRESSION else told > 0.5
    table = read_table((X, y), categorical=["x1"])
    writer = column_writer.ColumnWriter(tmp_path, ROWS)
    for values in table.X.T:
        writer.append(values)
    return table, replace(table, X=writer.values())


def same(one: PathPredictions | None, other: PathPredictions | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one.outputs, other.outputs) and np.array_equal(one.labels, other.labels)


@pytest.mark.parametrize("name", FROM_STORE)
def test_trials_and_refits_are_the_same(tables: tuple[Table, Table], name: str) -> None:
    table, stored = tables
    family = next(family for family in bucket.default_bucket() if family.name == name)
    assert table.target is not None
    if table.target.task not in family.tasks:
        pytest.skip("predicts classes only")
    settings = family.path(table)
    family = family.with_path(settings[:: max(1, len(settings) // 2)][:2])
    plan = make_plan(table, folds=3, seed=5)
    trials = [plan.trials[0], plan.trials[-1]]
    found = []
    for each in tables:
        prepared = family.prepare(each, plan)
        found.append([family.run(prepared, trial) for trial in trials])
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one.outputs, other.outputs)
        assert np.array_equal(one.labels, other.labels)
        assert same(one.seen, other.seen)
        np.testing.assert_equal(dict(other.training), dict(one.training))
    setting = family.path(table)[-1]
    here, there = (family.refit(each, setting, 11) for each in (table, stored))
    assert np.array_equal(here.predict(table.X), there.predict(table.X))


def test_pieces_of_folds_change_nothing_but_rounding(
    tables: tuple[Table, Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, _ = tables
    plan = make_plan(table, folds=3, seed=5)
    family = next(family for family in bucket.default_bucket() if family.name == "linear")
    in_pieces = family.run(family.prepare(table, plan), plan.trials[0]).outputs
    for module in (fold_encoders, ridge):
        monkeypatch.setattr(module, "PIECE_ROWS", 10**6)
    whole = family.run(family.prepare(table, plan), plan.trials[0]).outputs
    assert np.allclose(in_pieces, whole, rtol=1e-9, atol=1e-9)


def test_what_needs_all_numbers_says_how_many(tables: tuple[Table, Table], monkeypatch: pytest.MonkeyPatch) -> None:
    _, stored = tables
    families = {family.name: family for family in bucket.default_bucket()}
    plan = make_plan(stored, folds=3, seed=5)
    assert families["boosting"].cost(stored, plan).bytes < families["knn"].cost(stored, plan).bytes
    monkeypatch.setattr(generic, "available_memory", lambda: 1000.0)
    with pytest.raises(VenireError, match=r"to fit linear on all rows takes .* GB of memory, and there are 1e-06 GB"):
        families["linear"].refit(stored, families["linear"].path(stored)[0], 0)
    assert available_memory() > 1000.0
    assert families["boosting"]._all_rows(stored) is stored.X
