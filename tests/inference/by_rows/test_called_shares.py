"""The luck of how many rows a model calls positive."""

from __future__ import annotations

import numpy as np
import pytest

from venire.data.table import Task
from venire.inference import RowsTested, row_figure
from venire.inference.by_rows.called_shares import highest_f1_loss
from venire.metrics import Output, metric
from venire.metrics.predictions import Predictions

F1 = metric("f1", Task.CLASSIFICATION, positive=1)
COIN = {"hits": 0.45, "called": 0.9, "positive": 0.5, "rows": 200}


def test_no_luck_leaves_the_rows_alone():
    assert highest_f1_loss(0.4, **COIN, without=np.zeros(10)) == pytest.approx(0.4)


def test_more_luck_reaches_higher_and_never_beyond_one():
    ends = [highest_f1_loss(0.4, **COIN, without=size * np.resize([1.0, -1.0], 10)) for size in (0.005, 0.02, 0.09)]
    assert 0.4 < ends[0] < ends[1] < ends[2] <= 1


def test_the_same_change_tells_more_of_luck_where_nearly_all_are_called():
    without = 0.02 * np.resize([1.0, -1.0], 10)
    value = {share: 1 - share / (share + 0.5) for share in (0.5, 0.95)}
    down = {
        share: highest_f1_loss(0.0, hits=share / 2, called=share, positive=0.5, rows=200, without=without)
        for share in (0.5, 0.95)
    }
    # 1 − F1 at the share that the change on the normal scale leads to, relative to its slope in the share called.
    slope = {share: 0.5 / (share + 0.5) ** 2 for share in (0.5, 0.95)}
    assert (down[0.95] - value[0.95]) / slope[0.95] > 1.2 * (down[0.5] - value[0.5]) / slope[0.5]


def test_nobody_called_is_as_bad_as_it_gets():
    assert highest_f1_loss(1.0, hits=0.0, called=0.0, positive=0.3, rows=50, without=[0.0, 0.02] * 5) == 1.0


def test_the_interval_of_an_f1_takes_it_in():
    """Models without a fold that call fewer rows raise the upper end and leave the lower one."""
    at, y = np.arange(200), np.tile([0, 1], 100)
    said = Predictions(np.where(at % 10 < 9, 1, 0), None, Output.LABELS)
    others = [np.flatnonzero(at % 8 != fold) for fold in range(8)]

    def turned(share: float):
        found = []
        for fold, rows in enumerate(others):
            less = said.labels[rows].copy()
            less[: round(share * len(rows)) * (fold % 2)] = 0
            found.append((rows, Predictions(less, None, Output.LABELS)))
        return found

    tested = RowsTested(at, at % 8, folds=8, test_over_train=1 / 7)
    still, lucky = (row_figure(F1, y, said, tested, without_two=turned(share)) for share in (0.0, 0.2))
    assert still.value == lucky.value
    assert lucky.interval.high > still.interval.high + 0.05
