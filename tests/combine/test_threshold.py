"""The threshold of least cost: against trying them all, and without the fold it is used on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.combine.threshold import cost_curve, threshold_without

COSTS = np.array([[0.0, 1.0], [5.0, 0.0]])


def paid(y: np.ndarray, score: np.ndarray, threshold: float, costs: np.ndarray = COSTS) -> float:
    return float(costs[y, (score >= threshold).astype(int)].mean())


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=1, max_size=30),
    st.floats(0.1, 10),
    st.floats(0.1, 10),
)
def test_no_threshold_costs_less(rows: list[tuple[int, int]], alarm: float, miss: float) -> None:
    y, score = np.array([r[0] for r in rows]), np.array([r[1] for r in rows], dtype=float)
    costs = np.array([[0.0, alarm], [miss, 0.0]])
    curve = cost_curve(y, score, costs)
    every = [paid(y, score, t, costs) for t in (-np.inf, np.inf, *(np.arange(-1, 8) + 0.5))]
    assert paid(y, score, curve.threshold, costs) == pytest.approx(min(every))
    for threshold, cost in zip(curve.thresholds, curve.costs, strict=True):
        assert paid(y, score, threshold, costs) == pytest.approx(cost)


def test_each_fold_gets_the_threshold_of_the_others() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    score, fold = y + rng.normal(size=120), np.arange(120) % 4
    found = threshold_without(y, score, fold, COSTS)
    for held in range(4):
        at = fold != held
        assert found[held] == cost_curve(y[at], score[at], COSTS).threshold
        turned = y.copy()
        turned[~at] = 1 - turned[~at]
        assert threshold_without(turned, score, fold, COSTS)[held] == found[held]


def test_another_split_of_the_same_rows_has_no_say() -> None:
    rng = np.random.default_rng(3)
    y, score, fold = rng.integers(0, 2, 60), rng.random(60), np.arange(60) % 3
    found = threshold_without(y, score, fold, COSTS)
    doubled = [np.tile(part, 2) for part in (y, score)]
    twice = threshold_without(*doubled, np.concatenate([fold, 3 + fold[::-1]]), COSTS, np.repeat([0, 1], 60))
    assert {held: twice[held] for held in found} == found


def test_a_single_fold_has_only_itself() -> None:
    y, score = np.array([0, 1]), np.array([0.2, 0.4])
    assert threshold_without(y, score, np.zeros(2, int), COSTS)[0] == pytest.approx(0.3)
