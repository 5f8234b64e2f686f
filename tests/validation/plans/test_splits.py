"""Every way of splitting: what is trained on and what is tested never meet, and what belongs together stays so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.validation.tables import noise, plain
from venire.data.table import Table
from venire.errors import DataError, UsageError
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.plans.splits import holdout_plan, leave_one_group_out, leave_one_out


def numbers(rows: int, **fields: Any) -> Table:
    return plain(np.arange(2.0 * rows).reshape(rows, 2), np.arange(rows, dtype=float), **fields)


def grouped(sizes: list[int]) -> Table:
    groups = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return numbers(len(groups), groups=np.random.default_rng(0).permutation(groups))


def holds(plan: Plan, table: Table) -> None:
    """What every plan promises."""
    for trial in plan.trials:
        train, test = plan.train_rows(trial), plan.test_rows(trial)
        assert len(train)
        assert len(test)
        assert not set(train) & set(test)
        if table.groups is not None:
            assert not set(table.groups[train]) & set(table.groups[test]), "groups straddle"
        if table.time is not None:
            assert table.time[train].max() < table.time[test].min(), "trained on the future"


@given(st.integers(3, 30), st.integers(1, 2))
def test_leave_one_out(rows: int, layers: int) -> None:
    table = numbers(rows)
    plan = leave_one_out(table, layers=layers)
    assert len(plan.trials) == rows + (rows * (rows - 1) // 2 if layers == 2 else 0)
    assert [plan.test_rows(plan.outer(0, i).trial).tolist() for i in range(rows)] == [[i] for i in range(rows)]
    holds(plan, table)


@given(st.lists(st.integers(1, 5), min_size=3, max_size=8), st.integers(1, 2))
def test_leave_one_group_out(sizes: list[int], layers: int) -> None:
    table = grouped(sizes)
    plan = leave_one_group_out(table, layers=layers)
    assert plan.folds == len(sizes)
    assert table.groups is not None
    for i in plan.outer_folds():
        assert len(set(table.groups[plan.rows(0, (i,))])) == 1
    holds(plan, table)


@given(st.integers(3, 60), st.floats(0.05, 0.95), st.sampled_from([None, 0.2, 0.5]), st.integers(1, 3))
def test_a_holdout_at_random(rows: int, test: float, validation: float | None, repeats: int) -> None:
    table = numbers(rows)
    plan = holdout_plan(table, test=test, validation=validation, repeats=repeats)
    parts = 2 if validation is None else 3
    assert len(plan.trials) == repeats * (parts - 1)
    for repeat in range(repeats):
        sizes = np.bincount(plan.fold_of[repeat], minlength=parts)
        assert (sizes > 0).all()
        assert sizes.sum() == rows
        assert abs(sizes[-1] - np.clip(test * rows, 1, rows - parts + 1)) <= 1.5, "as wanted, but no part is empty"
        (final,) = plan.final(repeat)
        assert final.fold == plan.outer_folds()[0] == parts - 1
        assert [held.fold for held in plan.inner(repeat, parts - 1)] == list(range(1, parts - 1))
    holds(plan, table)


@given(st.lists(st.integers(1, 9), min_size=3, max_size=9), st.sampled_from([None, 1 / 3]))
def test_a_holdout_of_whole_groups(sizes: list[int], validation: float | None) -> None:
    table = grouped(sizes)
    plan = holdout_plan(table, validation=validation)
    assert set(plan.fold_of[0]) == set(range(2 if validation is None else 3))
    holds(plan, table)


@given(st.lists(st.integers(1, 6), min_size=3, max_size=12))
def test_a_holdout_in_time_order_tests_the_last_rows(moments: list[int]) -> None:
    time = np.repeat(np.arange(len(moments), dtype=float), moments)
    table = numbers(len(time), time=np.random.default_rng(1).permutation(time))
    plan = holdout_plan(table, validation=1 / 3)
    holds(plan, table)
    with pytest.raises(UsageError, match="repeats of a hold-out in time order"):
        holdout_plan(table, repeats=2)


def test_the_usual_holdout_is_two_thirds_and_one_third() -> None:
    assert np.bincount(holdout_plan(numbers(90)).fold_of[0]).tolist() == [60, 30]
    assert np.bincount(holdout_plan(numbers(90), validation=1 / 3).fold_of[0]).tolist() == [40, 20, 30]


@given(st.integers(0, 50))
@settings(max_examples=20)
def test_every_class_is_trained_on(seed: int) -> None:
    y = np.array([0] * 14 + [1] * 4 + [2] * 2)
    table = plain(np.zeros((20, 1)), y, classes=3)
    plan = holdout_plan(table, seed=seed, repeats=3)
    for trial in plan.trials:
        assert set(y[plan.train_rows(trial)]) == {0, 1, 2}


def test_a_stratified_holdout_keeps_the_shares() -> None:
    y = np.array([0] * 60 + [1] * 30)
    table = plain(np.zeros((90, 1)), y, classes=2)
    plan = holdout_plan(table, stratified=True, validation=0.5, repeats=2)
    for repeat in range(2):
        counts = [np.bincount(y[plan.rows(repeat, (part,))]).tolist() for part in range(3)]
        assert counts == [[20, 10], [20, 10], [20, 10]]


def test_repeats_are_different_and_seeds_decide() -> None:
    table = numbers(40)
    plan = holdout_plan(table, repeats=3, seed=5)
    assert len({tuple(fold_of) for fold_of in plan.fold_of}) == 3
    np.testing.assert_array_equal(plan.fold_of, holdout_plan(table, repeats=3, seed=5).fold_of)
    assert (plan.fold_of != holdout_plan(table, repeats=3, seed=6).fold_of).any()


def test_one_layer_needs_two_folds_only() -> None:
    table = numbers(10)
    plan = make_plan(table, folds=2, layers=1)
    assert [trial.test for trial in plan.trials] == [(0,), (1,)]
    holds(plan, table)
    with pytest.raises(UsageError, match="2 folds are too few: choosing and judging"):
        make_plan(table, folds=2)
    with pytest.raises(UsageError, match="1 folds are too few: judging"):
        make_plan(table, folds=1, layers=1)


TIMED = numbers(9, time=np.arange(9.0))


@pytest.mark.parametrize(
    ("split", "error", "words"),
    [
        (lambda: make_plan(numbers(4), folds=5), DataError, "4 rows with a target, fewer than the 5 folds"),
        (lambda: make_plan(grouped([2, 2, 2]), folds=4), DataError, "3 groups with a target, fewer than the 4"),
        (lambda: leave_one_group_out(numbers(9)), UsageError, "needs groups, and the table has none"),
        (lambda: leave_one_group_out(grouped([3, 3]), layers=2), DataError, "2 groups, and leaving out one .* 3"),
        (lambda: leave_one_out(TIMED), UsageError, "neither groups together nor time in order"),
        (lambda: leave_one_out(numbers(250), layers=2), UsageError, "31,375 fits of the whole path"),
        (lambda: holdout_plan(numbers(9), test=1.0), UsageError, "test part must be a share between 0 and 1, not 1"),
        (lambda: holdout_plan(numbers(9), validation=-0.1), UsageError, "validation part must be a share"),
        (lambda: holdout_plan(numbers(9), repeats=0), UsageError, "0 repeats of a hold-out"),
        (lambda: holdout_plan(numbers(2), validation=0.5), DataError, "2 rows, fewer than the 3 parts"),
        (lambda: holdout_plan(grouped([4]),), DataError, "1 groups, fewer than the 2 parts"),
        (lambda: holdout_plan(TIMED, stratified=True), UsageError, "cannot be stratified and also keep"),
        (lambda: holdout_plan(numbers(9), stratified=True), UsageError, "needs classes, and the target is a number"),
        (
            lambda: holdout_plan(plain(np.zeros((5, 1)), [0, 0, 0, 0, 1], classes=2), stratified=True),
            DataError,
            "classes are too small for a stratified hold-out of 5 rows",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_split_is_refused(split: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        split()


def test_leave_one_out_works_without_large_lists() -> None:
    table = noise(400, 0)
    plan = leave_one_out(table)
    trial = plan.trials[399]
    assert trial.train[256] is plan.trials[398].train[256], "the numbers of folds are shared"
