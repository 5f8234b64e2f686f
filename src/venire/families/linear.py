"""Least squares with a ridge: every λ of the path from one eigendecomposition a trial.

With centred attributes Z and targets T, β(λ) = V (VᵀZᵀT) / (Λ + λ) where ZᵀZ = VΛVᵀ. With more columns than rows the
same is done with ZZᵀ, which is smaller. Equal, up to rounding, to fitting scikit-learn's `Ridge` or `RidgeClassifier`
once for every λ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from venire.validation.generic import Fit, GenericFamily, Lesson, Predicted

Floats = NDArray[np.float64]


class RidgeFamily(GenericFamily):
    """The path is λ; classes are regressed on −1 and 1, as scikit-learn does."""

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Decompose once; a setting then costs one product with the rotated rows."""
        lesson.cancel()
        classes = np.unique(lesson.y) if lesson.table.target and lesson.table.target.classes else None
        targets = lesson.y.astype(np.float64)[:, None] if classes is None else _signs(lesson.y, classes)
        centre, level = (np.average(part, axis=0, weights=lesson.weights) for part in (lesson.X, targets))
        heavy = 1.0 if lesson.weights is None else np.sqrt(lesson.weights)[:, None]
        basis, values, projected = _decompose(heavy * (lesson.X - centre), heavy * (targets - level))
        rotated = [(part - centre) @ basis for part in lesson.parts]
        for setting in lesson.settings:
            lesson.cancel()
            weights = projected / (values + float(setting.params["alpha"]))[:, None]
            said = [part @ weights + level for part in rotated]
            if classes is None:
                yield [(np.empty(0), Predicted(values_said, None)) for values_said in said]
            else:
                yield [(classes, _decided(scores, classes)) for scores in said]

    def _fits(self, settings: int) -> float:
        return 1.0 + 0.02 * settings


def _decompose(Z: Floats, T: Floats) -> tuple[Floats, Floats, Floats]:
    """A basis [column, direction], its eigenvalues, and the targets' part in each direction."""
    rows, columns = Z.shape
    if columns <= rows:
        values, vectors = eigh(Z.T @ Z)
        return vectors, np.maximum(values, 0.0), vectors.T @ (Z.T @ T)
    values, vectors = eigh(Z @ Z.T)
    return Z.T @ vectors, np.maximum(values, 0.0), vectors.T @ T


def _signs(y: NDArray[Any], classes: NDArray[Any]) -> Floats:
    """−1 and 1: one column for two classes, one a class for more."""
    if len(classes) == 2:
        return np.where(y == classes[1], 1.0, -1.0)[:, None]
    return np.where(y[:, None] == classes[None, :], 1.0, -1.0)


def _decided(scores: Floats, classes: NDArray[Any]) -> Predicted:
    if scores.shape[1] == 1:
        labels = classes[(scores[:, 0] > 0).astype(np.intp)]
        return Predicted(np.hstack([-scores, scores]), labels)
    return Predicted(scores, classes[scores.argmax(axis=1)])
