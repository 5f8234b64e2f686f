from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.ensembles.adaboost.rounds import Outcome, Rounds, alpha_of, judge, limit_of, multipliers, reweighted


def test_six_examples_two_wrong() -> None:
    wrong = np.array([0, 1, 0, 0, 0, 1], dtype=bool)
    weights = np.full(6, 1 / 6)
    error = weights[wrong].sum()
    assert np.isclose(error, 1 / 3)
    assert np.isclose(alpha_of(error), 0.5 * np.log(2))
    assert np.allclose(reweighted(weights, wrong, float(alpha_of(error))), np.array([1, 2, 1, 1, 1, 2]) / 8)


def test_ten_examples_three_wrong() -> None:
    weights = reweighted(np.full(10, 0.1), np.arange(10) < 3, float(alpha_of(0.3)))
    assert weights.round(3).tolist() == [0.167] * 3 + [0.071] * 7


def test_alpha_of_a_small_error() -> None:
    assert round(float(alpha_of(0.14)), 2) == 0.91


@given(st.floats(0.001, 0.999), st.integers(2, 8), st.sampled_from(["M1", "SAMME"]))
def test_the_next_round_finds_the_last_member_no_better_than_guessing(error: float, classes: int, kind: str) -> None:
    right, wrong = multipliers(error, classes, kind)
    limit = limit_of(classes, kind)
    assert np.isclose(error * wrong + (1 - error) * right, 1)
    assert np.isclose(error * wrong, limit)
    assert (float(alpha_of(error, classes, kind)) > 0) == (error < limit) or np.isclose(error, limit)


def test_without_error_alpha_is_finite_and_the_largest() -> None:
    assert np.isfinite(alpha_of(0.0))
    assert alpha_of(0.0) >= alpha_of(1e-5)
    assert np.isclose(alpha_of(1.0), -alpha_of(0.0))


def test_samme_and_m1_agree_on_two_classes_and_part_on_three() -> None:
    assert alpha_of(0.2, 2, "SAMME") == alpha_of(0.2, 2, "M1")
    assert np.isclose(alpha_of(0.2, 3, "SAMME") - alpha_of(0.2, 3, "M1"), 0.5 * np.log(2))
    assert limit_of(3, "SAMME") == pytest.approx(2 / 3)
    assert limit_of(3, "M1") == 0.5


@pytest.mark.parametrize(
    ("error", "policy", "outcome"),
    [
        (0.0, "stop", Outcome.PERFECT),
        (0.3, "stop", Outcome.KEPT),
        (0.5, "stop", Outcome.WEAK),
        (0.5, "invert", Outcome.WEAK),
        (0.7, "invert", Outcome.INVERTED),
        (0.7, "reset", Outcome.RESET),
    ],
)
def test_outcomes(error: float, policy: str, outcome: Outcome) -> None:
    alpha, found = judge(error, 2, "M1", policy)
    assert found is outcome
    assert (alpha < 0) == (outcome is Outcome.INVERTED)


def test_the_history_repeats_the_weights_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(37))
    history = Rounds(weights)
    seen = []
    for outcome in [Outcome.KEPT, Outcome.KEPT, Outcome.RESET, Outcome.INVERTED, Outcome.KEPT, Outcome.WEAK]:
        wrong = rng.random(37) < 0.4
        alpha = 0.0 if outcome in (Outcome.RESET, Outcome.WEAK) else float(rng.normal())
        seen.append(weights)
        history.record(float(weights[wrong].sum()), alpha, outcome, None, wrong)
        weights = history.after(weights, alpha, outcome, wrong)
    assert len(history) == 6
    assert all((one.weights == weights).all() for one, weights in zip(history, seen, strict=True))
    assert (history[-1].weights == seen[-1]).all()
    assert (history[3].weights == seen[0]).all()  # after the reset
    assert [one.outcome for one in history[1:3]] == [Outcome.KEPT, Outcome.RESET]
    assert (history.alphas == [one.alpha for one in history]).all()
    with pytest.raises(IndexError, match="out of range"):
        history[6]
