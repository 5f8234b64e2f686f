"""The ridge family against scikit-learn, fitted once for every λ."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

from tests.families.cases import CASES, assert_same, case, compared
from tests.validation.tables import plain
from venire.data import read_table
from venire.families.linear import RidgeFamily
from venire.families.paths import strengths
from venire.validation.deal import make_plan
from venire.validation.family import Setting
from venire.validation.garble import leaks
from venire.validation.generic import GenericFamily
from venire.validation.naive import naive_outcome

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
    plan = make_plan(given, blocks=4)
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


@pytest.mark.parametrize("name", ["mixed", "weights", "far away", "time"])
def test_nothing_is_learned_from_blocks_left_out(name):
    given, plan = case(name, 3)
    fast, _ = families()
    assert leaks(fast, given, plan, np.random.default_rng(0), trials=4) is None


def test_sums_of_blocks_are_taken_only_where_they_pay():
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
    plan = make_plan(given, blocks=5)
    trial = plan.trials[-1]
    assert_same(fast.run(fast.prepare(given, plan), trial), naive_outcome(fast, given, plan, trial), 1e-9)
