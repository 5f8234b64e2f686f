from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from venire.combine import average, residual_gram, stack_weights


def gram_of(seed: int, members: int, rows: int = 40) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=rows)
    said = truth + rng.normal(size=(members, rows)) * rng.uniform(0.3, 2, size=(members, 1)) + rng.normal(size=rows)
    return residual_gram(said[:, :, None], truth, 0)


@given(st.integers(0, 10_000), st.integers(2, 7))
def test_weights_are_a_general_optimisers(seed: int, members: int) -> None:
    gram = gram_of(seed, members)
    weights = stack_weights(gram)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    scaled = gram / np.trace(gram) * members
    found = minimize(
        lambda w: w @ scaled @ w,
        np.full(members, 1 / members),
        jac=lambda w: 2 * scaled @ w,
        method="SLSQP",
        bounds=[(0, 1)] * members,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(members)},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert weights @ scaled @ weights <= found.fun * (1 + 1e-5) + 1e-9


@given(st.integers(0, 10_000))
def test_weights_are_the_best_of_a_grid(seed: int) -> None:
    gram = gram_of(seed, 2)
    weights = stack_weights(gram)
    grid = np.linspace(0, 1, 2001)
    points = np.stack([grid, 1 - grid], axis=1)
    losses = np.einsum("ij,jk,ik->i", points, gram, points)
    assert weights[0] == pytest.approx(grid[losses.argmin()], abs=2e-3)


def test_duplicates_share_their_weight() -> None:
    gram = gram_of(1, 3)
    index = [0, 1, 2, 0]
    alone, doubled = stack_weights(gram), stack_weights(gram[np.ix_(index, index)])
    assert doubled[0] == pytest.approx(doubled[3], abs=1e-9)
    assert doubled[0] + doubled[3] == pytest.approx(alone[0], abs=1e-3)


def test_equal_members_share_equally() -> None:
    np.testing.assert_allclose(stack_weights(np.ones((4, 4))), 0.25)


def test_perfect_members_share_equally_and_one_perfect_member_takes_all() -> None:
    np.testing.assert_allclose(stack_weights(np.zeros((3, 3))), 1 / 3)
    gram = np.diag([5.0, 0.0, 7.0])
    np.testing.assert_allclose(stack_weights(gram), [0, 1, 0], atol=1e-5)
    assert stack_weights(np.array([[3.0]])).tolist() == [1.0]


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_the_unit_of_the_target_makes_no_difference(scale: float) -> None:
    gram = gram_of(3, 4)
    np.testing.assert_allclose(stack_weights(gram * scale), stack_weights(gram), rtol=1e-6)


def test_order_of_members_makes_no_difference() -> None:
    gram = gram_of(4, 5)
    back = np.array([3, 0, 4, 1, 2])
    np.testing.assert_allclose(stack_weights(gram[np.ix_(back, back)]), stack_weights(gram)[back], atol=1e-9)


@pytest.mark.parametrize("classes", [0, 3])
def test_the_gram_matrix_is_that_of_the_residuals(classes: int) -> None:
    rng = np.random.default_rng(0)
    if classes:
        said = rng.dirichlet(np.ones(3), size=(2, 11)).astype(np.float32)
        y = rng.integers(0, 3, size=11)
        residuals = (said.astype(np.float64) - np.eye(3)[y]).reshape(2, -1)
    else:
        said = rng.normal(size=(2, 11, 1))
        y = rng.normal(size=11)
        residuals = said[:, :, 0] - y
    before = said.copy()
    np.testing.assert_allclose(residual_gram(said, y, classes), residuals @ residuals.T, rtol=1e-12)
    np.testing.assert_array_equal(said, before)


def test_the_loss_of_the_average_is_read_off_the_gram_matrix() -> None:
    rng = np.random.default_rng(5)
    said, y = rng.normal(size=(3, 20, 1)), rng.normal(size=20)
    weights = stack_weights(residual_gram(said, y, 0))
    loss = np.square(average(said, weights)[:, 0] - y).sum()
    assert loss == pytest.approx(weights @ residual_gram(said, y, 0) @ weights)
    assert loss <= min(np.square(said[m, :, 0] - y).sum() for m in range(3)) + 1e-6
