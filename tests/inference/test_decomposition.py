"""Bias, variance and noise add up, and have the sizes theory gives them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier

from venire.data.generators import gaussian_clouds, linear_sinusoid, linear_sinusoid_truth
from venire.errors import UsageError
from venire.inference.decomposition import bias_variance


def wave(X):
    return linear_sinusoid_truth(X[:, 0])


def test_fifty_straight_lines():
    parts = bias_variance(LinearRegression(), linear_sinusoid, 50, truth=wave, rows=20, test_rows=5000)
    # A line cannot follow 2 sin(1.5 x), whose mean square is about 2 and of which a slope explains little.
    assert parts.bias == pytest.approx(2.0, abs=0.15)
    # Of a line through n points, about 2 (bias² + noise) / n.
    assert parts.variance == pytest.approx(2 * (parts.bias + 0.04) / 20, rel=0.4)
    assert parts.noise == pytest.approx(0.04, rel=0.1)
    assert parts.error == pytest.approx(parts.bias + parts.variance + parts.noise, rel=0.02)
    assert parts.predictions.shape == (50, 5000)


def test_squared_parts_add_up_exactly_without_noise():
    parts = bias_variance(LinearRegression(), lambda n, rng: linear_sinusoid(n, rng, noise=0.0), 10)
    assert parts.noise == 0
    assert parts.error == pytest.approx(parts.error_against_truth, rel=1e-12)


def test_more_flexible_is_less_biased_and_more_variable():
    stiff = bias_variance(LinearRegression(), linear_sinusoid, 30, truth=wave, rows=40)
    bent = make_pipeline(PolynomialFeatures(6), LinearRegression())
    supple = bias_variance(KNeighborsRegressor(1), linear_sinusoid, 30, truth=wave, rows=40)
    middle = bias_variance(bent, linear_sinusoid, 30, truth=wave, rows=40)
    assert supple.bias < middle.bias < stiff.bias
    assert supple.variance > stiff.variance


def test_variance_of_a_mean_is_that_of_theory():
    def unit(n, rng):
        return np.zeros((n, 1)), rng.standard_normal(n)

    parts = bias_variance(DummyRegressor(), unit, 400, truth=lambda X: np.zeros(len(X)), rows=25, test_rows=10_000)
    assert parts.variance == pytest.approx(1 / 25, rel=0.2)
    assert parts.bias == pytest.approx(0, abs=0.01)
    assert parts.noise == pytest.approx(1, rel=0.1)


@pytest.mark.parametrize("classes", [2, 4])
def test_zero_one_parts_add_up(classes):
    def clouds(n, rng):
        return gaussian_clouds(n, rng, classes=classes)

    def likeliest(X):
        angle = 2 * np.pi * np.arange(classes) / classes
        centres = 1.5 / np.sin(np.pi / classes) * np.column_stack([np.cos(angle), np.sin(angle)])
        return ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)

    parts = bias_variance(DecisionTreeClassifier(random_state=0), clouds, 40, truth=likeliest, rows=60)
    wrong = (parts.predictions != parts.truth).mean()
    assert parts.loss == "zero_one"
    assert parts.error_against_truth == pytest.approx(wrong, abs=1e-12)
    assert 0 < parts.noise < parts.error
    assert parts.variance > abs(parts.net_variance) > 0


def test_the_same_seed_gives_the_same_numbers_and_more_repeats_keep_the_first():
    tree = DecisionTreeClassifier(max_features=1)
    few = bias_variance(tree, gaussian_clouds, 3, test_rows=200, seed=7)
    more = bias_variance(tree, gaussian_clouds, 5, test_rows=200, seed=7)
    np.testing.assert_array_equal(few.predictions, more.predictions[:3])
    other = bias_variance(tree, gaussian_clouds, 3, test_rows=200, seed=8)
    assert (other.X != few.X).any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"repeats": 1}, "at least two models, and 1 were asked for"),
        ({"rows": 0}, "rows must be at least 1, and is 0"),
        ({"test_rows": 0}, "test_rows must be at least 1"),
        ({"loss": "hinge"}, "no loss 'hinge'"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(UsageError, match=message):
        bias_variance(LinearRegression(), linear_sinusoid, **settings)
