"""Support vector machines, linear and with a Gaussian kernel, for classes and for numbers.

The kernel machines are scikit-learn's; a linear one is always solved to its optimum (`support_lines`). With more rows
than `max_rows` so many are drawn; with `landmarks` a machine with a kernel becomes a linear one on as many of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.svm import SVC, SVR
from sklearn.utils.validation import check_is_fitted, validate_data

from venire.errors import DataError
from venire.models.classes import class_codes
from venire.models.drawn_rows import drawn_rows
from venire.models.few_rows import fits_plainly
from venire.models.svm.landmarks import Landmarks
from venire.models.svm.linear import Lines, class_lines, number_line, products
from venire.models.tree.growth import combined_weights
from venire.sklearn_private import Interval, StrOptions, kernel_heights, kernel_numbers
from venire.states.checked import FEATURES, CheckedState, Fitted
from venire.states.constraints import Sizes, array, labels, number, of_type, optional, require

Floats = NDArray[np.float64]
KERNEL_MACHINE: dict[str, Any] = {"max_iter": 200_000, "cache_size": 500}

_CONSTRAINTS: dict[str, list[Any]] = {
    "C": [Interval(Real, 0, None, closed="neither")],
    "kernel": [StrOptions({"linear", "rbf"})],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
    "max_rows": [Interval(Integral, 1, None, closed="left"), None],
    "landmarks": [Interval(Integral, 1, None, closed="left"), None],
    "random_state": ["random_state"],
}
_NEARBY: Fitted = {  # of a machine on landmarks
    "landmarks_": optional(array("f8", "landmarks", "features")),
    "mixing_": optional(array("f8", "landmarks", "directions")),
    "gamma_": optional(number(0)),
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
    max_rows: int | None
    landmarks: int | None
    random_state: Any
    coef_: Floats
    intercept_: Floats
    landmarks_: Floats
    mixing_: Floats
    gamma_: float

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        near = "landmarks_" in state
        needed = ["coef_", "intercept_"] if near or state.get("kernel") == "linear" else ["machine_"]
        needed += ["landmarks_", "mixing_", "gamma_"] if near else []
        missing = [name for name in needed if name not in state]
        require(not missing, f"{missing[0] if missing else ''} is missing")
        columns = sizes["directions"] if near else sizes["features"]
        require("coef_" not in state or state["coef_"].shape[1] == columns, "coef_ is of other columns")

    def _read(self, X: Any, y: Any, sample_weight: Any, *, numeric: bool) -> tuple[Floats, NDArray[Any], Floats | None]:
        """Rows, targets and weights of those that weigh anything."""
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=numeric)
        weights = combined_weights(sample_weight, None, X, y)
        for name in ("landmarks_", "mixing_", "gamma_"):
            if hasattr(self, name):
                delattr(self, name)  # of an earlier fit
        if weights is None:
            return X, y, None
        counted = weights > 0
        return X[counted], y[counted], weights[counted]

    def _near(self, X: Floats, y: NDArray[Any], weights: Floats | None) -> tuple[Floats, NDArray[Any], Floats | None]:
        """Of too many rows some, and in place of a kernel what they have in common with landmarks."""
        near = self.kernel != "linear" and self.landmarks is not None
        if not near and (self.max_rows is None or len(X) <= self.max_rows):
            return X, y, weights
        drawn = drawn_rows(len(X), self.max_rows, self.random_state)
        if hasattr(self, "classes_"):  # y are codes: of every class one row at least
            drawn = np.union1d(drawn, np.unique(y, return_index=True)[1])
        X = X[drawn]
        if near:
            assert self.landmarks is not None
            by = Landmarks.of(X, self.landmarks, self.gamma, self.random_state)
            self.landmarks_, self.mixing_, self.gamma_ = by.points, by.mixing, by.gamma
            X = by.columns(X)
        return X, y[drawn], None if weights is None else weights[drawn]

    @property
    def _on_planes(self) -> bool:
        """Whether it is a linear machine, of the columns or on landmarks."""
        return self.kernel == "linear" or hasattr(self, "landmarks_")

    def _new(self, X: Any) -> Floats:
        if fits_plainly(self, X) and not np.isnan(X).any():
            return np.asarray(X, dtype=np.float64)
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    def _keep(self, lines: Lines) -> None:
        self.coef_ = lines.weights  # [pair of classes, column]
        self.intercept_ = lines.intercepts  # [pair of classes]

    def _heights(self, X: Floats) -> Floats:
        if hasattr(self, "landmarks_"):
            X = Landmarks(self.landmarks_, self.mixing_, self.gamma_).columns(X)
        return np.asarray(X @ self.coef_.T + self.intercept_)


class SupportVectorClassifier(ClassifierMixin, _Machine):  # type: ignore[misc]  # scikit-learn has no types
    """The widest margin between classes; of more than two, between every two of them, by votes.

    C : how much rows beyond their margin count, against a wide margin.
    kernel : `"linear"` or `"rbf"`.
    gamma : of the kernel exp(−γ‖x − z‖²): `"scale"` is 1 / (columns · variance), `"auto"` is 1 / columns.
    max_rows : of more rows so many are drawn at random.
    landmarks : a number of rows by which the kernel is approximated; None for the kernel itself.
    random_state : seed of what is drawn.

    >>> machine = SupportVectorClassifier(10.0, kernel="linear").fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> machine.predict([[1.9], [2.1]]).tolist()
    ['a', 'b']
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        "classes_": labels("classes"),
        "coef_": optional(array("f8", lambda sizes: math.comb(sizes["classes"], 2), None)),
        "intercept_": optional(array("f8", lambda sizes: math.comb(sizes["classes"], 2))),
        "machine_": optional(of_type(SVC)),
        **_NEARBY,
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _CONSTRAINTS

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        max_rows: int | None = None,
        landmarks: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.max_rows = max_rows
        self.landmarks = landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on rows of numbers; weights multiply C."""
        X, y, weights = self._read(X, y, sample_weight, numeric=False)
        self.classes_, codes = class_codes(y)
        if len(self.classes_) < 2:
            raise DataError(f"a margin lies between classes, and there is one class only: {self.classes_[0]}")
        X, codes, weights = self._near(X, codes, weights)
        if self._on_planes:
            self._keep(class_lines(X, codes, self.C, weights, products(X)))
        else:
            machine = SVC(C=self.C, gamma=self.gamma, decision_function_shape="ovo", **KERNEL_MACHINE)
            self.machine_ = machine.fit(X, codes, weights)
        return self

    def _decided(self, X: Any) -> tuple[Floats, NDArray[np.intp]]:
        X = self._new(X)
        heights = self._heights(X) if self._on_planes else kernel_heights(self.machine_, X)
        return votes(np.asarray(heights).reshape(len(X), -1), len(self.classes_))

    def decision_function(self, X: Any) -> Floats:
        """Of two classes, above zero for the second; of more, votes and confidence of each: [row, class]."""
        return self.scores_and_labels(X)[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes, of equals the first."""
        return self.scores_and_labels(X)[1]

    def scores_and_labels(self, X: Any) -> tuple[Floats, NDArray[Any]]:
        """What `decision_function` and `predict` say, of one look at the rows."""
        outputs, winners = self._decided(X)
        scores = outputs[:, 1] if len(self.classes_) == 2 else outputs
        return scores, np.asarray(self.classes_[winners])


class SupportVectorRegressor(RegressorMixin, _Machine):  # type: ignore[misc]  # scikit-learn has no types
    """The flattest function such that numbers off by more than `epsilon` cost little.

    C, kernel, gamma, max_rows, landmarks, random_state : as of `SupportVectorClassifier`; C is in units of the target.
    epsilon : what costs nothing.

    >>> machine = SupportVectorRegressor(100.0, kernel="linear").fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> machine.predict([[0.0], [2.0]]).round(3).tolist()
    [0.1, 1.9]
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        "coef_": optional(array("f8", 1, None)),
        "intercept_": optional(array("f8", 1)),
        "machine_": optional(of_type(SVR)),
        **_NEARBY,
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CONSTRAINTS,
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        epsilon: float = 0.1,
        max_rows: int | None = None,
        landmarks: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.epsilon = epsilon
        self.max_rows = max_rows
        self.landmarks = landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on rows of numbers; weights multiply C."""
        X, y, weights = self._read(X, y, sample_weight, numeric=True)
        X, y, weights = self._near(X, y, weights)
        if self._on_planes:
            self._keep(number_line(X, y.astype(np.float64), self.C, self.epsilon, weights, products(X)))
        else:
            machine = SVR(C=self.C, gamma=self.gamma, epsilon=self.epsilon, **KERNEL_MACHINE)
            self.machine_ = machine.fit(X, y, weights)
        return self

    def predict(self, X: Any) -> Floats:
        """The height of the line, or of the sum of kernels."""
        X = self._new(X)
        return self._heights(X)[:, 0] if self._on_planes else kernel_numbers(self.machine_, X)
