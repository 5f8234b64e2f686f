"""The compiled solver of logistic regression, against plain NumPy and between its own loops."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import expit, log_softmax, softmax
from sklearn.datasets import load_digits

from venire._core import LogisticPath

PENALTIES = np.logspace(4, -4, 20).tolist()
TOLERANCE = 1e-7  # of the gradient, a row


def table(classes, rows=301, columns=7, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(rows, columns))
    labels = np.argmax(2 * Z[:, :classes] + rng.gumbel(size=(rows, classes)), axis=1).astype(np.int32)
    return Z, labels


def scores(at, Z):
    """[row, class]; one output stands for the second of two classes."""
    found = at[:, 1:] @ Z.T + at[:, :1]
    return (np.vstack([0 * found, found]) if len(at) == 1 else found).T


def loss(at, Z, labels, weights=None):
    told = log_softmax(scores(at, Z), axis=1)[np.arange(len(Z)), labels]
    return -float(np.sum(told if weights is None else weights * told))


def plain_gradient(at, Z, labels, weights=None):
    off = softmax(scores(at, Z), axis=1) - np.eye(max(2, len(at)))[labels]
    off = off[:, 1:] if len(at) == 1 else off
    if weights is not None:
        off = off * weights[:, None]
    return off.T @ np.column_stack([np.ones(len(Z)), Z])


@pytest.mark.parametrize("classes", [2, 3, 4, 6, 11])
@pytest.mark.parametrize("rows", [1, 31, 32, 33, 301])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_that_of_plain_numpy(classes, rows, weighted):
    Z, labels = table(classes, rows, columns=13)
    rng = np.random.default_rng(1)
    weights = rng.random(rows) if weighted else None
    at = rng.normal(size=(1 if classes == 2 else classes, 14))
    found = LogisticPath.of(Z, labels, weights, classes=classes).gradient(at)
    np.testing.assert_allclose(found, plain_gradient(at, Z, labels, weights), rtol=0, atol=1e-12 * max(rows, 10))


@pytest.mark.parametrize("classes", [2, 4])
def test_the_gradient_is_that_of_finite_differences(classes):
    Z, labels = table(classes, rows=60, columns=4)
    rng = np.random.default_rng(2)
    at = rng.normal(size=(1 if classes == 2 else classes, 5))
    found = LogisticPath.of(Z, labels, None, classes=classes).gradient(at)
    for place in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[place] = 1e-6
        slope = (loss(at + step, Z, labels) - loss(at - step, Z, labels)) / 2e-6
        assert found[place] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("score", [-1e6, -700.0, -40.0, 0.0, 40.0, 700.0, 1e6])
@pytest.mark.parametrize("classes", [2, 3])
def test_scores_may_be_as_large_as_they_like(score, classes):
    Z, labels = np.array([[1.0], [1.0]]), np.array([0, 1], dtype=np.int32)
    at = np.array([[0.0, score]]) if classes == 2 else np.array([[0.0, 0.0], [0.0, score], [0.0, -score]])
    found = LogisticPath.of(Z, labels, None, classes=classes).gradient(at)
    np.testing.assert_allclose(found, plain_gradient(at, Z, labels), rtol=0, atol=1e-12)
    if classes == 2:
        assert found[0, 0] == pytest.approx(2 * expit(score) - 1, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 5])
def test_a_weight_counts_as_so_many_rows(classes):
    Z, labels = table(classes)
    times = np.random.default_rng(3).integers(0, 4, len(Z))
    weighed = LogisticPath.of(Z, labels, times.astype(float), classes=classes)
    repeated = LogisticPath.of(np.repeat(Z, times, axis=0), np.repeat(labels, times), None, classes=classes)
    for penalty in PENALTIES:
        ours, theirs = weighed.solve(penalty), repeated.solve(penalty)
        np.testing.assert_allclose(softmax(scores(ours, Z), axis=1), softmax(scores(theirs, Z), axis=1), atol=1e-6)


@pytest.mark.parametrize("classes", [2, 5])
def test_columns_of_zeros_have_coefficients_of_zero_and_copies_share_theirs(classes):
    Z, labels = table(classes)
    Z[:, 1], Z[:, 3] = 0.0, Z[:, 2]
    path = LogisticPath.of(Z, labels, None, classes=classes)
    for penalty in PENALTIES:
        at = path.solve(penalty)
        assert np.all(at[:, 2] == 0)
        np.testing.assert_allclose(at[:, 4], at[:, 3], rtol=0, atol=1e-6 * np.abs(at).max() / min(1.0, penalty))


@pytest.mark.parametrize("classes", [2, 3])
def test_parted_classes_are_solved_or_given_up(classes):
    Z = np.repeat(np.eye(classes), 50, axis=0) + 1e-3 * np.random.default_rng(4).normal(size=(50 * classes, classes))
    labels = np.repeat(np.arange(classes), 50).astype(np.int32)
    path = LogisticPath.of(Z, labels, None, classes=classes)
    for penalty in np.logspace(0, -14, 15).tolist():
        at = path.solve(penalty)
        if at is None:
            assert penalty < 1e-6
            return
        gradient = path.gradient(at)
        gradient[:, 1:] += penalty * at[:, 1:]
        assert np.abs(gradient).max() <= 1.01 * TOLERANCE * len(Z)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_many_classes_nearly_parted_along_mixed_columns_are_solved_under_every_penalty(seed, weighted):
    """Steps by the curvature of each class alone are too many here; that of all classes together serves."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_t(2.5, size=(200, 30)) @ rng.normal(size=(30, 30))
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    labels = np.argmax(5 * Z @ rng.normal(size=(30, 7)) + rng.gumbel(size=(200, 7)), axis=1).astype(np.int32)
    weights = rng.random(200) if weighted else None
    path = LogisticPath.of(Z, labels, weights, classes=7)
    for penalty in np.logspace(4, -4, 5).tolist():
        at = path.solve(penalty)
        assert at is not None
        gradient = plain_gradient(at, Z, labels, weights)
        gradient[:, 1:] += penalty * at[:, 1:]
        assert np.abs(gradient).max() <= 1.01 * TOLERANCE * (200 if weights is None else weights.sum())


def off_by(path, at, penalty):
    """The largest part of the gradient at what should be the optimum."""
    gradient = path.gradient(at)
    gradient[:, 1:] += penalty * at[:, 1:]
    return float(np.abs(gradient).max())


def squared_distance(at, Z, labels, penalty, weights):
    """From the optimum, as the curvature of all classes together measures it: twice what a Newton step would gain."""
    weights, wide = np.ones(len(Z)) if weights is None else weights, np.column_stack([np.ones(len(Z)), Z])
    ridge = np.r_[0.0, np.full(Z.shape[1], penalty)]
    shares = softmax(scores(at, Z), axis=1)[:, -len(at) :]
    curvature = np.diag(np.tile(ridge, len(at)))
    for share, part in zip(shares, wide * np.sqrt(weights)[:, None], strict=True):
        curvature += np.kron(np.diag(share) - np.outer(share, share), np.outer(part, part))
    gradient = (plain_gradient(at, Z, labels, weights) + ridge * at).ravel()
    return float(gradient @ np.linalg.pinv(curvature, hermitian=True) @ gradient)


def test_many_classes_of_which_few_rows_are_in_doubt_are_solved_under_every_penalty():
    X, labels = load_digits(return_X_y=True)
    Z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    weights = np.random.default_rng(6).lognormal(size=len(Z))
    for weight in (None, weights):
        path = LogisticPath.of(Z, labels.astype(np.int32), weight, classes=10)
        for penalty in PENALTIES:
            at = path.solve(penalty)
            assert off_by(path, at, penalty) <= 1.01 * TOLERANCE * (len(Z) if weight is None else weight.sum())
            np.testing.assert_allclose(at.sum(axis=0), 0, atol=1e-12 * np.abs(at).max())


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_rows_far_out_and_all_but_parted_lead_no_path_astray(seed):
    """A polynomial through the last optima misses the next one by far here: the path goes on from the last."""
    rng = np.random.default_rng(seed)
    Z = np.exp(rng.standard_t(2.5, size=(240, 25)) / 2.2)
    Z = np.clip((Z - Z.mean(axis=0)) / Z.std(axis=0), -30, 30)
    labels = np.argmax(Z @ rng.normal(size=(25, 10)) + rng.gumbel(size=(240, 10)), axis=1).astype(np.int32)
    path = LogisticPath.of(Z, labels, None, classes=10)
    for penalty in PENALTIES:
        at = path.solve(penalty)
        assert at is not None
        assert off_by(path, at, penalty) <= 1.01 * TOLERANCE * len(Z)


def test_classes_may_be_rare_or_have_no_weight():
    Z, _ = table(2)
    labels = (Z[:, 0] + np.random.default_rng(8).logistic(size=len(Z)) > 4).astype(np.int32)  # three in a hundred
    path = LogisticPath.of(Z, labels, None, classes=2)
    for penalty in PENALTIES:
        assert squared_distance(path.solve(penalty), Z, labels, penalty, None) <= 1e-10 * min(1.0, penalty)
    Z, labels = table(3)
    weightless = LogisticPath.of(Z, labels, (labels != 1).astype(float), classes=3)
    for penalty in (1e4, 1e2, 1.0):
        at = weightless.solve(penalty)
        assert at is None or off_by(weightless, at, penalty) <= 1.01 * TOLERANCE * len(Z)


@pytest.mark.parametrize("classes", [2, 4])
def test_penalties_in_one_go_give_the_bits_of_one_by_one(classes):
    Z, labels = table(classes)
    one, all_at_once = (LogisticPath.of(Z, labels, None, classes=classes) for _ in range(2))
    np.testing.assert_array_equal(
        all_at_once.solve_all(np.array(PENALTIES)), [one.solve(penalty) for penalty in PENALTIES]
    )


@pytest.mark.parametrize("classes", [2, 4])
def test_penalties_may_be_uneven_and_come_twice(classes):
    Z, labels = table(classes)
    path, penalties = (
        LogisticPath.of(Z, labels, None, classes=classes),
        [1e3, 999.0, 10.0, 10.0, 9.99, 9.0, 1.0, 1e-3, 1e-3, 1e-4],
    )
    for penalty in penalties:
        alone = LogisticPath.of(Z, labels, None, classes=classes).solve(penalty)
        found = path.solve(penalty)
        assert off_by(path, found, penalty) <= 1.01 * TOLERANCE * len(Z)
        np.testing.assert_allclose(softmax(scores(found, Z), axis=1), softmax(scores(alone, Z), axis=1), atol=1e-6)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("steep", [1, 10])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_score_is_good_to_a_hundred_thousandth_of_its_standard_error(classes, steep, weighted):
    rng = np.random.default_rng(7)
    Z = rng.standard_t(3, size=(200, 6))
    labels = np.argmax(steep * Z[:, :classes] + rng.gumbel(size=(200, classes)), axis=1).astype(np.int32)
    weights = rng.lognormal(size=200) if weighted else None
    path = LogisticPath.of(Z, labels, weights, classes=classes)
    for penalty in PENALTIES:
        off = squared_distance(path.solve(penalty), Z, labels, penalty, weights)
        assert off <= 1e-10 * min(1.0, penalty)


def test_a_column_far_too_large_does_not_hang():
    Z, labels = table(3)
    Z[:, 0] *= 1e12
    path = LogisticPath.of(Z, labels, None, classes=3)
    found = [path.solve(penalty) for penalty in (1.0, 1e-3)]
    assert all(at is None or np.isfinite(at).all() for at in found)


def test_what_does_not_fit_is_refused():
    Z, labels = table(3)
    with pytest.raises(ValueError, match="labels and the matrix differ in length"):
        LogisticPath.of(Z, labels[:-1], None, classes=3)
    with pytest.raises(ValueError, match="weights and the matrix differ in length"):
        LogisticPath.of(Z, labels, np.ones(3), classes=3)
    with pytest.raises(ValueError, match=r"not in 0\.\.classes-1"):
        LogisticPath.of(Z, labels, None, classes=2)
    with pytest.raises(ValueError, match="needs two classes"):
        LogisticPath.of(Z, np.zeros(len(Z), dtype=np.int32), None, classes=1)
    path = LogisticPath.of(Z, labels, None, classes=3)
    with pytest.raises(ValueError, match="must be positive"):
        path.solve(0.0)
    with pytest.raises(ValueError, match="must be positive"):
        path.solve_all(np.array([1.0, 0.0]))
    with pytest.raises(ValueError, match="coefficients has another shape"):
        path.gradient(np.zeros((3, 3)))


PROGRAM = """
import json, sys
import numpy as np
from venire._core import LogisticPath

rng = np.random.default_rng(0)
said = []
for classes, steep in ((2, 1), (3, 1), (7, 1), (7, 20)):
    Z = rng.normal(size=(401, 21))
    labels = np.argmax(steep * Z[:, :classes] + rng.gumbel(size=(401, classes)), axis=1).astype(np.int32)
    path = LogisticPath.of(Z, labels, rng.random(401), classes=classes)
    for penalty in np.logspace(4, -4, 20).tolist():
        at = path.solve(penalty)
        scores = at[:, 1:] @ Z.T + at[:, :1]
        scores = np.vstack([0 * scores, scores]) if classes == 2 else scores
        shares = np.exp(scores - scores.max(axis=0))
        said.append((shares / shares.sum(axis=0)).tolist())
json.dump(said, sys.stdout)
"""


def run(simd):
    settings = {key: value for key, value in os.environ.items() if key != "VENIRE_SIMD"}
    if simd:
        settings["VENIRE_SIMD"] = simd
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=settings, capture_output=True, text=True, check=True)
    return done.stdout


def test_wide_and_plain_loops_find_the_same_optimum_and_each_the_same_bits_again():
    widest = run(None)
    assert run(None) == widest
    for simd in ("avx2", "baseline"):
        for ours, theirs in zip(json.loads(widest), json.loads(run(simd)), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
