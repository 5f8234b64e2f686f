"""Logistic regression for all C at once, against scikit-learn's solver for each."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tests.families.cases import CASES, assert_same, case, compared
from tests.validation.tables import plain
from venire._core import LogisticPath
from venire.data.encode import OneHotScaled
from venire.families import logistic, logistic_path
from venire.families.logistic import Desk, LogisticFamily
from venire.families.logistic_path import NotSolved, answers, solve_path
from venire.families.paths import one_by_one, strengths
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Cancelled, never

TOLERANCE = 1e-7  # of the gradient, a row
TIGHT = LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=1000)


def family(path=None) -> LogisticFamily:
    return LogisticFamily("logistic", classifier=TIGHT, path=path or one_by_one("C", [1e-3, 0.1, 1.0, 30.0], "C"))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_trial_equals_the_plain_loop(name, classes):
    table, plan = case(name, classes)
    for ours, loop in compared(family(), table, plan):
        assert_same(ours, loop, 1e-6, near=1e-5)
        for metric, losses in ours.training.items():
            np.testing.assert_allclose(losses, loop.training[metric], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ["mixed", "weights", "missing class"])
def test_not_a_bit_depends_on_folds_left_out(name, classes):
    table, plan = case(name, classes)
    path = strengths("C", "C", rising=True)
    assert leaks(family(path), table, plan, np.random.default_rng(0), trials=4) is None


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_vanishes_at_every_penalty(classes, weighted):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(300, 6))
    codes = np.argmax(Z[:, :classes] + rng.gumbel(size=(300, classes)), axis=1)
    weights = rng.lognormal(size=300) if weighted else None
    likelihood = LogisticPath.of(Z, codes.astype(np.int32), weights, classes=classes)
    rows = len(Z) if weights is None else weights.sum()
    penalties = np.logspace(4, -4, 20)
    for penalty, at in zip(penalties, solve_path(Z, codes, classes, weights, penalties, never), strict=True):
        gradient = likelihood.gradient(at)
        gradient[:, 1:] += penalty * at[:, 1:]
        assert np.abs(gradient).max() <= 1.01 * TOLERANCE * rows


def test_probabilities_of_new_rows_are_good_to_a_millionth_at_every_penalty():
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(400, 8))
    codes = np.argmax(3 * Z[:, :5] + rng.gumbel(size=(400, 5)), axis=1)  # nearly parted: few rows are in doubt
    new = rng.normal(size=(200, 8))
    penalties = np.logspace(4, -4, 20)
    for penalty, at in zip(penalties, solve_path(Z, codes, 5, None, penalties, never), strict=True):
        tight = clone(TIGHT).set_params(C=1 / penalty).fit(Z, codes)
        (said,), _ = answers(at[None], new)
        np.testing.assert_allclose(said, tight.predict_proba(new), rtol=0, atol=1e-6)


def test_classes_that_can_be_parted_are_solved_under_any_penalty_or_left_to_the_estimator():
    x = np.r_[np.linspace(-2, -1, 40), np.linspace(1, 2, 40)]
    table = plain(x[:, None], x > 0, 2)
    for ours, loop in compared(family(one_by_one("C", [1.0, 1e4, 1e8], "C")), table, make_plan(table, folds=4)):
        assert_same(ours, loop, 1e-5)


def test_what_cannot_be_solved_is_left_to_the_estimator(monkeypatch):
    def give_up(*_):
        raise NotSolved([])

    monkeypatch.setattr(logistic, "solve_path", give_up)
    table, plan = case("mixed", 2)
    for ours, loop in compared(family(), table, plan):
        assert_same(ours, loop, 1e-12)


def test_a_fit_by_the_estimator_can_be_left_between_its_steps(monkeypatch):
    def give_up(*_):
        raise NotSolved([])

    monkeypatch.setattr(logistic, "solve_path", give_up)
    table, plan = case("mixed", 2)
    whole = family()
    prepared, trial = whole.prepare(table, plan), plan.trials[0]
    asked = []
    in_one_piece = whole.run(prepared, trial, lambda: asked.append(1))
    fits = len(asked)
    monkeypatch.setattr(logistic, "_LONG", 0)
    in_pieces = whole.run(prepared, trial, lambda: asked.append(1))
    assert len(asked) - fits > 2 * fits, "it is asked more often than once a setting"
    assert not in_pieces.warnings, "that it goes on is no complaint"
    np.testing.assert_allclose(in_pieces.outputs, in_one_piece.outputs, rtol=0, atol=1e-6)

    def enough():
        asked.append(1)
        if len(asked) > most:
            raise Cancelled("enough")

    most = len(asked) + fits
    with pytest.raises(Cancelled, match="enough"):
        whole.run(prepared, trial, enough)


def test_a_penalty_can_be_left_between_its_steps(monkeypatch):
    rng = np.random.default_rng(0)
    Z, codes, penalties = rng.normal(size=(300, 4)), rng.integers(0, 3, size=300), np.array([1.0, 0.1])
    asked = []
    rarely = solve_path(Z, codes, 3, None, penalties, lambda: asked.append(1))
    assert len(asked) == 1
    monkeypatch.setattr(logistic_path, "_UNASKED", 1)
    often = solve_path(Z, codes, 3, None, penalties, lambda: asked.append(1))
    np.testing.assert_array_equal(often, rarely)
    most = len(asked) - 2
    assert most > 4

    def enough():
        asked.append(1)
        if len(asked) > 2 * most - 1:
            raise Cancelled("enough")

    with pytest.raises(Cancelled, match="enough"):
        solve_path(Z, codes, 3, None, penalties, enough)


def test_only_the_penalties_that_cannot_be_solved_are_left_to_the_estimator(monkeypatch):
    table, plan = case("mixed", 2)
    whole = family()
    asked: list[int] = []
    fit_path = LogisticFamily.fit_path

    def weak_ones_out_of_reach(Z, codes, classes, weights, penalties, cancel):
        raise NotSolved([solve_path(Z, codes, classes, weights, penalties[:3], cancel)])

    def counted(self, lesson):
        asked.append(len(lesson.settings))
        return fit_path(self, lesson)

    monkeypatch.setattr(logistic, "solve_path", weak_ones_out_of_reach)
    monkeypatch.setattr(LogisticFamily, "fit_path", counted)
    for ours, loop in compared(whole, table, plan):
        assert_same(ours, loop, 1e-5)
    assert set(asked) == {len(whole.path(table)) - 3} == {1}


def test_wide_tables_are_left_to_lbfgs(monkeypatch):
    monkeypatch.setattr(logistic, "_MOST_COEFFICIENTS", 5)
    table, plan = case("mixed", 2)
    wide = family()
    assert wide.pipeline(table, wide.path(table)[0], 0)[-1].solver == "lbfgs"
    for ours, loop in compared(wide, table, plan):
        assert_same(ours, loop, 1e-12)


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_a_desk_gives_what_the_encoder_does_and_uses_its_memory_again(monkeypatch, at_once):
    monkeypatch.setattr(logistic, "_AT_ONCE", at_once)
    X = np.random.default_rng(3).normal(size=(50, 3))
    X[::7, 1] = np.nan
    encoder, desk = OneHotScaled().fit(X), Desk()
    for rows in (np.arange(50), np.arange(5, 20), np.arange(0)):
        given = desk.encoded(encoder, X, rows)
        np.testing.assert_array_equal(given, encoder.transform(X[rows]))
    assert np.shares_memory(desk.encoded(encoder, X, np.arange(50)), desk.encoded(encoder, X, np.arange(9)))


def test_it_can_be_cancelled():
    def cancel() -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled, match="enough"):
        solve_path(np.eye(4), np.array([0, 1, 0, 1]), 2, None, np.array([1.0]), cancel)
