from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.validation.tables import classification
from venire.validation.deal import make_plan
from venire.validation.plan import Plan, Trial


def dealt(blocks: int, repeats: int = 1, dealing: str = "random") -> Plan:
    rows = np.stack([np.random.default_rng(r).permutation(np.arange(4 * blocks) % blocks) for r in range(repeats)])
    if dealing == "time":
        rows = np.sort(rows, axis=1)
    return Plan(rows.astype(np.int32), blocks, dealing, seed=0)


@given(st.integers(3, 12), st.integers(1, 3))
def test_every_pair_of_blocks_is_left_out_once(blocks: int, repeats: int) -> None:
    plan = dealt(blocks, repeats)
    assert len(plan.trials) == len(set(plan.trials)) == repeats * (blocks + blocks * (blocks - 1) // 2)
    assert len({trial.key for trial in plan.trials}) == len(plan.trials)
    for trial in plan.trials:
        assert not set(trial.train) & set(trial.test)
        assert set(trial.train) | set(trial.test) == set(range(blocks))
        assert not set(plan.train_rows(trial)) & set(plan.test_rows(trial))


@given(st.integers(3, 12))
def test_the_inner_layer_never_meets_the_outer_block(blocks: int) -> None:
    plan = dealt(blocks)
    for i in plan.outer_blocks():
        assert plan.outer(0, i).trial.train == tuple(b for b in range(blocks) if b != i)
        held = plan.inner(0, i)
        assert [h.block for h in held] == [b for b in range(blocks) if b != i]
        for h in held:
            assert h.trial in plan.trials
            assert h.block in h.trial.test
            assert i not in h.trial.train
            assert h.block not in h.trial.train
    assert [h.block for h in plan.final(0)] == list(range(blocks))


@given(st.integers(4, 12))
def test_in_time_order_nothing_comes_from_later(blocks: int) -> None:
    plan = dealt(blocks, dealing="time")
    assert plan.outer_blocks() == tuple(range(2, blocks))
    assert len(plan.trials) == blocks - 1
    for i in plan.outer_blocks():
        assert plan.outer(0, i).trial.train == tuple(range(i))
        for h in plan.inner(0, i):
            assert h.block < i
            assert max(h.trial.train) < h.block


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


def test_rows_are_in_ascending_order() -> None:
    plan = dealt(5)
    rows = plan.rows(0, (3, 1))
    assert (np.diff(rows) > 0).all()
    assert set(plan.block_of[0][rows]) == {1, 3}


def test_rows_tested_over_rows_trained_on() -> None:
    assert dealt(5, 2).test_over_train() == pytest.approx(1 / 4)
    assert dealt(5, dealing="time").test_over_train() == pytest.approx(np.mean([1 / 2, 1 / 3, 1 / 4]))


def test_the_digest_follows_the_dealing() -> None:
    table = classification(40)
    plan = make_plan(table, seed=3)
    assert plan.digest() == make_plan(table, seed=3).digest()
    moved = plan.block_of.copy()
    moved[0, :2] = moved[0, 1::-1]
    swapped = Plan(moved, plan.blocks, plan.dealing, plan.seed)
    assert (swapped.digest() == plan.digest()) == bool(moved[0, 0] == moved[0, 1])
