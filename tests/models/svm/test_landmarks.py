"""The kernel by landmarks: exact on them, close elsewhere, and machines on it close to those with the kernel."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_classification, make_friedman1
from sklearn.metrics.pairwise import rbf_kernel

from venire.models.svm.landmarks import Landmarks, kernel_width
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor


def test_products_of_columns_are_the_kernel() -> None:
    X = np.random.default_rng(0).normal(size=(80, 3))
    near = Landmarks.of(X, 80, "scale")
    columns = near.columns(X)
    np.testing.assert_allclose(columns @ columns.T, rbf_kernel(X, gamma=near.gamma), atol=1e-5)


def test_more_landmarks_come_closer() -> None:
    X = np.random.default_rng(1).normal(size=(400, 4))
    exact = rbf_kernel(X, gamma=kernel_width(X, "auto"))
    off = []
    for most in (5, 30, 150):
        columns = Landmarks.of(X, most, "auto").columns(X)
        off.append(float(np.abs(columns @ columns.T - exact).mean()))
    assert off[0] > 2 * off[1] > 4 * off[2]


def test_copies_of_one_row_are_one_landmark() -> None:
    near = Landmarks.of(np.ones((50, 2)), 20, "scale")
    assert near.points.shape == (1, 2)
    assert np.isfinite(near.columns(np.zeros((3, 2)))).all()


def test_classes_by_landmarks_are_nearly_those_by_the_kernel() -> None:
    X, y = make_classification(3000, 8, n_informative=6, n_clusters_per_class=3, flip_y=0.02, random_state=0)
    exact = SupportVectorClassifier(10.0).fit(X[:1500], y[:1500]).score(X[1500:], y[1500:])
    near = SupportVectorClassifier(10.0, max_rows=1000, landmarks=256, random_state=0).fit(X[:1500], y[:1500])
    assert near.landmarks_.shape == (256, 8)
    assert near.score(X[1500:], y[1500:]) > exact - 0.04


def test_numbers_by_landmarks_are_far_better_than_a_line() -> None:
    X, y = make_friedman1(2000, noise=0.5, random_state=0)
    line = SupportVectorRegressor(10.0, kernel="linear").fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    exact = SupportVectorRegressor(10.0).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    near = SupportVectorRegressor(10.0, max_rows=800, landmarks=256, random_state=0).fit(X[:1000], y[:1000])
    assert line + 0.1 < near.score(X[1000:], y[1000:]) < exact


def test_no_class_is_lost_and_a_second_fit_forgets_the_first() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = np.zeros(500, dtype=int)
    y[250:] = 1
    y[7] = 2
    machine = SupportVectorClassifier(max_rows=50, landmarks=20, random_state=0).fit(X, y)
    assert machine.classes_.tolist() == [0, 1, 2]
    assert set(machine.predict(X)) <= {0, 1, 2}
    machine.set_params(landmarks=None).fit(X[:40], y[:40].clip(max=1) + np.arange(40) % 2)
    assert not hasattr(machine, "landmarks_")
    assert machine.predict(X).shape == (500,)
