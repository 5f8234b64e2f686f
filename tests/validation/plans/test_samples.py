"""Samples as repeats of a plan: what each is prepared on."""

from __future__ import annotations

import numpy as np

from tests.validation.tables import classification
from venire.validation.plans.plan import Trial
from venire.validation.plans.samples import sample_plan

TABLE = classification(6, classes=2, weights=np.arange(6.0))
DRAWN = np.array([[2, 0, 1, 3, 0, 0], [1, 1, 1, 1, 2, 0]], np.int32)


def test_the_first_repeat_is_all_rows_and_the_others_are_samples() -> None:
    plan = sample_plan(DRAWN, seed=7)
    assert plan.trials == tuple(Trial(repeat, (1,), (0,)) for repeat in range(3))
    assert [plan.train_rows(trial).tolist() for trial in plan.trials] == [
        [0, 1, 2, 3, 4, 5],
        [0, 0, 2, 3, 3, 3],
        [0, 1, 2, 3, 4, 4],
    ]
    assert [plan.test_rows(trial).tolist() for trial in plan.trials] == [[0, 1, 2, 3, 4, 5], [1, 4, 5], [5]]
    assert all(plan.seen_rows(trial) == [] for trial in plan.trials)


def test_a_sample_is_a_table_in_which_a_row_drawn_twice_stands_twice() -> None:
    plan = sample_plan(DRAWN, seed=7)
    for trial in plan.trials:
        table, inside, own = plan.within(TABLE, trial)
        train, test = plan.train_rows(trial), plan.test_rows(trial)
        np.testing.assert_array_equal(table.X, TABLE.X[np.concatenate([train, test])])
        np.testing.assert_array_equal(table.weights, np.concatenate([train, test]))
        np.testing.assert_array_equal(table.y[inside.train_rows(own)], TABLE.y[train])
        np.testing.assert_array_equal(table.y[inside.test_rows(own)], TABLE.y[test])
        assert inside.predicted_rows(own)[1:] == []


def test_samples_that_differ_in_anything_are_other_samples() -> None:
    plan = sample_plan(DRAWN, seed=7)
    twice = DRAWN.copy()
    twice[1, 0], twice[1, 4] = 2, 1  # the same rows, but not as often
    digests = [p.digest() for p in (plan, sample_plan(DRAWN, 8), sample_plan(DRAWN[::-1], 7), sample_plan(twice, 7))]
    assert len(set(digests)) == 4
    assert sample_plan(DRAWN, seed=7).digest() == plan.digest()
    seeds = {plan.within(TABLE, trial).plan.seed for trial in plan.trials}
    assert len(seeds) == 3
