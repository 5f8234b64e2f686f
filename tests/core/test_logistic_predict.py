"""What all penalties of logistic regression say of new rows, against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, softmax

from venire._core import logistic_answers


def scores(at, Z):
    """[row, class]; one output stands for the second of two classes."""
    found = at[:, 1:] @ Z.T + at[:, :1]
    return (np.vstack([0 * found, found]) if len(at) == 1 else found).T


@pytest.mark.parametrize("outputs", [1, 3, 7])
@pytest.mark.parametrize("rows", [0, 1, 31, 32, 33, 100])
@pytest.mark.parametrize("penalties", [1, 2, 11])
def test_answers_are_those_of_plain_numpy(outputs, rows, penalties):
    rng = np.random.default_rng(5)
    Z, coefficients = rng.normal(size=(rows, 9)), 3 * rng.normal(size=(penalties, outputs, 10))
    said, likeliest = logistic_answers(Z, coefficients)
    for at, shares, labels in zip(coefficients, said, likeliest, strict=True):
        np.testing.assert_allclose(shares, softmax(scores(at, Z), axis=1), rtol=1e-6, atol=1e-12)
        np.testing.assert_array_equal(labels, scores(at, Z).argmax(axis=1))


@pytest.mark.parametrize("score", [0.0, 40.0, 1e6])
def test_answers_to_scores_of_any_size_and_the_first_of_equals(score):
    two, _ = logistic_answers(np.array([[1.0]]), np.array([[[0.0, score]], [[0.0, -score]]]))
    np.testing.assert_allclose(two[:, 0, 1], expit([score, -score]), rtol=1e-6, atol=1e-37)
    many, likeliest = logistic_answers(np.array([[1.0]]), np.array([[[0.0, -1.0], [score, 0.0], [0.0, score]]]))
    np.testing.assert_allclose(many[0, 0], softmax([-1.0, score, score]), rtol=1e-6)
    assert likeliest[0, 0] == 1


def test_answers_want_coefficients_that_fit():
    with pytest.raises(ValueError, match="differ in columns"):
        logistic_answers(np.zeros((2, 3)), np.zeros((1, 1, 3)))
    with pytest.raises(ValueError, match="have no outputs"):
        logistic_answers(np.zeros((2, 3)), np.zeros((1, 0, 4)))
