"""Groups and time at once: no group on both sides, nothing predicted from its future, whatever the groups look like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

import venire as vn
from tests.validation.tables import plain
from venire.data.table import Table
from venire.errors import DataError, UsageError
from venire.validation import holdout, learning_curve, one_layer, two_layer
from venire.validation.plans.folds import make_plan
from venire.validation.plans.inner_folds import with_inner_folds
from venire.validation.plans.plan import Plan
from venire.validation.plans.splits import holdout_plan, leave_one_group_out


def episodes(groups: int, *, lasting: float, seed: int = 0, rows: int = 6) -> Table:
    """Groups that begin one after the other at random and last some time; in random order."""
    rng = np.random.default_rng(seed)
    member = np.repeat(np.arange(groups, dtype=np.int32), rows)
    time = rng.uniform(0, 100, groups)[member] + rng.uniform(0, lasting, len(member))
    order = rng.permutation(len(member))
    X = rng.normal(size=(len(member), 2))
    return plain(X, X[:, 0] + rng.normal(size=len(member)), time=time[order], groups=member[order])


def assert_keeps_both(table: Table, plan: Plan) -> None:
    assert table.groups is not None
    assert table.time is not None
    for trial in plan.trials:
        train, test = plan.train_rows(trial), plan.test_rows(trial)
        assert len(train)
        assert len(test)
        assert not set(table.groups[train]) & set(table.groups[test])
        assert table.time[train].max() < table.time[test].min()


@given(
    st.integers(8, 40),
    st.floats(0, 200),
    st.integers(0, 1000),
    st.sampled_from([(4, 2), (5, 2), (3, 1), (8, 1)]),
)
@settings(deadline=None, max_examples=60)
def test_no_group_is_on_both_sides_and_no_future_is_seen(
    groups: int, lasting: float, seed: int, how: tuple[int, int]
) -> None:
    table = episodes(groups, lasting=lasting, seed=seed)
    plan = make_plan(table, folds=how[0], layers=how[1])
    assert_keeps_both(table, plan)
    assert plan.used_folds == how[0]
    assert len(plan.outer_folds()) == how[0] - how[1]
    assert_keeps_both(table, holdout_plan(table))
    assert_keeps_both(table, holdout_plan(table, validation=0.5))


def test_short_groups_lose_nothing() -> None:
    table = plain(
        np.arange(60.0)[:, None], np.arange(60.0), time=np.arange(60.0), groups=np.arange(60, dtype=np.int32) // 5
    )
    plan = make_plan(table, folds=4)
    assert (plan.spare, plan.folds) == (0, 4)
    np.testing.assert_array_equal(plan.fold_of[0], np.arange(60) // 15)


def test_a_group_belongs_where_it_begins_and_its_later_rows_take_no_part() -> None:
    time = np.array([0.0, 1, 2, 3, 1, 5, 6, 2, 4, 5, 6, 7, 6, 8, 9])
    groups = np.array([0, 0, 0, 0, 1, 1, 1, 2, 3, 3, 3, 4, 4, 4, 4], dtype=np.int32)
    table = plain(np.zeros((15, 1)), np.arange(15.0), time=time, groups=groups)
    plan = make_plan(table, folds=3, layers=1)
    begins = np.array([0.0, 1, 2, 4, 6])[groups]
    assert plan.spare == 1
    for fold in range(3):
        rows = plan.rows(0, (fold,))
        later = begins[(plan.fold_of[0] != 3) & (begins > begins[rows].max())]
        assert time[rows].max() < (later.min() if len(later) else np.inf)
    assert_keeps_both(table, plan)
    kept = plan.fold_of[0] < 3
    assert {int(g) for g in groups[kept]} == set(range(5)), "every group has its first rows in"


def test_inner_folds_keep_both() -> None:
    table = episodes(40, lasting=15)
    outer = make_plan(table, folds=4, layers=1)
    assert_keeps_both(table, with_inner_folds(table, outer, 3))


@pytest.mark.parametrize("way", [one_layer, two_layer, holdout, learning_curve])
def test_every_way_of_validating_takes_both(way: Any) -> None:
    table = episodes(40, lasting=15)
    found = way(Ridge(), table)
    assert np.isfinite(found.losses).all()


def test_the_plain_loop_says_the_same() -> None:
    table = episodes(30, lasting=20, seed=3)
    fast, plain_loop = (
        two_layer(DecisionTreeRegressor(random_state=0), table, folds=5, naive=naive, seed=1) for naive in (False, True)
    )
    np.testing.assert_array_equal(fast.losses, plain_loop.losses)


def test_a_comparison_takes_both_and_says_what_was_left_out(tmp_path: Path) -> None:
    table = episodes(60, lasting=20)
    verdict = vn.compare(table, models=["baseline", "linear", "tree", "forest", "knn"], folds=5, jobs=1, home=tmp_path)
    said = verdict.to_dict()
    late = int((verdict.plan.fold_of[0] == 5).sum())
    assert late > 0
    assert (said["folds"], said["splitting"]) == (5, "time")
    assert f"{late:,} rows that come after the fold in which their group begins took no part" in said["estimates"]
    assert not verdict.ran.failed
    held = verdict.evidence["procedure"]
    assert table.groups is not None
    assert set(held.folds) == {2, 3, 4}


@pytest.mark.parametrize(
    ("call", "said", "code"),
    [
        (
            lambda t: make_plan(t, folds=4),
            "groups begin at 1 different moments, fewer than the 4",
            "fewer_moments_than_folds",
        ),
        (holdout_plan, "1 different moments at which groups begin, fewer than the 2 parts", "fewer_rows_than_folds"),
        (leave_one_group_out, "leaving out one group at a time keeps no time order", "groups_and_time"),
    ],
)
def test_where_it_is_impossible_that_is_said(call: Any, said: str, code: str) -> None:
    time = np.tile(np.arange(10.0), 6)
    panel = plain(np.zeros((60, 1)), np.arange(60.0), time=time, groups=np.repeat(np.arange(6, dtype=np.int32), 10))
    with pytest.raises((DataError, UsageError), match=said) as caught:
        call(panel)
    assert caught.value.code == code  # type: ignore[attr-defined]  # both errors have one
    assert caught.value.hint  # type: ignore[attr-defined]  # and the other
