from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.validation.tables import classification, plain, regression
from venire.data.table import Table
from venire.errors import DataError, UsageError
from venire.validation.plans.folds import FOLDS_BY_ROWS, make_plan
from venire.wording import DEFAULT_FOLDS


def labelled(counts: list[int], **fields: object) -> Table:
    """A table with so many rows of each class, in mixed order."""
    y = np.random.default_rng(7).permutation(np.repeat(np.arange(len(counts)), counts))
    return plain(np.zeros((len(y), 1)), y, classes=len(counts), **fields)


def folds_with(table: Table, code: int, **how: int) -> int:
    split = make_plan(table, **how).fold_of[0]
    return len(np.unique(split[table.y == code]))


@given(
    rows=st.integers(3, 200),
    folds=st.integers(3, 12),
    seed=st.integers(0, 5),
    numbers=st.booleans(),
    stratified=st.booleans(),
)
def test_sizes_differ_by_at_most_one(rows: int, folds: int, seed: int, numbers: bool, stratified: bool) -> None:
    rows = max(rows, folds)
    y = np.random.default_rng(seed).integers(0, 3, rows)
    table = plain(np.zeros((rows, 1)), y, classes=0 if numbers else 3)
    sizes = np.bincount(make_plan(table, folds=folds, seed=seed, stratified=stratified).fold_of[0], minlength=folds)
    assert sizes.sum() == rows
    assert sizes.max() - sizes.min() <= 1


@given(st.lists(st.integers(3, 8), min_size=2, max_size=40), st.integers(3, 10), st.integers(0, 3))
@settings(max_examples=60)
def test_a_class_with_three_rows_is_in_three_folds(counts: list[int], folds: int, seed: int) -> None:
    table = labelled([*counts, 20])
    split = make_plan(table, folds=folds, seed=seed).fold_of[0]
    assert [code for code in range(len(counts)) if len(np.unique(split[table.y == code])) < 3] == []
    sizes = np.bincount(split, minlength=folds)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("few", [1, 2])
def test_a_class_with_one_or_two_rows_is_split(few: int) -> None:
    for seed in range(10):
        assert folds_with(labelled([few, 50]), 0, folds=5, seed=seed) == few


def test_every_training_part_has_every_class() -> None:
    table = labelled([3, 3, 3, 60])
    plan = make_plan(table, folds=5)
    for trial in plan.trials:
        assert set(table.y[plan.train_rows(trial)]) == {0, 1, 2, 3}


def test_common_classes_are_split_by_chance_alone() -> None:
    """The first split is kept unless a rare class needs another: fold shares vary as chance has it."""
    shares = [
        np.bincount(make_plan(table, folds=10, seed=seed).fold_of[0][table.y == 1], minlength=10) / 20
        for seed, table in enumerate([labelled([100, 100])] * 200)
    ]
    # A fold of 20 of 200 rows: hypergeometric, variance 20 · ¼ · 180/199.
    assert np.var(shares) * 400 == pytest.approx(20 * 0.25 * 180 / 199, rel=0.1)


@given(
    st.lists(st.integers(1, 9), min_size=5, max_size=30),
    st.integers(3, 5),
    st.integers(0, 3),
)
def test_groups_never_straddle_and_no_fold_is_empty(sizes: list[int], folds: int, seed: int) -> None:
    groups = np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)
    y = np.arange(len(groups)) % 2
    table = plain(np.zeros((len(groups), 1)), y, classes=2, groups=groups)
    split = make_plan(table, folds=folds, seed=seed).fold_of[0]
    assert all(len(np.unique(split[groups == g])) == 1 for g in range(len(sizes)))
    assert len(np.unique(split)) == folds
    # Each group went to the smallest fold of its moment: no fold is more than one group above another.
    filled = np.bincount(split, minlength=folds)
    assert filled.max() - filled.min() <= max(sizes)


@given(st.lists(st.integers(0, 40), min_size=20, max_size=80), st.integers(4, 6))
def test_time_stays_in_order_and_ties_together(moments: list[int], folds: int) -> None:
    time = np.array([*moments, *range(100, 106)], dtype=np.float64)
    table = plain(np.zeros((len(time), 1)), np.zeros(len(time)), time=time)
    split = make_plan(table, folds=folds).fold_of[0]
    order = np.argsort(time, kind="stable")
    assert (np.diff(split[order]) >= 0).all()
    assert all(len(np.unique(split[time == t])) == 1 for t in np.unique(time))
    assert set(split) == set(range(folds))


def test_seeds_and_repeats_change_the_split_and_nothing_else_does() -> None:
    table = classification(80)
    one = make_plan(table, repeats=3, seed=1)
    assert one.digest() == make_plan(table, repeats=3, seed=1).digest()
    assert one.digest() != make_plan(table, repeats=3, seed=2).digest()
    assert len({row.tobytes() for row in one.fold_of}) == 3
    np.testing.assert_array_equal(one.fold_of[0], make_plan(table, repeats=1, seed=1).fold_of[0])


def test_the_number_of_folds_follows_the_size() -> None:
    assert make_plan(classification(40)).folds == 10
    large = plain(np.zeros((20_001, 1)), np.arange(20_001) % 2, classes=2)
    assert make_plan(large).folds == 5
    grouped = regression(40, groups=np.arange(40, dtype=np.int32) % 6)
    assert make_plan(grouped).folds == 6


def test_stratified_folds_have_equal_shares() -> None:
    table = labelled([40, 20, 10])
    split = make_plan(table, folds=5, stratified=True).fold_of[0]
    for code in range(3):
        held = np.bincount(split[table.y == code], minlength=5)
        assert held.max() - held.min() <= 1
    numbers = regression(50)
    split = make_plan(numbers, folds=5, stratified=True).fold_of[0]
    ranks = np.argsort(np.argsort(numbers.y)) // 5
    assert all(len(np.unique(split[ranks == r])) == 5 for r in range(10))


@pytest.mark.parametrize(
    ("table", "how", "error", "code", "words"),
    [
        (labelled([3, 3]), {"folds": 10}, DataError, "fewer_rows_than_folds", "6 rows .* the 10 folds"),
        (labelled([3, 3]), {}, DataError, "fewer_rows_than_folds", "6 rows"),
        (labelled([30, 30]), {"folds": 2}, UsageError, "too_few_folds", "2 folds are too few"),
        (labelled([30, 30]), {"repeats": 0}, UsageError, "usage", "repeats must be at least 1, not 0"),
        (
            labelled([30, 30], groups=np.zeros(60, np.int32)),
            {},
            DataError,
            "fewer_rows_than_folds",
            "1 groups with a target",
        ),
        (
            labelled([30, 30], time=np.repeat([1.0, 2.0, 3.0], 20)),
            {"folds": 5},
            DataError,
            "fewer_moments_than_folds",
            "3 different moments",
        ),
        (labelled([30, 30], time=np.arange(60.0)), {"folds": 3}, UsageError, "too_few_folds", "at least 4"),
        (labelled([30, 30], time=np.arange(60.0)), {"repeats": 2}, UsageError, "usage", "one split only"),
        (labelled([9, 9], groups=np.arange(18, dtype=np.int32)), {"stratified": True}, UsageError, "usage", "groups"),
    ],
)
def test_what_cannot_be_split_is_said(
    table: Table, how: dict[str, int], error: type[Exception], code: str, words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        make_plan(table, **how)  # type: ignore[arg-type]  # the cases mix numbers and booleans
    assert caught.value.code == code  # type: ignore[attr-defined]  # both errors have one
    assert caught.value.hint  # type: ignore[attr-defined]  # and the way out


def test_the_help_says_what_the_rows_decide() -> None:
    (first, _), *others = FOLDS_BY_ROWS
    above = [most for _, most in FOLDS_BY_ROWS[:-1]]
    said = [f"{folds} above {most:,}" for (folds, _), most in zip(others, above, strict=True)]
    assert f"{first}; {said[0]} rows, {said[1]}" == DEFAULT_FOLDS
