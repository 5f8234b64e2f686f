"""Neighbours read off common lists, against looking at all rows."""

import numpy as np
import pytest

from tests.validation.tables import plain
from venire.families import neighbors_lists
from venire.families.neighbors import NeighborsFamily
from venire.families.neighbors_lists import NearLists, pays
from venire.families.paths import one_by_one
from venire.models.neighbors import KNeighborsClassifier, KNeighborsRegressor
from venire.validation.deal import make_plan
from venire.validation.family import Cancelled, never
from venire.validation.garble import leaks


@pytest.fixture(autouse=True)
def lists_in_small_tables(monkeypatch):
    """The rule by size is for speed alone."""
    monkeypatch.setattr(neighbors_lists, "_ROWS", 50)


def family() -> NeighborsFamily:
    return NeighborsFamily(
        "knn",
        classifier=KNeighborsClassifier(scale="none", n_jobs=1),
        regressor=KNeighborsRegressor(scale="none", n_jobs=1),
        path=one_by_one("n_neighbors", [15, 5, 1], "k"),
    )


def table(kind: str, rows: int = 240, classes: int = 3):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4)) * [1, 10, 1e3, 1e-3]
    if kind == "grid":  # many ties
        X = rng.integers(0, 4, size=(rows, 3)).astype(float)
    if kind == "heavy tails":  # scales differ so much that lists do not reach
        X = rng.standard_cauchy(size=(rows, 4))
    y = np.argsort(np.argsort(X[:, 0] + rng.normal(size=rows))) * classes // rows if classes else X[:, 0]
    weights = rng.integers(0, 3, rows).astype(float) if kind == "weights" else None
    return plain(X, y, classes, weights=weights)


@pytest.mark.parametrize("kind", ["normal", "grid", "heavy tails", "weights"])
@pytest.mark.parametrize("classes", [0, 3])
def test_the_same_neighbours_as_by_looking_at_all_rows(kind, classes, monkeypatch):
    given = table(kind, classes=classes)
    plan = make_plan(given, blocks=6)
    fast = family()
    prepared = fast.prepare(given, plan)
    assert prepared.lists is not None
    monkeypatch.setattr(neighbors_lists, "_ROWS", 10**9)
    slow = fast.prepare(given, plan)
    assert slow.lists is None
    for trial in plan.trials[::4]:
        ours, all_rows = fast.run(prepared, trial), fast.run(slow, trial)
        assert np.array_equal(ours.outputs, all_rows.outputs)
        assert np.array_equal(ours.labels, all_rows.labels)
        for metric, losses in ours.training.items():
            assert np.array_equal(losses, all_rows.training[metric], equal_nan=True)


@pytest.mark.parametrize("kind", ["normal", "grid"])
def test_nothing_is_learned_from_blocks_left_out(kind):
    given = table(kind)
    assert leaks(family(), given, make_plan(given, blocks=6), np.random.default_rng(0), trials=6) is None


def test_lists_are_for_numbers_without_gaps():
    given = table("normal")
    plan = make_plan(given, blocks=6)
    assert pays(given, plan)
    X = given.X.copy()
    X[3, 1] = np.nan
    assert not pays(given.with_values(X, given.y), plan)


def test_making_lists_can_be_cancelled():
    given = table("normal")

    def cancel() -> None:
        raise Cancelled("enough")

    lists = NearLists(given, 5, 6)
    every = np.arange(given.rows)
    with pytest.raises(Cancelled, match="enough"):
        lists.nearest(given.X, lists._encoder, np.ones(given.rows, dtype=bool), every, 5, cancel)
    points = lists._encoder.transform(given.X)
    found = lists.nearest(points, lists._encoder, np.ones(given.rows, dtype=bool), every, 5, never)
    assert np.array_equal(found[:, 0], every)
