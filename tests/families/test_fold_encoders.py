"""The encoder of a training part from its folds is the one its rows give."""

from __future__ import annotations

import numpy as np
import pytest

from tests.families.cases import CASES, case
from tests.validation.tables import classification
from venire.data.encode import OneHotScaled
from venire.families.fold_encoders import FoldEncoders, pays, rows_of_folds
from venire.validation.plans.folds import make_plan


@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("name", list(CASES))
def test_folds_give_the_encoder_their_rows_give(name: str, classes: int) -> None:
    table, plan = case(name, classes)
    encoders = FoldEncoders.of(table, plan, 0)
    for trial in (plan.trials[0], plan.trials[-1]):
        train = plan.train_rows(trial)
        found, expected = encoders.together(list(trial.train)).encoder, OneHotScaled(table.categorical)
        expected.fit(table.X[train])
        np.testing.assert_array_equal(found.origins_, expected.origins_)
        np.testing.assert_allclose(found.mean_, expected.mean_, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.spread_, expected.spread_, rtol=1e-9)
        np.testing.assert_allclose(found.transform(table.X), expected.transform(table.X), rtol=1e-7, atol=1e-7)


def test_a_fold_left_out_leaves_no_bit() -> None:
    table = classification(60)
    plan = make_plan(table, folds=4)
    left_out = plan.fold_of[0] == 2
    before = FoldEncoders.of(table, plan, 0).together([0, 1, 3]).encoder.transform(table.X)
    kept = before[~left_out]
    table.X[left_out, 0] = 1e9
    after = FoldEncoders.of(table, plan, 0).together([0, 1, 3]).encoder.transform(table.X)
    np.testing.assert_array_equal(after[~left_out], kept)


def test_folds_hold_all_rows_once_and_pay_while_they_are_few() -> None:
    table = classification(400)
    plan = make_plan(table, folds=4)
    rows = rows_of_folds(plan, 0)
    assert sorted(np.concatenate(rows)) == list(range(400))
    assert all((plan.fold_of[0][some] == fold).all() for fold, some in enumerate(rows))
    assert pays(table, plan)
    assert not pays(table, make_plan(table, folds=100))
