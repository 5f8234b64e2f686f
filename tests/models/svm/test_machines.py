"""Support vector machines as estimators: scikit-learn's contract, and its machines as the oracle."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.svm import SVC, SVR
from sklearn.utils.estimator_checks import parametrize_with_checks

from venire.errors import DataError
from venire.models.svm import linear as support_lines
from venire.models.svm.linear import class_lines, products
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor

KERNELS = [("linear", "scale"), ("rbf", "scale"), ("rbf", "auto"), ("rbf", 0.3)]


def known_failures(estimator):
    """As of scikit-learn's own machines."""
    reason = "a solver's tolerance, and the scale of a kernel, tell a row of weight 2 from two rows"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [
        SupportVectorClassifier(),
        SupportVectorClassifier(kernel="linear"),
        SupportVectorRegressor(),
        SupportVectorRegressor(kernel="linear"),
    ],
    expected_failed_checks=known_failures,
)
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("kernel", "gamma"), KERNELS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_are_scikit_learns(kernel, gamma, classes, weighted):
    X, y = make_classification(150, 6, n_informative=4, n_classes=classes, flip_y=0.2, random_state=0)
    weights = np.random.default_rng(1).uniform(0.2, 2.0, 150) if weighted else None
    for C in (0.1, 1.0):
        ours = SupportVectorClassifier(C, kernel=kernel, gamma=gamma).fit(X, y, weights)
        theirs = SVC(C=C, kernel=kernel, gamma=gamma, tol=1e-5).fit(X, y, weights)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-2)
        assert (ours.predict(X) == theirs.predict(X)).mean() > 0.98


@pytest.mark.parametrize(("kernel", "gamma"), KERNELS)
def test_numbers_are_scikit_learns(kernel, gamma):
    X, y = load_diabetes(return_X_y=True)
    X, y = (X / X.std(axis=0))[:150], ((y - y.mean()) / y.std())[:150]
    for C in (0.1, 1.0):
        ours = SupportVectorRegressor(C, kernel=kernel, gamma=gamma, epsilon=0.2).fit(X, y)
        theirs = SVR(C=C, kernel=kernel, gamma=gamma, epsilon=0.2, tol=1e-5).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-2)


@pytest.mark.parametrize("steps", [1, 10_000])
def test_either_solver_finds_the_same_lines(monkeypatch, steps):
    """Of three classes, with libsvm stopped at once, and given its time."""
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    monkeypatch.setattr(support_lines, "_STEPS", 0)
    monkeypatch.setattr(support_lines, "_LEAST_STEPS", steps)
    ours = SupportVectorClassifier(1.0, kernel="linear").fit(X, y)
    theirs = SVC(C=1.0, kernel="linear", tol=1e-7).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=5e-3)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_lines_that_bind_no_row_serve_every_larger_c():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    codes = np.array([0, 0, 1, 1])
    lines = class_lines(X, codes, 10.0, None, products(X))
    assert lines.free
    assert class_lines(X, codes, 100.0, None, products(X), lines) is lines
    assert not class_lines(X, codes, 0.01, None, products(X)).free


def test_libsvm_is_not_asked_again_for_what_it_did_not_solve(monkeypatch):
    X, y = make_classification(120, 5, n_informative=3, n_redundant=0, flip_y=0.3, random_state=0)
    monkeypatch.setattr(support_lines, "_STEPS", 0)
    monkeypatch.setattr(support_lines, "_LEAST_STEPS", 1)
    first = class_lines(X, y, 1.0, None, products(X))
    assert set(first.planes) == {0}
    monkeypatch.setattr(support_lines, "QuietSVC", None)
    then = class_lines(X, y, 10.0, None, products(X), first)
    alone = class_lines(X, y, 10.0, None, None)
    np.testing.assert_allclose(then.heights(X), alone.heights(X), atol=1e-2)


def test_one_class_and_no_weight_are_refused():
    with pytest.raises(DataError, match="there is one class only: a"):
        SupportVectorClassifier().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(ValueError, match="at least one non-zero number"):
        SupportVectorRegressor().fit([[0.0], [1.0]], [1.0, 2.0], [0.0, 0.0])
