from __future__ import annotations

import numpy as np
import pytest

from tests.validation.tables import classification
from venire.data.table import Task
from venire.errors import UsageError
from venire.metrics.scores import metric
from venire.validation.averaging import NEED_SEVERAL_ROWS, Averaging, refuse_undefined
from venire.validation.plans.folds import make_plan
from venire.validation.plans.splits import leave_one_out

ERROR, RMSE = metric("error", Task.CLASSIFICATION), metric("rmse", Task.REGRESSION)


def test_repeats_are_counted_by_the_rows_they_test() -> None:
    assert Averaging.over(make_plan(classification(60), folds=5, repeats=3), ERROR).repeats == 3


def test_single_rows_are_averaged_as_squares() -> None:
    averaging = Averaging.over(leave_one_out(classification(4)), RMSE)
    losses = np.array([[1.0], [2.0], [2.0], [3.0]])
    assert averaging.mean(losses).tolist() == [pytest.approx(np.sqrt(4.5))]


@pytest.mark.parametrize("name", NEED_SEVERAL_ROWS)
def test_a_single_row_has_no_rank_and_no_ratio(name: str) -> None:
    task = Task.REGRESSION if name == "r2" else Task.CLASSIFICATION
    with pytest.raises(UsageError, match=f"metric '{name}' is not defined on folds of a single row"):
        refuse_undefined(leave_one_out(classification(5)), metric(name, task))
