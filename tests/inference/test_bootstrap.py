"""Bootstrap intervals of any metric, over rows and over groups."""

from __future__ import annotations

import numpy as np
import pytest

from venire.data.table import Task
from venire.errors import UsageError
from venire.inference import bootstrap_interval
from venire.metrics import Output, Predictions, metric

CLASSES, NUMBERS = Task.CLASSIFICATION, Task.REGRESSION


def labelled(y, wrong):
    return Predictions(np.where(wrong, 1 - y, y).astype(np.int32), None, Output.LABELS)


def probable(y, rng):
    p = np.clip(0.5 + 0.3 * (2 * y - 1) + rng.normal(0, 0.2, len(y)), 0.01, 0.99)
    return Predictions((p > 0.5).astype(np.int32), np.stack([1 - p, p], axis=1), Output.PROBABILITIES)


def test_over_rows_it_is_the_binomial_spread():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    found = bootstrap_interval(metric("error", CLASSES), y, labelled(y, np.arange(300) < 60), rng)
    assert found.value == pytest.approx(0.2)
    assert found.interval.width == pytest.approx(2 * 1.96 * np.sqrt(0.2 * 0.8 / 300), rel=0.08)
    assert found.rows == "2000 resamples of 300 rows"


def test_rows_that_belong_together_are_drawn_together():
    rng = np.random.default_rng(1)
    y, groups = rng.integers(0, 2, 300), np.repeat([f"g{k}" for k in range(30)], 10)
    said = labelled(y, np.arange(300) < 60)  # six groups wrong throughout
    apart, together = (
        bootstrap_interval(metric("error", CLASSES), y, said, np.random.default_rng(2), groups=g)
        for g in (None, groups)
    )
    assert together.interval.width > 2.5 * apart.interval.width
    assert "30 groups of rows" in together.rows
    assert together.target.endswith("on new groups")


@pytest.mark.parametrize("name", ["error", "balanced_error", "log_loss", "brier", "auc", "f1"])
def test_every_metric_of_classes_has_one(name):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 150)
    found = bootstrap_interval(metric(name, CLASSES, positive=1), y, probable(y, rng), rng, draws=300)
    assert found.low < found.value < found.high


def test_costs_and_numbers_have_one_too():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 150)
    cost = metric("cost", CLASSES, costs=[[0, 1], [5, 0]])
    assert bootstrap_interval(cost, y, probable(y, rng), rng, draws=300).interval.defined
    values = rng.normal(size=150)
    said = Predictions(None, (values + rng.normal(0, 0.5, 150))[:, None], Output.VALUES)
    for name in ("rmse", "mae", "r2"):
        found = bootstrap_interval(metric(name, NUMBERS), values, said, rng, draws=300)
        assert found.low < found.value < found.high


def test_folds_are_averaged_as_on_the_leaderboard():
    rng = np.random.default_rng(5)
    y, folds = rng.integers(0, 2, 200), np.repeat([0, 1], [40, 160])
    wrong = np.arange(200) < 20
    found = bootstrap_interval(metric("error", CLASSES), y, labelled(y, wrong), rng, folds=folds, draws=300)
    assert found.value == pytest.approx((20 / 40 + 0) / 2)


def test_the_generator_decides():
    y = np.arange(50) % 2
    said = labelled(y, np.arange(50) < 10)
    first, again, other = (
        bootstrap_interval(metric("error", CLASSES), y, said, np.random.default_rng(seed), draws=200)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_a_metric_that_most_draws_leave_undefined_has_none():
    y = np.zeros(30, dtype=int)
    said = Predictions(y.astype(np.int32), np.full((30, 2), 0.5), Output.PROBABILITIES)
    found = bootstrap_interval(metric("auc", CLASSES), y, said, np.random.default_rng(0), draws=100)
    assert not found.interval.defined


def test_wrong_requests_are_refused():
    y, rng = np.arange(10) % 2, np.random.default_rng(0)
    said, error = labelled(y, y < 0), metric("error", CLASSES)
    with pytest.raises(UsageError, match="10 draws are too few"):
        bootstrap_interval(error, y, said, rng, draws=10)
    with pytest.raises(UsageError, match=r"groups have the shape \(3,\), and there are 10 rows"):
        bootstrap_interval(error, y, said, rng, groups=[1, 2, 3])
    with pytest.raises(UsageError, match="10 predictions for 9 rows"):
        bootstrap_interval(error, y[:9], said, rng)
