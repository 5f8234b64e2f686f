from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.combine.least_cost import cost_matrix, cost_threshold, decisive_costs
from venire.errors import UsageError
from venire.metrics.predictions import least_cost

TWO = np.array(["good", "fraud"])


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1]], "shape 1 × 2, and there are 2 classes"),
        (3.0, "a single number"),
        ([[0, 1], [np.inf, 0]], "not a finite number"),
        ([[0, 1], [-1, 0]], "a wrong answer cheaper than the right one"),
        ([[0, 1], [1]], "not a matrix of numbers"),
        ([["a", "b"], ["c", "d"]], "not a matrix of numbers"),
    ],
)
def test_bad_costs(costs: object, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        cost_matrix(costs, TWO)  # type: ignore[arg-type]  # that is the point
    assert "good, fraud" in (caught.value.hint or "")


@given(st.floats(0, 1), st.floats(0.1, 10), st.floats(0.1, 10))
def test_two_classes_are_decided_at_the_threshold(p: float, false_alarm: float, miss: float) -> None:
    costs = np.array([[0.0, false_alarm], [miss, 0.0]])
    threshold = cost_threshold(costs)
    if abs(p - threshold) > 1e-9:
        assert least_cost(np.array([[1 - p, p]]), costs)[0] == (p > threshold)


def test_equal_costs_give_the_likeliest_class() -> None:
    shares = np.random.default_rng(0).dirichlet(np.ones(4), 100)
    assert (least_cost(shares, 1.0 - np.eye(4)) == shares.argmax(axis=1)).all()


def test_without_any_cost_the_likeliest_class_is_said() -> None:
    assert least_cost(np.array([[0.2, 0.8]]), np.zeros((2, 2)))[0] == 1
    assert cost_threshold(np.zeros((2, 2))) == 0.5


@pytest.mark.parametrize("costs", [None, [[0, 1], [1, 0]], [[0, 7], [7, 0]], [[2, 3], [3, 2]], [[1, 2], [1, 0]]])
def test_equal_costs_decide_nothing(costs):
    assert decisive_costs(costs, np.array(["a", "b"])) is None


@pytest.mark.parametrize("costs", [[[0, 1], [2, 0]], [[0, 0], [0, 0]], [[1, 2], [3, 0]]])
def test_other_costs_do(costs):
    assert decisive_costs(costs, np.array(["a", "b"])).tolist() == costs
