"""Least squares without a fit a subset gives the figures of the plain loop, which fits every subset on every part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold

from venire import BackwardSelection, ForwardSelection
from venire.selection.least_squares import as_least_squares

BOTH = pytest.mark.parametrize("kind", [ForwardSelection, BackwardSelection])


class PlainLinear(LinearRegression):
    """Not recognised as least squares, because a subclass may do anything."""


class PlainRidge(Ridge):
    """Likewise."""


class PlainRidgeClassifier(RidgeClassifier):
    """Likewise."""


PLAIN = {LinearRegression: PlainLinear, Ridge: PlainRidge, RidgeClassifier: PlainRidgeClassifier}


def assert_same_path(selection: Any, X: Any, y: Any, weights: Any = None, tolerance: float = 1e-9) -> None:
    plain = type(selection)(**selection.get_params(deep=False))
    plain.set_params(estimator=PLAIN[type(selection.estimator)](**selection.estimator.get_params()))
    fast, slow = (one.fit(X, y, sample_weight=weights).path_ for one in (selection, plain))
    assert [step.changed for step in fast] == [step.changed for step in slow]
    for one, other in zip(fast, slow, strict=True):
        assert one.errors == pytest.approx(other.errors, rel=tolerance, abs=tolerance, nan_ok=True)
        assert one.training_error == pytest.approx(other.training_error, rel=tolerance, abs=tolerance)


def numbers(rows: int = 80, columns: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)) + rng.standard_normal((rows, 1))
    return X, X @ rng.standard_normal(columns) + rng.standard_normal(rows)


def awkward(rows: int = 80) -> tuple[np.ndarray, np.ndarray]:
    """A constant, a copy, a sum of two columns, and a column that varies in one fold alone."""
    X, y = numbers(rows)
    lonely = np.zeros(rows)
    lonely[3] = 1.0
    return np.column_stack([X, np.full(rows, 7.1), X[:, 1], X[:, 2] + X[:, 3], lonely]), y


@BOTH
@pytest.mark.parametrize("metric", ["rmse", "mae", "r2"])
def test_numbers(kind: Any, metric: str) -> None:
    X, y = numbers()
    assert_same_path(kind(LinearRegression(), cv=3, metric=metric, whole_path=True), X, y)


@BOTH
@pytest.mark.parametrize("estimator", [LinearRegression(), Ridge(2.0)], ids=["squares", "ridge"])
@pytest.mark.parametrize("weighted", [False, True])
def test_awkward_columns(kind: Any, estimator: Any, weighted: bool) -> None:
    X, y = awkward()
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    assert_same_path(kind(estimator, cv=3, whole_path=True), X, y, weights)


@BOTH
@pytest.mark.parametrize("estimator", [LinearRegression(), Ridge(0.5)], ids=["squares", "ridge"])
def test_attributes_of_several_columns(kind: Any, estimator: Any) -> None:
    X, y = awkward()
    assert_same_path(kind(estimator, cv=3, whole_path=True, attributes=np.arange(X.shape[1]) // 3), X, y)


@BOTH
def test_one_column_a_category_with_one_that_training_lacks(kind: Any) -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 4, (90, 2))
    codes[5, 0] = 4  # a category of one row
    X = np.column_stack([np.eye(5)[codes[:, 0]], np.eye(5)[codes[:, 1]], rng.standard_normal(90)])
    y = codes[:, 0] + 0.3 * rng.standard_normal(90)
    owner = [*["a"] * 5, *["b"] * 5, "c"]
    assert_same_path(kind(LinearRegression(), cv=KFold(3), whole_path=True, attributes=owner), X, y)


@BOTH
def test_more_columns_than_rows(kind: Any) -> None:
    X, y = numbers(rows=9, columns=10)
    assert_same_path(kind(LinearRegression(), cv=3, whole_path=True), X, y, tolerance=1e-8)


@BOTH
def test_columns_of_very_different_size(kind: Any) -> None:
    X, y = numbers()
    assert_same_path(kind(LinearRegression(), cv=3, whole_path=True), X * np.logspace(-6, 6, X.shape[1]), y)


@BOTH
def test_an_offset_changes_nothing(kind: Any) -> None:
    # The plain loop itself loses eight digits here, so the figures are compared with those of the table moved back,
    # which is exact: the numbers that a table at 1e8 can hold.
    X, y = numbers()
    far = X + 1e8
    moved, near = (kind(LinearRegression(), cv=3, whole_path=True).fit(rows, y).path_ for rows in (far, far - 1e8))
    assert [step.changed for step in moved] == [step.changed for step in near]
    for one, other in zip(moved, near, strict=True):
        assert one.errors == pytest.approx(other.errors, rel=1e-12)
    assert_same_path(kind(LinearRegression(), cv=3, whole_path=True), far, y, tolerance=1e-6)


@BOTH
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("metric", "class_weight"), [("error", None), ("auc", "balanced")])
def test_classes(kind: Any, classes: int, metric: str, class_weight: Any) -> None:
    X, y = load_iris(return_X_y=True)
    kept = (y > 0) | (classes == 3)
    noise = np.random.default_rng(0).standard_normal((len(y), 1))
    ridge = RidgeClassifier(1.0, class_weight=class_weight)
    assert_same_path(kind(ridge, cv=3, metric=metric, whole_path=True), np.hstack([X, noise])[kept], y[kept])


@BOTH
@pytest.mark.filterwarnings("ignore:class .* has one row only:venire.errors.VenireWarning")
def test_a_class_missing_from_a_training_part(kind: Any) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[40:101], y[40:101]  # the third class has a single row
    assert_same_path(kind(RidgeClassifier(), cv=KFold(3), whole_path=True), X, y)


def test_what_is_least_squares() -> None:
    for other in (PlainLinear(), LinearRegression(fit_intercept=False), Ridge(0.0), Ridge(solver="sag"), object()):
        assert as_least_squares(other) is None
    problem = as_least_squares(RidgeClassifier(3.0, class_weight="balanced"))
    assert problem is not None
    assert (problem.penalty, problem.class_weight) == (3.0, "balanced")
