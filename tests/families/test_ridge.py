"""The ridge family against scikit-learn, fitted once for every λ."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

from tests.families.cases import CASES, assert_same, assert_same_bytes_in_threads, case, compared
from tests.validation.tables import plain
from venire.data import read_table
from venire.families.paths import one_by_one, strengths
from venire.families.ridge import RidgeFamily
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.naive import naive_outcome

SHAPES = [(80, 5), (40, 60)]  # tall and wide: both sides of the decomposition


def families() -> tuple[RidgeFamily, GenericFamily]:
    path = strengths("alpha", "λ", rising=False)
    given = {"classifier": RidgeClassifier(), "regressor": Ridge(), "path": path}
    return RidgeFamily("linear", **given), GenericFamily("linear", **given)


def table(rows: int, columns: int, classes: int, offset: float = 0.0):
    rng = np.random.default_rng([rows, columns, classes])
    X = rng.normal(size=(rows, columns)) + offset
    X[:, 1] = X[:, 0]  # duplicated
    X[::7, 2] = np.nan
    y = X[:, 0] - offset + rng.normal(size=rows)
    if classes:
        cuts = np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1])
        y = np.array(list("abcdef"))[np.searchsorted(cuts, y)]
    return read_table((X, y), task="classification" if classes else "regression")


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_every_strength_equals_a_fit_of_its_own(rows, columns, classes, offset):
    given = table(rows, columns, classes, offset)
    plan = make_plan(given, folds=4)
    fast, slow = families()
    for trial in plan.trials[::3]:
        ours = fast.run(fast.prepare(given, plan), trial)
        theirs = slow.run(slow.prepare(given, plan), trial)
        np.testing.assert_allclose(ours.outputs, theirs.outputs, rtol=2e-6 if classes else 1e-8, atol=1e-6)
        clear = np.ones(ours.labels.shape, dtype=bool)
        if classes:
            top = np.sort(theirs.outputs, axis=2)
            clear = top[:, :, -1] - top[:, :, -2] > 1e-6
        assert np.array_equal(ours.labels[clear], theirs.labels[clear])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("classes", [0, 3])
def test_every_trial_equals_the_plain_loop(name, classes):
    given, plan = case(name, classes)
    fast, _ = families()
    for ours, loop in compared(fast, given, plan):
        assert_same(ours, loop, 1e-9)
        for metric, losses in ours.training.items():
            np.testing.assert_allclose(losses, loop.training[metric], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", [name for name in CASES if name != "leave one out"])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_triangles_of_folds_equal_the_plain_loop(monkeypatch, name, classes):
    """Wherever cross-products would do, their root must do as well."""
    monkeypatch.setattr("venire.families.ridge._FINE", 0.0)
    given, plan = case(name, classes)
    fast, _ = families()
    for ours, loop in compared(fast, given, plan):
        assert_same(ours, loop, 1e-9)


@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_columns_that_are_sums_of_others(classes, offset):
    """No λ of the path is large enough to leave the cross-products their digits."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(2000, 6)) + offset
    X = np.column_stack([X, X[:, :3] @ rng.normal(size=(3, 4)), X[:, 0], np.full(2000, 0.1)])
    y = X[:, 0] - offset + rng.normal(size=2000)
    y = np.searchsorted(np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]), y) if classes else y + offset
    given = replace(plain(X, y, classes), weights=rng.lognormal(0, 0.5, 2000))
    plan = make_plan(given, folds=4)
    fast, _ = families()
    fast = fast.with_path(one_by_one("alpha", (1.0, 1e-4, 1e-6), "λ"))
    for ours, loop in compared(fast, given, plan):
        assert_same(ours, loop, 1e-9)
    assert leaks(fast, given, plan, np.random.default_rng(0), trials=3) is None


def test_trials_may_run_in_threads(monkeypatch):
    """Whoever asks first makes the triangles of all folds; the bytes are those of one after the other."""
    monkeypatch.setattr("venire.families.ridge._FINE", 0.0)
    given, plan = case("mixed", 3)
    fast, _ = families()
    assert_same_bytes_in_threads(fast, given, plan)


@pytest.mark.parametrize("name", ["mixed", "weights", "missing class", "many categories"])
def test_the_root_is_one_of_the_cross_products(name):
    given, plan = case(name, 3)
    fast, _ = families()
    part = fast.prepare(given, plan).sums(0).part((1, 3, 4))
    root = part.root()
    scale = np.abs(part.products).max()
    np.testing.assert_allclose(root.T @ root, part.products, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("name", ["mixed", "weights", "far away", "time"])
def test_nothing_is_learned_from_folds_left_out(name):
    given, plan = case(name, 3)
    fast, _ = families()
    assert leaks(fast, given, plan, np.random.default_rng(0), trials=4) is None


def test_sums_of_folds_are_taken_only_where_they_pay():
    fast, _ = families()
    for name, shared in (("mixed", True), ("many categories", True), ("leave one out", False)):
        given, plan = case(name, 3)
        assert (fast.prepare(given, plan).sums is not None) == shared


def test_without_a_ridge_the_rows_themselves_are_decomposed():
    """Two columns so alike that their cross-products have half the digits of what tells them apart."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    given = plain(np.column_stack([x, x + 1e-5 * rng.normal(size=300)]), x + rng.normal(size=300))
    fast = RidgeFamily("linear", regressor=LinearRegression(), path=(Setting("least squares"),))
    plan = make_plan(given, folds=5)
    trial = plan.trials[-1]
    assert_same(fast.run(fast.prepare(given, plan), trial), naive_outcome(fast, given, plan, trial), 1e-9)
