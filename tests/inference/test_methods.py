"""Intervals by their names."""

from __future__ import annotations

import numpy as np
import pytest

from venire.data.table import Task
from venire.errors import UsageError
from venire.inference import accuracy_interval, corrected_t, cross_validated, discounted_beta, interval
from venire.inference.methods import METHODS
from venire.metrics import Output, Predictions, metric

LOSSES = [0.1, 0.2, 0.15, 0.1, 0.2]
Y = np.arange(40) % 2


def arguments(method: str):
    rng = np.random.default_rng(0)
    outer, folds = rng.random(40), np.arange(40) % 4
    inner = np.where(np.arange(4) == folds[:, None], np.nan, rng.random((40, 4)))
    said = Predictions(Y[::-1].astype(np.int32), None, Output.LABELS)
    return {
        "jeffreys": ((30, 40), {}),
        "clustered_beta": ((Y, np.arange(40) // 4), {}),
        "cross_validated": ((LOSSES, 1 / 4), {"rows": 100}),
        "discounted_beta": ((0.15, 100), {"folds": 5, "test_over_train": 1 / 4}),
        "corrected_t": ((LOSSES, 1 / 4), {}),
        "conservative_z": ((LOSSES, [[0.1, 0.2], [0.2, 0.1]]), {}),
        "nested": ((outer, inner, folds), {}),
        "delong": (([(Y, Y + rng.normal(0, 1, 40))],), {}),
        "bootstrap": ((metric("error", Task.CLASSIFICATION), Y, said, rng), {"draws": 200}),
    }[method]


@pytest.mark.parametrize("method", METHODS)
def test_every_name_gives_an_estimate_that_says_what_it_is(method):
    args, options = arguments(method)
    found = interval(method, *args, **options)
    assert found.method == method
    assert found.low <= found.value <= found.high
    assert found.target.startswith("the ")
    assert method in str(found)
    args, options = arguments(method)
    wider = interval(method, *args, **options, level=0.99)
    assert wider.interval.width >= found.interval.width
    assert wider.interval.level == 0.99


def test_the_names_are_the_functions():
    assert interval("jeffreys", 6, 8).interval == accuracy_interval(6, 8)
    assert interval("corrected_t", LOSSES, 1 / 4).interval == corrected_t(LOSSES, 1 / 4)
    assert interval("cross_validated", LOSSES, 1 / 4, rows=50).interval == cross_validated(LOSSES, 1 / 4, rows=50)
    beta = {"folds": 10, "test_over_train": 1 / 9}
    assert interval("discounted_beta", 0.2, 100, **beta).interval == discounted_beta(0.2, 100, **beta)


def test_an_unknown_name_lists_the_choices():
    with pytest.raises(UsageError, match="no interval 'bootstrp'; did you mean 'bootstrap'") as refused:
        interval("bootstrp")
    assert "corrected_t" in str(refused.value.hint)
