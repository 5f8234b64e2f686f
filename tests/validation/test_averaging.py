from __future__ import annotations

import numpy as np
import pytest

from tests.validation.tables import classification
from venire.data.table import Task
from venire.errors import UsageError
from venire.inference.intervals import accuracy_interval, corrected_t, cross_validated
from venire.metrics.scores import metric
from venire.validation.averaging import NEED_SEVERAL_ROWS, Averaging, refuse_undefined
from venire.validation.plans.folds import make_plan
from venire.validation.plans.splits import holdout_plan, leave_one_out

ERROR, RMSE = metric("error", Task.CLASSIFICATION), metric("rmse", Task.REGRESSION)


def test_repeats_bring_no_new_rows() -> None:
    averaging = Averaging.over(make_plan(classification(60), folds=5, repeats=3), ERROR)
    assert (averaging.rows, averaging.repeats) == (60, 3)
    losses = np.linspace(0.1, 0.3, 15)
    expected = cross_validated(losses, 1 / 4, rows=60, repeats=3, bounds=(0, 1))
    assert averaging.interval(losses) == expected


def test_one_test_part_is_judged_by_its_counts() -> None:
    averaging = Averaging.over(holdout_plan(classification(60)), ERROR)
    found, right = averaging.interval(np.array([0.25])), accuracy_interval(15, 20)
    assert (found.low, found.high) == (pytest.approx(1 - right.high), pytest.approx(1 - right.low))
    assert not Averaging.over(holdout_plan(classification(60)), RMSE).interval(np.array([0.25])).defined


def test_single_rows_are_averaged_as_squares() -> None:
    averaging = Averaging.over(leave_one_out(classification(4)), RMSE)
    losses = np.array([[1.0], [2.0], [2.0], [3.0]])
    assert averaging.mean(losses).tolist() == [pytest.approx(np.sqrt(4.5))]
    found, squared = averaging.interval(losses[:, 0]), corrected_t([1, 4, 4, 9], 1 / 3)
    assert found.high == pytest.approx(np.sqrt(squared.high))
    assert found.low == 0, "a square is not below 0"


@pytest.mark.parametrize("name", NEED_SEVERAL_ROWS)
def test_a_single_row_has_no_rank_and_no_ratio(name: str) -> None:
    task = Task.REGRESSION if name == "r2" else Task.CLASSIFICATION
    with pytest.raises(UsageError, match=f"metric '{name}' is not defined on folds of a single row"):
        refuse_undefined(leave_one_out(classification(5)), metric(name, task))
