"""Planes of linear support vector machines: known ones, the conditions of an optimum, and libsvm's where that ends."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from venire.models.svm.planes import parting_plane, tube_plane

CS = (0.01, 0.1, 1.0, 10.0, 100.0)


def rows(seed, kind="plain", n=120, p=6):
    """Columns of some kind, and signs and numbers that depend on them with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(2.5, size=(n, p)) if kind == "tails" else rng.normal(size=(n, p))
    if kind == "twice":
        X[:, 1] = X[:, 0]
        X[:, 2] = 0.0
    if kind == "few values":
        X = (X > 0).astype(float)
    if kind == "wide":
        X = rng.normal(size=(n // 4, 3 * p))
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    score = X @ rng.normal(size=X.shape[1])
    weights = rng.uniform(0.1, 3.0, len(X)) if kind == "weights" else None
    numbers = score + rng.standard_t(3, size=len(X))
    return X, np.where(score + rng.logistic(size=len(X)) > 0, 1.0, -1.0), numbers / numbers.std(), weights


KINDS = ("plain", "tails", "twice", "few values", "wide", "weights")


def hinge(signs):
    return lambda heights: np.maximum(0.0, 1.0 - signs * heights)


def tube(y, epsilon=0.1):
    return lambda heights: np.maximum(0.0, np.abs(y - heights) - epsilon)


def price(weights, intercept, X, loss, C, most):
    most = np.ones(len(X)) if most is None else most
    return weights @ weights / (2.0 * C) + most @ loss(X @ weights + intercept)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("numbers", [False, True])
def test_no_plane_is_better_and_pulls_prove_it(kind, numbers):
    X, signs, y, most = rows(3, kind)
    loss, plane = (tube(y) if numbers else hinge(signs)), None
    for C in CS:
        plane = tube_plane(X, y, C, 0.1, most, plane) if numbers else parting_plane(X, signs, C, most, plane)
        assert plane.reached
        pulls, bound = plane.pulls, np.ones(len(X)) if most is None else most
        assert (np.abs(pulls) <= bound).all()
        drawn = X.T @ pulls
        worth = (y @ pulls - 0.1 * np.abs(pulls).sum()) if numbers else signs @ pulls
        paid = price(plane.weights, plane.intercept, X, loss, C, most)
        # Weak duality: no plane costs less than balanced pulls are worth.
        assert paid - (worth - C * drawn @ drawn / 2.0) <= 2e-7 * paid + abs(plane.intercept * pulls.sum())
        np.testing.assert_allclose(C * drawn, plane.weights, atol=1e-3 * max(1.0, np.abs(plane.weights).max()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("numbers", [False, True])
def test_where_it_starts_does_not_matter(kind, numbers):
    X, signs, y, most = rows(5, kind)

    def solved(C, start):
        return tube_plane(X, y, C, 0.1, most, start) if numbers else parting_plane(X, signs, C, most, start)

    warm = None
    for C in CS:
        warm, cold = solved(C, warm), solved(C, None)
        np.testing.assert_allclose(
            warm.heights(X), cold.heights(X), atol=2e-3 * max(1.0, np.abs(cold.heights(X)).max())
        )


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_libsvms_where_that_ends(kind):
    X, signs, y, most = rows(7, kind)
    for C in (0.01, 0.1, 1.0):
        machine = SVC(kernel="linear", C=C, tol=1e-7).fit(X, signs, most)
        np.testing.assert_allclose(parting_plane(X, signs, C, most).heights(X), machine.decision_function(X), atol=1e-3)
        curve = SVR(kernel="linear", C=C, tol=1e-7).fit(X, y, most)
        np.testing.assert_allclose(tube_plane(X, y, C, 0.1, most).heights(X), curve.predict(X), atol=1e-3)


def test_it_is_better_where_libsvm_is_stopped():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20)) @ rng.normal(size=(20, 20))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    signs = np.where(X[:, 0] + 3 * rng.logistic(size=400) > 0, 1.0, -1.0)
    with pytest.warns(match="Solver terminated early"):
        machine = SVC(kernel="linear", C=100.0, max_iter=20_000).fit(X, signs)
    plane = parting_plane(X, signs, 100.0)
    ours = price(plane.weights, plane.intercept, X, hinge(signs), 100.0, None)
    theirs = price(machine.coef_[0], machine.intercept_[0], X, hinge(signs), 100.0, None)
    assert plane.reached
    assert ours < 0.999 * theirs


def test_rows_of_weight_zero_are_not_there():
    X, signs, _, _ = rows(11)
    most = np.where(np.arange(len(X)) % 3 == 0, 0.0, 1.0)
    heard = most > 0
    for C in (0.1, 10.0):
        ours, alone = parting_plane(X, signs, C, most), parting_plane(X[heard], signs[heard], C)
        np.testing.assert_allclose(ours.heights(X), alone.heights(X), atol=1e-3)


@pytest.mark.parametrize("numbers", [False, True])
def test_an_intercept_that_no_row_tells_is_in_the_middle(numbers):
    """Two rows on either side that pull all they can: any intercept between is as good, and libsvm takes the middle."""
    X = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    C = 0.01
    if numbers:
        y[3] = 5.0
        ours, theirs = tube_plane(X, y, C, 0.1), SVR(kernel="linear", C=C, tol=1e-9).fit(X, y)
    else:
        ours, theirs = parting_plane(X, y, C), SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-4)
