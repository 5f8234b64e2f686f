"""Gradient ascent reaches the maximum of the likelihood, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from venire.data.generators import gaussian_clouds
from venire.errors import DataError, UsageError
from venire.models.gradient_ascent import logistic_ascent


@pytest.fixture(scope="module")
def clouds():
    return gaussian_clouds(200, np.random.default_rng(0), classes=2, distance=1.5)


def test_it_ends_where_the_solver_ends(clouds):
    X, y = clouds
    ascent = logistic_ascent(X, y, eta=1.0, threshold=1e-9)
    peer = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    assert ascent.converged
    np.testing.assert_allclose(ascent.weights, peer.coef_[0], atol=1e-5)
    assert ascent.intercept == pytest.approx(peer.intercept_[0], abs=1e-5)
    np.testing.assert_allclose(ascent.probabilities(X), peer.predict_proba(X)[:, 1], atol=1e-5)


def test_the_first_step_by_hand():
    ascent = logistic_ascent([[1.0], [3.0]], [0, 1], eta=0.5, max_steps=1)
    # At zero every p is ½: the mean gradient is (−½ + ½) / 2 and (−½·1 + ½·3) / 2.
    np.testing.assert_allclose(ascent.coefficients, [[0, 0], [0, 0.25]])
    assert ascent.log_likelihood[0] == pytest.approx(np.log(0.5))
    assert ascent.change[1] == 0.25
    assert np.isnan(ascent.change[0])
    assert not ascent.converged


def test_a_small_step_always_climbs(clouds):
    X, y = clouds
    ascent = logistic_ascent(X, y, eta=0.1, threshold=1e-5)
    assert (np.diff(ascent.log_likelihood) > 0).all()
    assert ascent.steps == len(ascent.coefficients) - 1
    assert ascent.change[-1] < 1e-5 <= ascent.change[-2]
    assert ascent.probabilities(X, step=0).tolist() == [0.5] * 200


def test_weights_are_repetitions(clouds):
    X, y = clouds
    weights = np.random.default_rng(1).integers(0, 3, 200)
    weighted = logistic_ascent(X, y, sample_weight=weights, max_steps=50)
    repeated = logistic_ascent(np.repeat(X, weights, axis=0), np.repeat(y, weights), max_steps=50)
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, atol=1e-12)


def test_classes_a_line_can_part_have_no_optimum():
    ascent = logistic_ascent([[0.0], [1.0]], ["no", "yes"], eta=1.0, max_steps=200)
    assert not ascent.converged
    assert ascent.steps == 200
    assert ascent.weights[0] > 2


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": [0.0, 1.0]}, UsageError, r"two dimensions, and has shape \(2,\)"),
        ({"y": [0, 1, 1]}, UsageError, "X has 2 rows, and y has shape"),
        ({"y": [1, 1]}, DataError, r"two classes, and y holds 1: \[1\]"),
        ({"X": [[0.0], [np.nan]]}, DataError, "missing or infinite"),
        ({"eta": 0.0}, UsageError, "eta must be above 0, and is 0"),
        ({"threshold": -1.0}, UsageError, "threshold must be above 0"),
        ({"max_steps": 0}, UsageError, "max_steps must be above 0"),
        ({"sample_weight": [-1, 1]}, UsageError, "none negative and not all zero"),
        ({"X": [[-1e200], [1e200]], "eta": 1e200}, UsageError, "left the finite numbers at step"),
    ],
)
def test_bad_input(change, error, message):
    given = {"X": [[0.0], [1.0]], "y": [0, 1], **change}
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(error, match=message):
        logistic_ascent(given.pop("X"), given.pop("y"), **given)
