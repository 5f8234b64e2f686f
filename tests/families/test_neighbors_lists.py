"""Neighbours read off common lists, against looking at all rows."""

from dataclasses import replace

import numpy as np
import pytest

from tests.families.cases import assert_same_bytes_in_threads
from tests.validation.tables import plain
from venire.data.encode import OneHotScaled
from venire.families import neighbors
from venire.families.neighbors import NeighborsFamily
from venire.families.neighbors_lists import NearLists, common_spread, pays
from venire.families.paths import one_by_one
from venire.models.neighbors.estimators import KNeighborsClassifier, KNeighborsRegressor
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Cancelled, never


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
    if kind == "heavy tails":  # spreads differ from part to part
        X = rng.standard_cauchy(size=(rows, 4))
    if kind == "constant":  # one column everywhere, one in all parts but those with a certain row
        X[:, 1], X[:, 2] = 0.1, np.where(np.arange(rows) == 7, 3.0, 0.3)
    if kind == "twice":
        X = np.repeat(X[: rows // 4], 4, axis=0)
    if kind == "far":
        X = rng.normal(size=(rows, 4)) + 1e8
    y = np.argsort(np.argsort(X[:, 0] + rng.normal(size=rows))) * classes // rows if classes else X[:, 0]
    weights = rng.integers(0, 3, rows).astype(float) if kind == "weights" else None
    return plain(X, y, classes, weights=weights)


KINDS = ["normal", "grid", "heavy tails", "weights", "constant", "twice", "far"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("folds", [6, 240])
def test_the_same_neighbours_as_by_looking_at_all_rows(kind, classes, folds, monkeypatch):
    given = replace(table(kind, classes=classes), duplicates="apart")  # the hard case: copies in other folds
    plan = make_plan(given, folds=folds, layers=2 if folds < 240 else 1)
    fast = family()
    prepared = fast.prepare(given, plan)
    assert prepared.lists is not None
    monkeypatch.setattr(neighbors, "pays", lambda *_: False)
    slow = fast.prepare(given, plan)
    assert slow.lists is None
    for trial in plan.trials[:: 4 if folds < 240 else 50]:
        ours, all_rows = fast.run(prepared, trial), fast.run(slow, trial)
        assert np.array_equal(ours.outputs, all_rows.outputs)
        assert np.array_equal(ours.labels, all_rows.labels)
        for metric, losses in ours.training.items():
            assert np.array_equal(losses, all_rows.training[metric], equal_nan=True)


@pytest.mark.parametrize("kind", ["normal", "grid"])
def test_nothing_is_learned_from_folds_left_out(kind):
    given = table(kind)
    assert leaks(family(), given, make_plan(given, folds=6), np.random.default_rng(0), trials=6) is None


def test_lists_are_for_numbers_without_gaps():
    given = table("normal")
    plan = make_plan(given, folds=6)
    assert pays(given, plan, 15)
    assert not pays(given, plan, 900)  # too long
    X = given.X.copy()
    X[3, 1] = np.nan
    assert not pays(given.with_values(X, given.y), plan, 15)


def test_making_lists_can_be_cancelled():
    given = table("normal")

    def cancel() -> None:
        raise Cancelled("enough")

    lists = NearLists(given, make_plan(given, folds=6), 5)
    every, all_rows = np.arange(given.rows), np.ones(given.rows, dtype=bool)
    with pytest.raises(Cancelled, match="enough"):
        lists.nearest(all_rows, all_rows, every, 5, cancel)
    assert np.array_equal(lists.nearest(all_rows, all_rows, every, 5, never)[:, 0], every)


def test_trials_may_run_in_threads():
    given = table("normal")
    assert_same_bytes_in_threads(family(), given, make_plan(given, folds=6))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layers", [1, 2])
def test_the_common_spread_is_the_largest_of_any_training_part(kind, layers):
    given = table(kind)
    plan = make_plan(given, folds=6, layers=layers)
    whole = OneHotScaled().fit(given.X)
    parts = [OneHotScaled().fit(given.X[plan.train_rows(trial)]).spread_ for trial in plan.trials]
    expected = np.max([whole.spread_, *parts], axis=0)
    centred = np.ascontiguousarray((given.X - whole.mean_).T)
    np.testing.assert_allclose(common_spread(centred, plan, whole.spread_), expected, rtol=1e-6)
