"""Plans whose parts come from outside, or whose inner folds are split anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, TimeSeriesSplit

from tests.validation.tables import classification, plain
from venire.data.table import Table
from venire.errors import UsageError
from venire.validation.plans.folds import make_plan
from venire.validation.plans.inner_folds import given_plan, with_inner_folds
from venire.validation.plans.splits import holdout_plan


def numbers(rows: int, **fields: Any) -> Table:
    return plain(np.arange(2.0 * rows).reshape(rows, 2), np.arange(rows, dtype=float), **fields)


@given(st.integers(10, 40), st.integers(2, 5), st.integers(2, 4), st.integers(1, 2))
def test_inner_folds_split_every_training_part_anew(rows: int, outer: int, inner: int, repeats: int) -> None:
    table = numbers(rows)
    around = make_plan(table, folds=outer, repeats=repeats, layers=1)
    plan = with_inner_folds(table, around, inner)
    assert plan.repeats == outer * repeats
    assert len(plan.trials) == len(set(plan.trials)) == outer * repeats * (1 + inner)
    assert sum(plan.is_outer(trial) for trial in plan.trials) == outer * repeats
    for repeat, held in enumerate(h for r in range(repeats) for h in around.final(r)):
        mine = plan.outer(repeat, 0)
        np.testing.assert_array_equal(plan.train_rows(mine.trial), around.train_rows(held.trial))
        np.testing.assert_array_equal(plan.test_rows(mine.trial), around.test_rows(held.trial))
        tested = [plan.test_rows(h.trial) for h in plan.inner(repeat, 0)]
        np.testing.assert_array_equal(np.sort(np.concatenate(tested)), plan.train_rows(mine.trial))
        for h, rows_tested in zip(plan.inner(repeat, 0), tested, strict=True):
            assert h.trial in plan.trials
            kept = plan.train_rows(h.trial)
            assert set(kept) | set(rows_tested) == set(plan.train_rows(mine.trial))
            assert not set(kept) & (set(rows_tested) | set(plan.test_rows(mine.trial)))
    assert plan.test_over_train() == pytest.approx(around.test_over_train())


def test_inner_folds_keep_groups_together() -> None:
    groups = np.arange(40, dtype=np.int32) // 4
    table = numbers(40, groups=groups)
    plan = with_inner_folds(table, make_plan(table, folds=4, layers=1), 3)
    for trial in plan.trials:
        assert not set(groups[plan.train_rows(trial)]) & set(groups[plan.test_rows(trial)])


def test_inner_folds_keep_groups_together_whoever_made_the_outer_parts() -> None:
    groups = np.random.default_rng(0).permutation(np.arange(40, dtype=np.int32) // 4)
    plan = given_plan(numbers(40, groups=groups), GroupKFold(4), inner=3)
    assert len(plan.trials) == 4 * (1 + 3)
    for trial in plan.trials:
        assert not set(groups[plan.train_rows(trial)]) & set(groups[plan.test_rows(trial)])
    with pytest.raises(UsageError, match="8 inner folds cannot be made of a training part of 7 groups"):
        given_plan(numbers(40, groups=groups), GroupKFold(4), inner=8)


@given(st.integers(2, 4), st.lists(st.integers(1, 2), min_size=32, max_size=40), st.booleans())
def test_inner_folds_in_time_order_never_look_ahead(inner: int, moments: list[int], given_parts: bool) -> None:
    time = np.random.default_rng(1).permutation(np.repeat(np.arange(float(len(moments))), moments))
    table = numbers(len(time), time=time)
    around = make_plan(table, folds=4, layers=1)
    parts = [(around.train_rows(held.trial), around.test_rows(held.trial)) for held in around.final(0)]
    plan = given_plan(table, parts, inner=inner) if given_parts else with_inner_folds(table, around, inner)
    assert plan.repeats == 3, "every fold but the first is judged"
    assert len(plan.trials) == 3 * (1 + inner - 1)
    for repeat, (train, test) in enumerate(parts):
        outer = plan.outer(repeat, 0).trial
        np.testing.assert_array_equal(plan.train_rows(outer), train)
        np.testing.assert_array_equal(plan.test_rows(outer), test)
        for held in plan.inner(repeat, 0):
            earlier, window = plan.train_rows(held.trial), plan.test_rows(held.trial)
            assert time[earlier].max() < time[window].min()
            assert set(earlier) == {row for row in train if time[row] < time[window].min()}
        sizes = [len(plan.rows(repeat, (fold,))) for fold in plan.inner_folds]
        assert max(sizes) - min(sizes) <= 2 * max(moments), "windows of about the same length"


def test_windows_of_a_splitter() -> None:
    table = numbers(30, time=np.arange(30.0) * 2)
    plan = given_plan(table, TimeSeriesSplit(3), inner=TimeSeriesSplit(2))
    for repeat, (train, _) in enumerate(TimeSeriesSplit(3).split(table.X)):
        expected = list(TimeSeriesSplit(2).split(train))
        for held, (earlier, window) in zip(plan.inner(repeat, 0), expected, strict=True):
            np.testing.assert_array_equal(plan.train_rows(held.trial), train[earlier])
            np.testing.assert_array_equal(plan.test_rows(held.trial), train[window])
    for refused, words in (
        (KFold(3), "inner_folds tests on rows that are not later than all those it trains on"),
        (TimeSeriesSplit(2, gap=1), "test one window of a training part after the other, and train on all rows before"),
        (TimeSeriesSplit(2, max_train_size=2), "train on all rows before it"),
        (10, "10 inner folds cannot be made of a training part of 9 moments"),
    ):
        with pytest.raises(UsageError, match=words):
            given_plan(table, TimeSeriesSplit(3), inner=refused)


@pytest.mark.parametrize("inner", [np.int64(3), np.int8(3)])
def test_a_number_of_inner_folds_may_be_one_of_numpy(inner: Any) -> None:
    table = numbers(30)
    around = make_plan(table, folds=3, layers=1)
    np.testing.assert_array_equal(
        with_inner_folds(table, around, inner).fold_of, with_inner_folds(table, around, 3).fold_of
    )


def test_parts_and_inner_folds_may_keep_groups_and_time() -> None:
    table = numbers(30, time=np.arange(30.0), groups=np.arange(30, dtype=np.int32) // 5)
    parts = [(np.arange(10), np.arange(10, 20)), (np.arange(20), np.arange(20, 30))]
    assert given_plan(table, parts).repeats == 2
    plan = given_plan(table, parts, inner=2)
    assert (plan.repeats, plan.windows, plan.inner_folds) == (2, True, (1, 2))


def test_inner_folds_are_stratified_where_the_outer_ones_are() -> None:
    y = np.arange(48) % 2
    table = plain(np.zeros((48, 1)), y, classes=2)
    plan = with_inner_folds(table, make_plan(table, folds=4, stratified=True, layers=1), 3)
    for trial in plan.trials:
        assert y[plan.test_rows(trial)].mean() == 0.5


def test_folds_left_out_in_turn_share_their_pairs() -> None:
    table = classification(30)
    plan = given_plan(table, KFold(5, shuffle=True, random_state=0))
    assert not plan.own_inner_folds
    assert len(plan.trials) == 5 + 10
    for fold, (train, test) in enumerate(KFold(5, shuffle=True, random_state=0).split(table.X)):
        trial = plan.outer(0, fold).trial
        np.testing.assert_array_equal(plan.train_rows(trial), train)
        np.testing.assert_array_equal(plan.test_rows(trial), test)


@pytest.mark.parametrize(
    "splitter",
    [
        ShuffleSplit(4, test_size=0.2, train_size=0.5, random_state=0),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        TimeSeriesSplit(3),
        GroupKFold(3),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_any_splitter_becomes_a_plan(splitter: Any) -> None:
    groups = np.arange(30, dtype=np.int32) // 3 if isinstance(splitter, GroupKFold) else None
    table = numbers(30, groups=groups, time=np.arange(30.0) if isinstance(splitter, TimeSeriesSplit) else None)
    expected = list(splitter.split(table.X, table.y, groups))
    for plan in (given_plan(table, splitter), given_plan(table, expected)):
        helds = [held for repeat in range(plan.repeats) for held in plan.final(repeat)]
        for held, (train, test) in zip(helds, expected, strict=True):
            np.testing.assert_array_equal(plan.train_rows(held.trial), np.sort(train))
            np.testing.assert_array_equal(plan.test_rows(held.trial), np.sort(test))


@pytest.mark.parametrize(
    ("split", "words"),
    [
        (3, "split cannot be used: int"),
        ([], "split has no parts at all"),
        ([([0, 1], [])], "empty part, or rows that are not there"),
        ([([0, 1], [99])], "empty part, or rows that are not there"),
        ([([0, 1], [1, 2])], "tests on a row it was trained on"),
        ([([0, 1, 1], [2])], "trains on a row twice"),
        ([(0, 1, 2)], "split cannot be used: too many values"),
        (KFold(40), "split cannot be used: Cannot have number of splits"),
    ],
)
def test_parts_that_make_no_sense_are_refused(split: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        given_plan(numbers(30), split)


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        (1, "1 inner folds cannot be made of a training part of 20 rows"),
        (21, "21 inner folds cannot be made of a training part of 20 rows"),
        (ShuffleSplit(3, random_state=0), "must leave out every row of a training part once"),
    ],
)
def test_inner_folds_that_make_no_sense_are_refused(inner: Any, words: str) -> None:
    table = numbers(30)
    with pytest.raises(UsageError, match=words):
        with_inner_folds(table, make_plan(table, folds=3, layers=1), inner)


def test_groups_and_time_are_kept_whoever_makes_the_parts() -> None:
    with pytest.raises(UsageError, match="split trains and tests on rows of one group"):
        given_plan(numbers(30, groups=np.arange(30, dtype=np.int32) // 4), KFold(3))
    with pytest.raises(UsageError, match="not later than all those it trains on"):
        given_plan(numbers(30, time=np.arange(30.0)), KFold(3))
    table = numbers(30, groups=np.arange(30, dtype=np.int32) // 3)
    with pytest.raises(UsageError, match="inner_folds trains and tests on rows of one group"):
        given_plan(table, GroupKFold(3), inner=KFold(4))


def test_inner_folds_have_one_number_and_a_holdout_none() -> None:
    table = numbers(31)
    with pytest.raises(UsageError, match="makes 20 folds of one training part and 21 of another"):
        with_inner_folds(table, make_plan(table, folds=3, layers=1), LeaveOneOut())
    with pytest.raises(UsageError, match="there are no inner folds"):
        with_inner_folds(table, holdout_plan(table), 3)
