from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.validation.tables import classification
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan, Trial


def split(folds: int, repeats: int = 1, splitting: str = "random") -> Plan:
    rows = np.stack([np.random.default_rng(r).permutation(np.arange(4 * folds) % folds) for r in range(repeats)])
    if splitting == "time":
        rows = np.sort(rows, axis=1)
    return Plan(rows.astype(np.int32), folds, splitting, seed=0)


@given(st.integers(3, 12), st.integers(1, 3))
def test_every_pair_of_folds_is_left_out_once(folds: int, repeats: int) -> None:
    plan = split(folds, repeats)
    assert len(plan.trials) == len(set(plan.trials)) == repeats * (folds + folds * (folds - 1) // 2)
    assert len({trial.key for trial in plan.trials}) == len(plan.trials)
    for trial in plan.trials:
        assert not set(trial.train) & set(trial.test)
        assert set(trial.train) | set(trial.test) == set(range(folds))
        assert not set(plan.train_rows(trial)) & set(plan.test_rows(trial))


@given(st.integers(1, 6), st.data())
def test_rows_are_those_of_the_folds_asked_for_in_ascending_order(folds: int, data: st.DataObject) -> None:
    plan = split(folds, repeats=2)
    asked = tuple(data.draw(st.sets(st.integers(0, folds - 1))))
    for repeat in range(2):
        expected = [row for row, fold in enumerate(plan.fold_of[repeat]) if fold in asked]
        assert plan.rows(repeat, asked).tolist() == expected


@given(st.integers(3, 12))
def test_the_inner_layer_never_meets_the_outer_fold(folds: int) -> None:
    plan = split(folds)
    for i in plan.outer_folds():
        assert plan.outer(0, i).trial.train == tuple(b for b in range(folds) if b != i)
        held = plan.inner(0, i)
        assert [h.fold for h in held] == [b for b in range(folds) if b != i]
        for h in held:
            assert h.trial in plan.trials
            assert h.fold in h.trial.test
            assert i not in h.trial.train
            assert h.fold not in h.trial.train
    assert [h.fold for h in plan.final(0)] == list(range(folds))


@given(st.integers(4, 12))
def test_in_time_order_nothing_comes_from_later(folds: int) -> None:
    plan = split(folds, splitting="time")
    assert plan.outer_folds() == tuple(range(2, folds))
    assert len(plan.trials) == folds - 1
    for i in plan.outer_folds():
        assert plan.outer(0, i).trial.train == tuple(range(i))
        for h in plan.inner(0, i):
            assert h.fold < i
            assert max(h.trial.train) < h.fold


@given(st.integers(2, 12))
def test_where_nothing_is_chosen_every_fold_but_the_first_is_judged_in_time_order(folds: int) -> None:
    plan = replace(split(folds, splitting="time"), layers=1)
    assert plan.outer_folds() == tuple(range(1, folds)) == tuple(held.fold for held in plan.final(0))


@given(st.integers(3, 8), st.integers(0, 1))
def test_windows_are_predicted_from_those_before_them(folds: int, spare: int) -> None:
    plan = replace(split(folds + spare, splitting="nested"), spare=spare, windows=True)
    held = plan.inner(0, 0)
    assert [(h.trial.train, h.trial.test) for h in held] == [(tuple(range(1, j)), (j,)) for j in range(2, folds)]
    assert [h.fold for h in held] == list(range(2, folds))
    assert plan.trials == (plan.outer(0, 0).trial, *(h.trial for h in held))
    assert plan.outer(0, 0).trial.train == tuple(range(1, folds))


def test_a_seed_hangs_on_what_is_trained_on_what_alone() -> None:
    trial = Trial(0, (0, 1, 2), (3,))
    assert trial.seed(0, "forest") == Trial(0, (0, 1, 2), (3, 4)).seed(0, "forest")
    others = [
        trial.seed(1, "forest"),
        trial.seed(0, "tree"),
        Trial(1, (0, 1, 2), (3,)).seed(0, "forest"),
        Trial(0, (0, 1), (3,)).seed(0, "forest"),
    ]
    assert len({trial.seed(0, "forest"), *others}) == 5
    assert all(0 <= seed < 2**31 for seed in others)


@pytest.mark.parametrize("folds", [3, 7])
@pytest.mark.parametrize("ordered", [False, True])
def test_the_training_error_is_taken_on_every_row_about_once(folds: int, ordered: bool) -> None:
    plan = split(folds, splitting="time" if ordered else "random")
    found = []
    for trial in plan.trials:
        seen = plan.seen_folds(trial)
        assert set(seen) <= set(trial.train)
        assert bool(seen) == (len(trial.test) == 1)
        parts = plan.predicted_rows(trial)
        assert len(parts) == 1 + bool(seen)
        np.testing.assert_array_equal(parts[0], plan.test_rows(trial))
        for part in parts[1:]:
            assert set(plan.fold_of[0][part]) == set(seen)
        found += seen
    # In time order the first fold is judged by the model of the second, and the last has no model after it.
    assert sorted(found) == list(range(folds - ordered))


@pytest.mark.parametrize("change", [{"layers": 1}, {"splitting": "holdout"}, {"splitting": "nested"}])
def test_elsewhere_the_training_error_is_taken_on_all_rows_trained_on(change: dict[str, Any]) -> None:
    plan = replace(split(4), **change)
    outer = [trial for trial in plan.trials if plan.is_outer(trial)]
    assert outer
    assert all(plan.seen_folds(trial) == trial.train for trial in outer)


def test_rows_are_in_ascending_order() -> None:
    plan = split(5)
    rows = plan.rows(0, (3, 1))
    assert (np.diff(rows) > 0).all()
    assert set(plan.fold_of[0][rows]) == {1, 3}


def test_rows_tested_over_rows_trained_on() -> None:
    assert split(5, 2).test_over_train() == pytest.approx(1 / 4)
    assert split(5, splitting="time").test_over_train() == pytest.approx(np.mean([1 / 2, 1 / 3, 1 / 4]))


def test_the_digest_follows_the_split() -> None:
    table = classification(40)
    plan = make_plan(table, seed=3)
    assert plan.digest() == make_plan(table, seed=3).digest()
    moved = plan.fold_of.copy()
    moved[0, :2] = moved[0, 1::-1]
    swapped = Plan(moved, plan.folds, plan.splitting, plan.seed)
    assert (swapped.digest() == plan.digest()) == bool(moved[0, 0] == moved[0, 1])


def test_plans_whose_trials_keep_other_things_have_other_digests() -> None:
    """An outer trial of one layer shows the training error of all its rows, and one of two layers of a fold."""
    plan = make_plan(classification(40), folds=5)
    others = [
        replace(plan, layers=1),
        replace(plan, keeps_seen=False),
        replace(plan, spare=1),
        replace(plan, windows=True),
    ]
    assert len({each.digest() for each in (plan, *others)}) == 5


def test_a_plan_is_prepared_on_the_table_itself() -> None:
    table = classification(40)
    plan = make_plan(table, folds=5)
    assert plan.within(table, plan.trials[3]) == (table, plan, plan.trials[3])
    assert not plan.own_tables


def test_places_and_finals_of_all_repeats() -> None:
    plan = split(4, 2)
    assert plan.places == tuple((repeat, fold) for repeat in range(2) for fold in range(4))
    assert plan.finals == (*plan.final(0), *plan.final(1))
    assert plan.test_over_train([(0, 1)]) == pytest.approx(1 / 3)
