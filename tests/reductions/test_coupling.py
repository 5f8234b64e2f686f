from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from venire.reductions.coupling import couple
from venire.reductions.one_vs_one import OneVsOneClassifier

RNG = np.random.default_rng(0)


def of_truth(shares: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(shares.shape[1], k=1)
    return shares[:, second] / (shares[:, first] + shares[:, second])


@pytest.mark.parametrize("classes", [2, 3, 7, 26])
def test_pairs_that_agree_give_the_truth_back(classes: int) -> None:
    shares = RNG.dirichlet(np.ones(classes), 50)
    shares = 0.98 * shares + 0.02 / classes
    assert np.allclose(couple(of_truth(shares), classes), shares, atol=1e-9)


def test_two_classes_are_the_pair_itself() -> None:
    pairs = RNG.random((20, 1))
    assert np.allclose(couple(pairs, 2), np.hstack([1 - pairs, pairs]), atol=1e-6)


def test_the_objective_is_least_against_a_plain_optimiser() -> None:
    pairs = RNG.random(6)
    first, second = np.triu_indices(4, k=1)

    def loss(p: np.ndarray) -> float:
        return float(sum((r * p[i] - (1 - r) * p[j]) ** 2 for r, i, j in zip(pairs, first, second, strict=True)))

    found = minimize(
        loss, np.full(4, 0.25), bounds=[(0, 1)] * 4, constraints={"type": "eq", "fun": lambda p: p.sum() - 1}, tol=1e-14
    )
    assert np.allclose(couple(pairs[None], 4)[0], found.x, atol=1e-5)


def test_certain_pairs_give_probabilities_all_the_same() -> None:
    pairs = RNG.integers(0, 2, (200, 10)).astype(float)
    shares = couple(pairs, 5)
    assert np.isfinite(shares).all()
    assert (shares >= 0).all()
    assert np.allclose(shares.sum(axis=1), 1)
    winner = couple(np.zeros((1, 10)), 5)[0]  # the first class wins every pair
    assert winner[0] > 0.999
    assert couple(np.zeros((0, 3)), 3).shape == (0, 3)


def test_coupled_logistic_models_are_near_the_joint_one() -> None:
    x, y = load_iris(return_X_y=True)
    pairs = OneVsOneClassifier(LogisticRegression(max_iter=1000)).fit(x, y)
    joint = LogisticRegression(max_iter=1000).fit(x, y)
    assert np.abs(pairs.predict_proba(x) - joint.predict_proba(x)).mean() < 0.05
