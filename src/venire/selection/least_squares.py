"""Least squares for the search: which estimators it stands for, and the errors of all candidates of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.utils.class_weight import compute_sample_weight

from venire.metrics.predictions import Output
from venire.metrics.scores import Metric
from venire.selection.backward import Removing
from venire.selection.forward import Adding
from venire.selection.parts import Part
from venire.selection.reduced import Reduced, reduce_rows
from venire.validation.trials.outcomes import in_global_order

Floats = NDArray[np.float64]

_ROUNDING = float(np.finfo(np.float64).eps)
_EXACT = ("auto", "svd", "cholesky")  # solvers that end at the optimum; the others end near it


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """What an estimator minimises: squares plus a penalty, with a cut-off for directions that have no length."""

    penalty: float
    cutoff: float
    class_weight: Any = None


def as_least_squares(estimator: Any) -> LeastSquares | None:
    """The problem a scikit-learn estimator solves, if it is least squares with an intercept and nothing else.

    >>> as_least_squares(Ridge(alpha=2.0)).penalty, as_least_squares(LinearRegression(positive=True))
    (2.0, None)
    """
    kind = type(estimator)
    if kind not in (LinearRegression, Ridge, RidgeClassifier) or not estimator.fit_intercept or estimator.positive:
        return None
    if kind is LinearRegression:
        return LeastSquares(0.0, float(getattr(estimator, "tol", _ROUNDING)))
    if np.ndim(estimator.alpha) or not estimator.alpha > 0 or estimator.solver not in _EXACT:
        return None
    return LeastSquares(float(estimator.alpha), _ROUNDING, getattr(estimator, "class_weight", None))


class LinearEngine:
    """All candidates of a step at once, on every part."""

    def __init__(
        self, problem: LeastSquares, parts: list[Part], whole: Part, judge: Metric, classes: NDArray[Any] | None
    ) -> None:
        self._judge = judge
        self._parts = [_Judged(problem, part, classes) for part in parts]
        self._whole = _Judged(problem, whole, classes)

    def begin(self, chosen: tuple[int, ...]) -> Floats:
        """Take this subset as the present one; its error on each part."""
        for part in (*self._parts, self._whole):
            part.begin(chosen)
        return np.array([part.error(self._judge) for part in self._parts])

    def tried(self, candidates: list[int]) -> Floats:
        """The errors of the present subset with one attribute more (or less): [candidate, part]."""
        return np.stack([part.errors(candidates, self._judge) for part in self._parts], axis=1)

    def move(self, attribute: int) -> None:
        """Add the attribute to the present subset, or take it away."""
        for part in (*self._parts, self._whole):
            part.move(attribute)

    def training(self) -> float:
        """The error on all rows of the model fitted on all rows."""
        return self._whole.error(self._judge)


class _Judged:
    """One part: its least-squares problem, and what predictions mean for the metric."""

    def __init__(self, problem: LeastSquares, part: Part, classes: NDArray[Any] | None) -> None:
        self._part = part
        self._count = 0 if classes is None else len(classes)
        weights = part.weights
        if classes is None:
            targets = np.asarray(part.y, dtype=np.float64)[:, None]
        else:
            present = np.unique(part.y)
            self._known = np.searchsorted(classes, present)
            self._codes = np.searchsorted(classes, part.y)
            targets = _signs(part.y, present)
            if problem.class_weight is not None:
                by_class = np.asarray(compute_sample_weight(problem.class_weight, part.y), dtype=np.float64)
                weights = by_class if weights is None else weights * by_class
        self._reduced: Reduced = reduce_rows(
            np.asarray(part.X, dtype=np.float64),
            targets,
            weights,
            np.asarray(part.held, dtype=np.float64),
            part.columns,
            penalty=problem.penalty,
            cutoff=problem.cutoff,
        )
        self._state: Adding | Removing
        self._present: set[int]

    def begin(self, chosen: tuple[int, ...]) -> None:
        self._state = Removing(self._reduced) if chosen else Adding(self._reduced)
        self._present = set(chosen)

    def move(self, attribute: int) -> None:
        self._present ^= {attribute}
        if isinstance(self._state, Adding):
            self._state.add(attribute)
        else:
            self._state.remove(attribute)

    def error(self, judge: Metric) -> float:
        if not self._present:
            return self._guess(judge)
        return float(self._losses(self._state.prediction[None], judge)[0])

    def errors(self, candidates: list[int], judge: Metric) -> Floats:
        if self._present == set(candidates) and len(candidates) == 1:
            return np.array([self._guess(judge)])  # the last attribute goes
        return self._losses(self._state.candidates(candidates), judge)

    def _guess(self, judge: Metric) -> float:
        """Without attributes: the mean, or the class shares, which rounding must not decide."""
        rows = len(self._part.truth)
        if not self._count:
            return float(self._losses(np.broadcast_to(self._reduced.level, (1, rows, 1)), judge)[0])
        shares = np.bincount(self._codes, weights=self._part.weights, minlength=self._count)
        scores = np.broadcast_to(shares / shares.sum(), (1, rows, self._count))
        labels = np.full((1, rows), shares.argmax(), dtype=np.int32)
        return float(judge.losses(self._part.truth, labels, scores, Output.SCORES, self._part.judged_by)[0])

    def _losses(self, predicted: Floats, judge: Metric) -> Floats:
        """The loss of every prediction of [candidate, row, target]."""
        part = self._part
        if not self._count:
            return judge.losses(part.truth, None, predicted, Output.VALUES, part.judged_by)
        labels, scores = _decided(predicted, self._known)
        scores = np.stack([in_global_order(each, self._known, self._count, Output.SCORES) for each in scores])
        return judge.losses(part.truth, labels, scores, Output.SCORES, part.judged_by)


def _signs(y: NDArray[Any], classes: NDArray[Any]) -> Floats:
    """−1 and 1: one column for up to two classes, one a class for more."""
    if len(classes) <= 2:
        return np.where(y == classes[-1], 1.0, -1.0)[:, None]
    return np.where(y[:, None] == classes[None, :], 1.0, -1.0)


def _decided(predicted: Floats, known: NDArray[np.intp]) -> tuple[NDArray[np.int32], Floats]:
    """Labels [candidate, row] and scores [candidate, row, known class]."""
    if len(known) > 2:
        return known[predicted.argmax(axis=2)].astype(np.int32), predicted
    labels = known[
        (predicted[..., 0] > 0).astype(np.intp) if len(known) == 2 else np.zeros(predicted.shape[:2], np.intp)
    ]
    scores = np.concatenate([-predicted, predicted], axis=2) if len(known) == 2 else predicted
    return labels.astype(np.int32), scores
