"""Naive Bayes from sums of folds, against the estimator fitted afresh."""

import time
from dataclasses import replace

import numpy as np
import pytest

from tests.families.cases import CASES, assert_same, case, compared
from tests.validation.tables import plain
from venire.data.table import Kind
from venire.errors import DataError
from venire.families.bayes import BayesFamily, ClassSums, code_columns, smoothing
from venire.families.paths import one_by_one
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.naive import naive_outcome


def family(path=smoothing, **wishes) -> BayesFamily:
    return BayesFamily("naive_bayes", classifier=NaiveBayesClassifier(**wishes), path=path, encoding="none")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("classes", [2, 4])
def test_every_trial_equals_the_plain_loop(name, classes):
    table, plan = case(name, classes)
    for ours, loop in compared(family(), table, plan):
        assert_same(ours, loop, 1e-9)
        for metric, losses in ours.training.items():
            np.testing.assert_allclose(losses, loop.training[metric], rtol=1e-5)


@pytest.mark.parametrize("name", ["mixed", "weights", "missing class", "far away"])
def test_nothing_is_learned_from_folds_left_out(name):
    table, plan = case(name, 3)
    assert leaks(family(), table, plan, np.random.default_rng(0), trials=4) is None


def fitted(table, plan, trial):
    """The estimator on the training part, and the same sums added up from folds."""
    codes = code_columns(table)
    train = plan.train_rows(trial)
    model = NaiveBayesClassifier(categorical_features=codes).fit(table.X[train], table.y[train])
    return model, *ClassSums(table, plan, 0, codes).together(trial.train)


@pytest.mark.parametrize("name", ["mixed", "missing class", "category of one fold"])
def test_counts_are_equal_to_the_bit(name):
    table, plan = case(name, 3)
    for trial in plan.trials[::4]:
        model, classes, sums = fitted(table, plan, trial)
        assert np.array_equal(model.classes_, classes)
        assert np.array_equal(model.class_count_, sums.class_weight)
        for ours, theirs in zip(sums.tables, model._sums.tables, strict=True):
            assert np.array_equal(ours, theirs)


def test_numbers_alone_vary_the_smoothing_of_the_variance():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    table = plain(rng.normal(size=(60, 3)) * [1, 10, 100] + y[:, None], y, 2)
    for ours, loop in compared(family(), table, make_plan(table, folds=4)):
        assert_same(ours, loop, 1e-9)


def test_wishes_that_the_sums_do_not_know_are_left_to_the_estimator():
    table, plan = case("mixed", 2)
    wishful = family(one_by_one("alpha", [1.0, 0.1], "α"), class_weight="balanced")
    assert wishful.prepare(table, plan).sums is None
    for ours, loop in compared(wishful, table, plan):
        assert_same(ours, loop, 1e-12)


@pytest.mark.parametrize("naive", [False, True])
def test_a_training_part_that_counts_for_nothing_is_refused_either_way(naive):
    """All weight is in the first of three folds: what is trained without it has no row to learn from."""
    rng = np.random.default_rng(0)
    table = plain(rng.normal(size=(30, 2)), np.arange(30) % 2, classes=2)
    plan = make_plan(table, folds=3)
    table = replace(table, weights=(plan.fold_of[0] == 0).astype(float))
    trial = plan.outer(0, 0).trial
    with pytest.raises(DataError, match="no row has a positive weight"):
        naive_outcome(family(), table, plan, trial) if naive else family().run(family().prepare(table, plan), trial)


def test_thousands_of_categorical_columns_are_counted_in_one_pass_each():
    """Once room for more categories was made in all columns again for every column: minutes instead of seconds."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    table = plain(rng.integers(0, 4, (60, 3000)), y, classes=2)
    columns = [replace(column, kind=Kind.CATEGORICAL, categories=tuple("abcd")) for column in table.columns]
    table = replace(table, columns=tuple(columns))
    plan = make_plan(table, folds=5)
    began = time.process_time()
    one = family()
    one.run(one.prepare(table, plan), plan.trials[0])
    assert time.process_time() - began < 10


def test_a_column_without_any_value_has_no_category():
    """Tables that stand end to end are told apart, also where one of them is empty."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 4)).astype(float)
    X[:, [1, 3]] = np.nan
    table = plain(X, np.arange(40) % 2, classes=2)
    columns = [replace(column, kind=Kind.CATEGORICAL, categories=tuple("abc")) for column in table.columns]
    for ours, loop in compared(family(), replace(table, columns=tuple(columns)), make_plan(table, folds=4)):
        assert_same(ours, loop, 1e-9)
