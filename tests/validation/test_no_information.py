"""γ against all pairs of targets and predictions, put one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from venire.data.table import Task
from venire.metrics.predictions import Output
from venire.metrics.scores import Metric, metric, metric_names
from venire.validation.no_information import no_information
from venire.validation.trials.family import Outcome

COSTS = [[0, 1, 2], [9, -1, 3], [4, 4, 0]]


def all_pairs(measure: Metric, y: np.ndarray, said: Outcome) -> np.ndarray:
    """The metric of a fold in which every target has met every prediction."""
    rows = len(y)
    target, prediction = np.repeat(np.arange(rows), rows), np.tile(np.arange(rows), rows)
    labels = said.labels.astype(np.int32)[:, prediction]
    return measure.losses(y[target], labels, said.outputs[:, prediction], said.output)


@pytest.mark.parametrize("name", metric_names(Task.CLASSIFICATION))
@pytest.mark.parametrize("positive", [None, 1])
@pytest.mark.parametrize("present", [(0, 1, 2), (0, 1), (1, 2)])
def test_classes(name: str, positive: int | None, present: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    y = rng.choice(present, size=40, p=[0.6, *[0.4 / (len(present) - 1)] * (len(present) - 1)])
    outputs = rng.dirichlet([1, 1, 0.3], size=(4, 40)).astype(np.float32)
    outputs[1] = [1.0, 0.0, 0.0]  # always the same
    outputs[2] = np.round(outputs[2] * 4) / 4  # ties
    said = Outcome(Output.PROBABILITIES, outputs, outputs.argmax(axis=2).astype(np.int16), {})
    measure = metric(name, Task.CLASSIFICATION, positive, COSTS if name == "cost" else None)
    np.testing.assert_allclose(no_information(measure, y, said), all_pairs(measure, y, said), rtol=1e-6)


@pytest.mark.parametrize("name", metric_names(Task.REGRESSION))
@pytest.mark.parametrize("offset", [0.0, -1e6])
def test_numbers(name: str, offset: float) -> None:
    rng = np.random.default_rng(4)
    y = offset + rng.exponential(size=50)
    values = offset + np.stack([rng.normal(size=50), np.ones(50), y - offset, np.round(y - offset)])[:, :, None]
    said = Outcome(Output.VALUES, values, np.zeros((4, 50), np.int16), {})
    measure = metric(name, Task.REGRESSION)
    np.testing.assert_allclose(no_information(measure, y, said), all_pairs(measure, y, said), rtol=1e-9)


@pytest.mark.parametrize(("name", "task"), [(n, task) for task in Task for n in metric_names(task)])
def test_the_order_of_many_rows_does_not_matter(name: str, task: Any) -> None:
    """More rows than pairs of them can be held, in an order in which neighbours are alike, and in none."""
    rng = np.random.default_rng(5)
    measure = metric(name, task, costs=[[0, 1], [10, 0]] if name == "cost" else None)
    y = np.arange(30_000) % 2 if task is Task.CLASSIFICATION else np.sort(rng.normal(size=30_000))
    outputs = np.eye(2)[y][None] * 0.8 + 0.1 if task is Task.CLASSIFICATION else 0.9 * y[None, :, None]
    output = Output.PROBABILITIES if task is Task.CLASSIFICATION else Output.VALUES
    said = Outcome(output, outputs, outputs.argmax(axis=2).astype(np.int16), {})
    gamma = no_information(measure, y, said)
    shuffled = no_information(measure, rng.permutation(y), said)
    np.testing.assert_allclose(gamma, shuffled, rtol=1e-10)
    few = slice(None, 30_000, 60) if task is Task.REGRESSION else slice(0, 500)
    part = Outcome(output, said.outputs[:, few], said.labels[:, few], {})
    np.testing.assert_allclose(gamma, all_pairs(measure, y[few], part), rtol=0.02)


def test_a_constant_target_has_no_r2() -> None:
    said = Outcome(Output.VALUES, np.ones((1, 3, 1)), np.zeros((1, 3), np.int16), {})
    assert np.isnan(no_information(metric("r2", Task.REGRESSION), np.ones(3), said)).all()
