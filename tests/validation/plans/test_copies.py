"""Copies of one row share a fold; rows that are alike by nature are split like any others."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from tests.validation.tables import classification, plain, regression
from venire.data.table import Table
from venire.errors import UsageError
from venire.validation import bootstrap, one_layer, two_layer
from venire.validation.bootstrapping import draw
from venire.validation.plans.copies import copies, equal_rows, hashed, row_keys
from venire.validation.plans.folds import make_plan
from venire.validation.plans.inner_folds import with_inner_folds
from venire.validation.plans.plan import Plan
from venire.validation.plans.splits import holdout_plan, leave_one_out
from venire.validation.subject import subject


def repeated(table: Table, rows: Any) -> Table:
    """The table made of some of its rows, each as often as it is named."""
    return table.take(np.asarray(rows, dtype=np.intp))


def twice(table: Table) -> Table:
    return repeated(table, np.tile(np.arange(table.rows), 2))


def no_copy_apart(plan: Plan) -> bool:
    return not any(plan.copies_apart(repeat).any() for repeat in range(plan.repeats))


def titanic_like(rows: int, seed: int = 0) -> Table:
    """Four columns of few values that belong together, and a target with noise: many rows are equal by nature."""
    rng = np.random.default_rng(seed)
    rank = rng.integers(0, 3, rows)
    X = np.column_stack(
        [
            rank,
            rng.random(rows) < 0.3 + 0.2 * rank,
            np.minimum(rng.geometric(0.6, rows), 4),
            np.where(rng.random(rows) < 0.7, rank, rng.integers(0, 3, rows)),
        ]
    )
    return plain(X, rng.random(rows) < 0.2 + 0.3 * (rank == 2), classes=2)


def rounded(decimals: int, extra: int, seed: int, rows: int = 400) -> Table:
    """One rounded number, and columns of two values."""
    rng = np.random.default_rng([decimals, extra, seed])
    x = np.round(rng.normal(size=rows), decimals)
    X = np.column_stack([x, *rng.integers(0, 2, (extra, rows))]).astype(float)
    return plain(X, x + 0.5 * rng.normal(size=rows) > 0, classes=2)


def share_of_copies(table: Table) -> float:
    found = equal_rows(table).cases
    return 0.0 if found is None else float((np.bincount(found)[found] > 1).mean())


@pytest.mark.parametrize(("decimals", "extra"), [(3, 0), (2, 0), (2, 1)])
def test_rounded_numbers_make_natural_twins_and_copies_among_them_are_seen(decimals: int, extra: int) -> None:
    """Without its neighbours' values taken into account up to two fifths of such a table passed for copied."""
    tables = [rounded(decimals, extra, seed) for seed in range(8)]
    assert np.mean([share_of_copies(table) for table in tables]) < 0.06
    again = [repeated(table, np.r_[np.arange(400), np.arange(0, 400, 2)]) for table in tables]
    assert np.mean([share_of_copies(table) for table in again]) > 0.3


def test_gaps_and_large_numbers_do_not_disturb_what_rounding_explains() -> None:
    table = rounded(2, 0, 0)
    X = table.X.copy()
    X[::40] = np.nan
    X[1::40] *= 1e90
    assert share_of_copies(replace(table, X=X)) < 0.1


def test_keys_are_equal_exactly_where_rows_are() -> None:
    X = np.array([[0.0, np.nan], [-0.0, np.float64(-np.nan)], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    keys = row_keys(list(X.T), 5)
    assert keys[0] == keys[1]
    assert keys[2] == keys[4]
    assert len(set(keys.tolist())) == 3
    np.testing.assert_array_equal(keys - hashed(X[:, 1], 1), hashed(X[:, 0], 0))
    many = np.random.default_rng(0).integers(0, 1000, size=(20_000, 3)).astype(float)
    assert len(np.unique(row_keys(list(many.T), 20_000))) == len(np.unique(many, axis=0))


def test_tables_without_equal_rows_keep_their_folds() -> None:
    """The very folds that seeds gave before copies were looked for."""
    table = classification(120)
    for how in ({}, {"repeats": 3}, {"stratified": True}, {"folds": 4}):
        plan = make_plan(table, seed=5, **how)
        assert plan.cases is None
        assert plan.notes == ()
        apart = make_plan(replace(table, duplicates="apart"), seed=5, **how)
        np.testing.assert_array_equal(plan.fold_of, apart.fold_of)
    assert make_plan(classification(90)).fold_of[0][:12].tolist() == FIRST_FOLDS


FIRST_FOLDS = [6, 4, 4, 5, 5, 3, 5, 0, 4, 1, 3, 7]


@pytest.mark.parametrize("table", [classification(200), regression(200)], ids=["classes", "numbers"])
@pytest.mark.parametrize(
    "copied",
    [
        lambda n: np.tile(np.arange(n), 2),
        lambda n: np.r_[np.arange(n), np.random.default_rng(0).integers(n, size=n // 4)],
        lambda n: np.r_[np.arange(n), np.full(30, 3)],
    ],
    ids=["twice", "a quarter again", "one row 31 times"],
)
@pytest.mark.parametrize("how", [{}, {"repeats": 3}, {"stratified": True}, {"folds": 3}], ids=str)
def test_copies_share_a_fold(table: Table, copied: Any, how: dict[str, Any]) -> None:
    rows = copied(200)
    plan = make_plan(repeated(table, rows), seed=1, **how)
    assert plan.cases is not None
    assert len(np.unique(np.stack([plan.cases, rows]), axis=1).T) == len(np.unique(rows)) == len(np.unique(plan.cases))
    assert no_copy_apart(plan)
    sizes = [np.bincount(one, minlength=plan.folds) for one in plan.fold_of]
    most = 4 if how.get("stratified") and not table.target.classes else 1  # runs of numbers are split by cases
    assert all(size.max() - size.min() <= most * np.bincount(rows).max() for size in sizes)
    assert f"{len(rows):,} rows are copies of one another; copies are kept in one fold" in plan.notes[0]


def test_a_doubled_table_is_the_plain_one_with_two_rows_for_each() -> None:
    for table in (classification(150), titanic_like(300)):
        plan = make_plan(twice(table))
        assert plan.cases is not None
        np.testing.assert_array_equal(plan.cases[: table.rows], plan.cases[table.rows :])
        assert len(np.unique(plan.cases)) == table.rows, "natural twins of the plain table stay different cases"


@pytest.mark.parametrize("rows", [60, 300, 2000])
def test_rows_that_are_alike_by_nature_are_no_copies(rows: int) -> None:
    rng = np.random.default_rng(rows)
    tables = [
        titanic_like(rows),
        plain(rng.integers(0, 2, (rows, 6)), rng.integers(0, 2, rows), classes=2),
        plain(rng.integers(0, 4, (rows, 1)), rng.integers(0, 2, rows), classes=2),
        plain(rng.integers(0, 3, (rows, 3)), rng.integers(0, 5, rows).astype(float)),
    ]
    parity = rng.integers(0, 2, (rows, 2))
    tables.append(plain(parity, parity.sum(axis=1) % 2, classes=2))  # no column changes alone
    for table in tables:
        cases = copies(table)
        kept = 0.0 if cases is None else (np.bincount(cases)[cases] > 1).mean()
        assert kept <= 0.03, "a few rows in thin places may be taken for copies"


def test_rows_that_are_alike_by_nature_are_counted_and_said() -> None:
    table = titanic_like(300)
    keys = row_keys([*table.X.T, table.y], table.rows)
    _, pattern, size = np.unique(keys, return_inverse=True, return_counts=True)
    found = equal_rows(table)
    copied = 0 if found.cases is None else int((np.bincount(found.cases)[found.cases] > 1).sum())
    assert found.natural == int((size[pattern] > 1).sum()) - copied > 200
    assert make_plan(table).notes[-1] == (
        f"{found.natural} of 300 rows equal another row by nature, because their columns have few values; they are "
        "split like any other rows"
    )
    assert equal_rows(classification(200)).natural == 0
    both = make_plan(twice(table)).notes
    assert both[0] == "600 of 600 rows are copies of one another; copies are kept in one fold"
    assert "rows equal another row by nature" in both[1]


def test_a_value_that_many_rows_have_is_no_copy() -> None:
    """A third of the rows measure nothing, in all columns: new rows will, too."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    X[:300] = -1.0
    table = plain(X, np.r_[np.zeros(300), rng.integers(0, 2, 600)], classes=2)
    assert copies(table) is None
    rare = np.flatnonzero(table.y == 1)[:6]
    few = repeated(table, np.r_[np.flatnonzero(table.y == 0), np.tile(rare, 100)])
    found = copies(few)
    assert found is not None
    assert (np.bincount(found) == 100).sum() == 6, "but a rare class drawn again and again is"


def test_over_sampling_before_splitting_is_seen() -> None:
    table = classification(400, classes=2)
    rare = np.flatnonzero(table.y == 1)[:40]
    common = np.flatnonzero(table.y == 0)
    rng = np.random.default_rng(0)
    for again in (np.tile(rare, 3), rng.choice(rare, 160), rng.choice(rare, 2000)):
        cases = copies(repeated(table, np.r_[common, again]))
        assert cases is not None
        assert len(np.unique(cases)) == len(common) + len(np.unique(again))


def test_the_other_plans_keep_copies_together() -> None:
    table = repeated(classification(60), np.r_[np.tile(np.arange(60), 2), np.arange(20)])
    plans = [
        leave_one_out(table),
        holdout_plan(table, validation=1 / 3, repeats=3),
        holdout_plan(table, validation=1 / 3, repeats=3, stratified=True),
        with_inner_folds(table, make_plan(table, folds=4, layers=1), 3),
        with_inner_folds(table, make_plan(table, folds=4, layers=1, stratified=True), 3),
    ]
    for plan in plans:
        assert plan.cases is not None
        assert no_copy_apart(plan)
    assert plans[0].folds == 60


def test_a_bootstrap_sample_is_not_tested_on_a_copy() -> None:
    table = twice(classification(40))
    case = subject(DecisionTreeClassifier(), table)
    drawn = draw(case, 30, 0)
    np.testing.assert_array_equal(drawn[:, :40], drawn[:, 40:])
    found = bootstrap(DecisionTreeClassifier(random_state=0), table, samples=20)
    alone = bootstrap(DecisionTreeClassifier(random_state=0), table, samples=20, duplicates="apart")
    assert found.out_of_bag[0] > alone.out_of_bag[0] + 0.1


def test_groups_and_time_decide_and_it_is_said() -> None:
    table = twice(classification(60))
    groups = np.r_[np.zeros(60), np.ones(60)] * 10 + np.tile(np.arange(60) % 10, 2)
    plan = make_plan(replace(table, groups=groups.astype(np.int32)), folds=5)
    assert plan.splitting == "grouped"
    assert plan.notes == ("120 of 120 rows are copies of one another; copies are in different folds: groups decide",)
    timed = make_plan(replace(table, time=np.arange(120.0)), folds=5)
    assert timed.notes[0].endswith("copies are in different folds: the time decides")
    alike = make_plan(replace(table, groups=np.tile(np.arange(60), 2).astype(np.int32)), folds=5)
    assert alike.notes[0].endswith("copies are kept in one fold")


def test_copies_may_lie_apart_where_that_is_asked() -> None:
    table = twice(classification(60))
    plan = make_plan(replace(table, duplicates="apart"))
    assert plan.notes[0].endswith("copies are in different folds: as asked")
    np.testing.assert_array_equal(plan.fold_of, make_plan(replace(table, duplicates="apart")).fold_of)
    tree = DecisionTreeClassifier(random_state=0)
    together, apart = (one_layer(tree, table, duplicates=how).error for how in ("together", "apart"))
    plain_error = one_layer(tree, classification(60)).error
    assert apart < 0.3 * plain_error
    assert abs(together - plain_error) < 0.1
    with pytest.raises(UsageError, match="duplicates must be 'together' or 'apart', not 'both'"):
        one_layer(tree, table, duplicates="both")


def test_copies_do_not_narrow_the_interval() -> None:
    table = classification(150, classes=2)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    once, again = two_layer(tree, table), two_layer(tree, twice(table))
    assert again.interval.width == pytest.approx(once.interval.width, rel=0.15)
    apart = two_layer(tree, replace(twice(table), duplicates="apart"))
    assert apart.interval.width < 0.9 * once.interval.width


@given(
    rows=st.integers(10, 60),
    again=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    folds=st.integers(3, 6),
    seed=st.integers(0, 99),
)
def test_no_copy_of_a_continuous_row_is_ever_apart(rows: int, again: list[int], folds: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = plain(rng.normal(size=(rows, 2)), rng.integers(0, 3, rows), classes=3)
    plan = make_plan(repeated(table, np.r_[np.arange(rows), again]), folds=folds, seed=seed)
    assert plan.cases is not None
    assert no_copy_apart(plan)
    assert sorted(np.unique(plan.fold_of)) == list(range(folds))


def test_fewer_different_rows_than_folds() -> None:
    table = repeated(classification(40), np.tile(np.arange(4), 8))
    assert make_plan(table).folds == 4
    with pytest.raises(Exception, match="4 different rows with a target, fewer than the 5"):
        make_plan(table, folds=5)


def test_a_million_rows_take_about_a_second() -> None:
    rng = np.random.default_rng(0)
    table = plain(rng.normal(size=(500_000, 6)), rng.integers(0, 2, 500_000), classes=2)
    began = time.process_time()
    assert copies(table) is None
    found = copies(twice(table))
    spent = time.process_time() - began
    assert found is not None
    assert len(np.unique(found)) == 500_000
    assert spent < 6.0, "generous: three times what it takes on a busy machine"
