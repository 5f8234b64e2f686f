"""Intervals of a fixed model on one test set: right beside the bootstrap, and right as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from venire.data.table import Task
from venire.inference import bootstrap_interval
from venire.inference.one_test_set import fixed_model_interval
from venire.metrics import metric
from venire.metrics.predictions import Output, Predictions, decide

ROWS = 400


def of_classes(classes: int, seed: int, rows: int = ROWS) -> tuple[np.ndarray, Predictions]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    scores = rng.normal(size=(rows, classes)) + 1.2 * np.eye(classes)[y]
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return y, Predictions(decide(shares), shares, Output.PROBABILITIES)


def of_numbers(seed: int, rows: int = ROWS) -> tuple[np.ndarray, Predictions]:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=rows)
    return values + rng.normal(size=rows) * 0.7, Predictions(None, values[:, None], Output.VALUES)


def measured(name: str, seed: int, rows: int = ROWS):
    if name in ("rmse", "mae", "r2"):
        return metric(name, Task.REGRESSION), *of_numbers(seed, rows)
    classes = 3 if name.endswith("_3") else 2
    costs = ((0.0, 1.0), (5.0, 0.0)) if name == "cost" else None
    bare = name.removesuffix("_3")
    return metric(bare, Task.CLASSIFICATION, 1 if classes == 2 else None, costs), *of_classes(classes, seed, rows)


NAMES = ["error", "balanced_error", "log_loss", "brier", "auc", "f1", "cost", "rmse", "mae", "r2", "f1_3", "brier_3"]


@pytest.mark.parametrize("name", [*NAMES, "auc_3"])
def test_the_interval_is_about_that_of_the_bootstrap(name):
    measure, y, said = measured(name, 1)
    found = fixed_model_interval(measure, y, said)
    drawn = bootstrap_interval(measure, y, said, np.random.default_rng(0), draws=1000)
    assert found.value == pytest.approx(drawn.value)
    wider = 1.4 if name == "auc_3" else 1.15  # a mean of areas gets at most what they have together
    assert 1 / 1.15 < found.interval.width / drawn.interval.width < wider
    assert abs((found.low + found.high) / 2 - (drawn.low + drawn.high) / 2) < 0.15 * drawn.interval.width


@pytest.mark.parametrize("name", ["error", "f1", "log_loss", "auc", "rmse", "r2"])
def test_it_holds_the_figure_of_many_rows_as_often_as_it_says(name):
    measure, y, said = measured(name, 0, 200_000)
    truth = measure.loss(y, said)
    found = [fixed_model_interval(*measured(name, seed, 150)) for seed in range(1, 401)]
    held = np.mean([one.low <= truth <= one.high for one in found])
    assert 0.91 < held < 0.985


def test_rows_without_spread_have_no_interval_but_a_share_has():
    y = np.array([0, 1] * 10)
    said = Predictions(y.astype(np.int32), np.eye(2)[y], Output.PROBABILITIES)
    for name in ("log_loss", "f1", "auc"):
        found = fixed_model_interval(metric(name, Task.CLASSIFICATION, 1), y, said)
        assert (found.value, found.interval.defined) == (pytest.approx(0.0, abs=1e-6), False)
    error = fixed_model_interval(metric("error", Task.CLASSIFICATION), y, said)
    assert error.low == 0.0 < error.high


def test_one_row_says_nothing_of_its_spread():
    said = Predictions(np.array([1], dtype=np.int32), None, Output.LABELS)
    assert not fixed_model_interval(metric("error", Task.CLASSIFICATION), np.array([1]), said).interval.defined
