"""Polynomials of every degree from one decomposition, against a pipeline of its own for each."""

import numpy as np
import pytest

from tests.families.cases import assert_same, case, compared
from tests.validation.tables import plain
from venire.errors import UsageError
from venire.families.polynomial import PolynomialFamily
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan


@pytest.mark.parametrize("name", ["mixed", "weights", "missing class", "constant and twice", "far away"])
@pytest.mark.parametrize("classes", [0, 3])
def test_every_degree_equals_a_pipeline_of_its_own(name, classes):
    table, plan = case(name, classes)
    for ours, loop in compared(PolynomialFamily((1, 2), alpha=1e-3), table, plan):
        assert_same(ours, loop, 1e-8, near=1e-5)


def test_high_degrees_of_one_column():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 200)
    table = plain(x[:, None], np.sin(4 * x) + 0.1 * rng.normal(size=200))
    plan = make_plan(table, folds=5)
    family = PolynomialFamily(range(1, 9))
    for ours, loop in compared(family, table, plan):
        assert_same(ours, loop, 1e-9)
    trial = plan.trials[-1]
    truth = table.y[plan.test_rows(trial)]
    errors = [np.std(said[:, 0] - truth) for said in family.run(family.prepare(table, plan), trial).outputs]
    assert errors[6] < 0.15 < errors[0]


def test_nothing_is_learned_from_folds_left_out():
    table, plan = case("mixed", 3)
    assert leaks(PolynomialFamily((1, 2)), table, plan, np.random.default_rng(0), trials=3) is None


def test_too_many_terms_are_refused_with_their_number():
    table = plain(np.zeros((20, 40)), np.arange(20.0))
    assert str(PolynomialFamily((1, 4)).unable(table)) == "degree 4 of 40 columns makes 135,750 terms"
    assert PolynomialFamily((1,)).unable(table) is None


@pytest.mark.parametrize("degrees", [(), (2, 1), (0, 1), (1, 1)])
def test_degrees_rise(degrees):
    with pytest.raises(UsageError, match="degrees must rise from 1 or more"):
        PolynomialFamily(degrees)


def test_a_ridge_is_needed():
    with pytest.raises(UsageError, match="alpha must be above 0, and is 0"):
        PolynomialFamily(alpha=0.0)
