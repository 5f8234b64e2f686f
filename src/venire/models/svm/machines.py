"""Support vector machines, linear and with a Gaussian kernel, for classes and for numbers.

The kernel machines are scikit-learn's; a linear one is always solved to its optimum (`support_lines`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.svm import SVC, SVR
from sklearn.utils.validation import check_is_fitted, validate_data

from venire.errors import DataError
from venire.models.classes import class_codes
from venire.models.svm.linear import Lines, class_lines, number_line, products
from venire.models.tree.growth import combined_weights
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import FEATURES, CheckedState, Fitted
from venire.states.constraints import Sizes, array, labels, of_type, optional, require

Floats = NDArray[np.float64]
KERNEL_MACHINE: dict[str, Any] = {"max_iter": 200_000, "cache_size": 500}

_CONSTRAINTS: dict[str, list[Any]] = {
    "C": [Interval(Real, 0, None, closed="neither")],
    "kernel": [StrOptions({"linear", "rbf"})],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
}


def votes(heights: Floats, classes: int) -> tuple[Floats, NDArray[np.intp]]:
    """From the decisions of all pairs of classes, as in scikit-learn: votes, with confidence between, and the winner.

    >>> votes(np.array([[1.0, -1.0, 0.5]]), 3)[1]
    array([0])
    """
    if classes == 2:
        height = heights[:, 0]
        return np.stack([-height, height], axis=1), (height > 0).astype(np.intp)
    won, confidence = np.zeros((2, len(heights), classes))
    for column, (one, other) in enumerate(combinations(range(classes), 2)):
        score = heights[:, column]
        confidence[:, one] += score
        confidence[:, other] -= score
        won[np.arange(len(heights)), np.where(score > 0, one, other)] += 1
    return won + confidence / (3.0 * (np.abs(confidence) + 1.0)), won.argmax(axis=1)


class _Machine(CheckedState, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    C: float
    kernel: str
    gamma: float | str
    coef_: Floats
    intercept_: Floats

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        linear = state.get("kernel") == "linear"
        needed = ("coef_", "intercept_") if linear else ("machine_",)
        require(all(name in state for name in needed), f"{needed[0]} is missing")

    def _read(self, X: Any, y: Any, sample_weight: Any, *, numeric: bool) -> tuple[Floats, NDArray[Any], Floats | None]:
        """Rows, targets and weights of those that weigh anything."""
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=numeric)
        weights = combined_weights(sample_weight, None, X, y)
        if weights is None:
            return X, y, None
        counted = weights > 0
        return X[counted], y[counted], weights[counted]

    def _new(self, X: Any) -> Floats:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    def _keep(self, lines: Lines) -> None:
        self.coef_ = lines.weights  # [pair of classes, column]
        self.intercept_ = lines.intercepts  # [pair of classes]

    def _heights(self, X: Floats) -> Floats:
        return np.asarray(X @ self.coef_.T + self.intercept_)


class SupportVectorClassifier(ClassifierMixin, _Machine):  # type: ignore[misc]  # scikit-learn has no types
    """The widest margin between classes; of more than two, between every two of them, by votes.

    C : how much rows beyond their margin count, against a wide margin.
    kernel : `"linear"` or `"rbf"`.
    gamma : of the kernel exp(−γ‖x − z‖²): `"scale"` is 1 / (columns · variance), `"auto"` is 1 / columns.

    >>> machine = SupportVectorClassifier(10.0, kernel="linear").fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> machine.predict([[1.9], [2.1]]).tolist()
    ['a', 'b']
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        "classes_": labels("classes"),
        "coef_": optional(array("f8", lambda sizes: math.comb(sizes["classes"], 2), "features")),
        "intercept_": optional(array("f8", lambda sizes: math.comb(sizes["classes"], 2))),
        "machine_": optional(of_type(SVC)),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _CONSTRAINTS

    def __init__(self, C: float = 1.0, *, kernel: str = "rbf", gamma: float | str = "scale") -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on rows of numbers; weights multiply C."""
        X, y, weights = self._read(X, y, sample_weight, numeric=False)
        self.classes_, codes = class_codes(y)
        if len(self.classes_) < 2:
            raise DataError(f"a margin lies between classes, and there is one class only: {self.classes_[0]}")
        if self.kernel == "linear":
            self._keep(class_lines(X, codes, self.C, weights, products(X)))
        else:
            machine = SVC(C=self.C, gamma=self.gamma, decision_function_shape="ovo", **KERNEL_MACHINE)
            self.machine_ = machine.fit(X, codes, weights)
        return self

    def _decided(self, X: Any) -> tuple[Floats, NDArray[np.intp]]:
        X = self._new(X)
        heights = self._heights(X) if self.kernel == "linear" else self.machine_.decision_function(X)
        return votes(np.asarray(heights).reshape(len(X), -1), len(self.classes_))

    def decision_function(self, X: Any) -> Floats:
        """Of two classes, above zero for the second; of more, votes and confidence of each: [row, class]."""
        outputs, _ = self._decided(X)
        return outputs[:, 1] if len(self.classes_) == 2 else outputs

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes, of equals the first."""
        _, winners = self._decided(X)
        return np.asarray(self.classes_[winners])


class SupportVectorRegressor(RegressorMixin, _Machine):  # type: ignore[misc]  # scikit-learn has no types
    """The flattest function such that numbers off by more than `epsilon` cost little.

    C, kernel, gamma : as of `SupportVectorClassifier`; C is in units of the target.
    epsilon : what costs nothing.

    >>> machine = SupportVectorRegressor(100.0, kernel="linear").fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> machine.predict([[0.0], [2.0]]).round(3).tolist()
    [0.1, 1.9]
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        "coef_": optional(array("f8", 1, "features")),
        "intercept_": optional(array("f8", 1)),
        "machine_": optional(of_type(SVR)),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CONSTRAINTS,
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, C: float = 1.0, *, kernel: str = "rbf", gamma: float | str = "scale", epsilon: float = 0.1
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.epsilon = epsilon

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on rows of numbers; weights multiply C."""
        X, y, weights = self._read(X, y, sample_weight, numeric=True)
        if self.kernel == "linear":
            self._keep(number_line(X, y.astype(np.float64), self.C, self.epsilon, weights, products(X)))
        else:
            machine = SVR(C=self.C, gamma=self.gamma, epsilon=self.epsilon, **KERNEL_MACHINE)
            self.machine_ = machine.fit(X, y, weights)
        return self

    def predict(self, X: Any) -> Floats:
        """The height of the line, or of the sum of kernels."""
        X = self._new(X)
        return self._heights(X)[:, 0] if self.kernel == "linear" else np.asarray(self.machine_.predict(X))
