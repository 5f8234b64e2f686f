"""The generators have the truths they are used for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from venire.data import generators
from venire.data.generators import banana, chi_square, circles, gaussian_clouds, linear_sinusoid
from venire.errors import UsageError

ALL = [banana, circles, gaussian_clouds, linear_sinusoid, chi_square]


@pytest.mark.parametrize("generate", ALL, ids=lambda f: f.__name__)
def test_shapes_and_determinism(generate):
    X, y = generate(50, np.random.default_rng(3))
    again, same = generate(50, np.random.default_rng(3))
    assert X.dtype == np.float64
    assert X.shape == (50, {"chi_square": 10, "linear_sinusoid": 1}.get(generate.__name__, 2))
    assert y.shape == (50,)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, same)
    assert not np.array_equal(X, generate(50, np.random.default_rng(4))[0])


@pytest.mark.parametrize("generate", ALL, ids=lambda f: f.__name__)
def test_no_rows_are_refused(generate):
    with pytest.raises(UsageError, match="at least one row has to be generated, and 0 were asked for"):
        generate(0, np.random.default_rng(0))


def test_chi_square_classes_follow_the_rule_and_are_equally_likely():
    X, y = chi_square(20_000, np.random.default_rng(0))
    np.testing.assert_array_equal(y, np.where((X**2).sum(axis=1) > 9.34, 1, -1))
    assert np.mean(y == 1) == pytest.approx(0.5, abs=0.015)
    assert pytest.approx(stats.chi2(10).median(), abs=0.005) == generators.CHI_SQUARE_MEDIAN


def test_sinusoid_leaves_the_noise_it_was_given():
    X, y = linear_sinusoid(5_000, np.random.default_rng(1))
    rest = y - (X[:, 0] + 2 * np.sin(1.5 * X[:, 0]))
    assert 0 <= X.min() < 0.1 < 9.9 < X.max() <= 10
    assert rest.std() == pytest.approx(0.2, abs=0.01)
    assert rest.mean() == pytest.approx(0, abs=0.01)


def test_circles_lie_on_their_rings():
    X, y = circles(2_000, np.random.default_rng(2), noise=0.0)
    np.testing.assert_allclose(np.hypot(*X.T), np.where(y == 1, 0.5, 1.0))


@pytest.mark.parametrize("distance", [1.0, 3.0])
def test_two_clouds_overlap_as_far_as_said(distance):
    X, y = gaussian_clouds(20_000, np.random.default_rng(5), classes=2, distance=distance)
    error = np.mean((X[:, 0] < 0) != (y == 1))
    assert error == pytest.approx(stats.norm.cdf(-distance / 2), abs=0.01)


def test_neighbouring_clouds_are_the_distance_apart():
    X, y = gaussian_clouds(40_000, np.random.default_rng(6), classes=5, distance=4.0)
    centres = np.array([X[y == k].mean(axis=0) for k in range(5)])
    gaps = np.linalg.norm(centres - np.roll(centres, 1, axis=0), axis=1)
    np.testing.assert_allclose(gaps, 4.0, atol=0.08)
    with pytest.raises(UsageError, match="at least two classes, and 1 were asked for"):
        gaussian_clouds(5, np.random.default_rng(0), classes=1)


@pytest.mark.parametrize(("generate", "line", "neighbours"), [(banana, 0.1, 0.05), (circles, 0.4, 0.02)])
def test_a_curved_border_defeats_a_line(generate, line, neighbours):
    X, y = generate(1_000, np.random.default_rng(7))
    new_X, new_y = generate(1_000, np.random.default_rng(8))
    straight = 1 - LogisticRegression().fit(X, y).score(new_X, new_y)
    curved = 1 - KNeighborsClassifier(9).fit(X, y).score(new_X, new_y)
    assert curved < neighbours < line < straight
