"""What one trial has to learn, and a plain fit that learns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Setting
from venire.validation.trials.outcomes import Fit, predict

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lesson:
    """What one trial has to learn: the encoded training part, and the parts whose rows it predicts."""

    table: Table
    settings: tuple[Setting, ...]
    X: Floats
    y: NDArray[Any]
    parts: list[Floats]
    seed: int
    cancel: Cancel
    weights: Floats | None = None  # of the training rows


def parts_of(plan: Plan, trial: Trial, encoder: Any, X: Floats, inside: Floats) -> list[Floats]:
    """The rows a trial tells of, encoded; `inside` is its whole training part, encoded already."""
    outside, *seen = plan.told_rows(trial)
    train = plan.train_rows(trial)
    again = (inside if len(rows) == len(train) else inside[np.searchsorted(train, rows)] for rows in seen)
    return [encoder.transform(X[outside]), *again]


def fit_and_predict(estimator: Any, lesson: Lesson) -> Fit:
    """Fit one estimator and predict several sets of rows with it."""
    X, y, parts = lesson.X.copy(order="K"), lesson.y.copy(), lesson.parts  # it may change them, and others come after
    if lesson.weights is None:
        estimator.fit(X, y)
    else:
        estimator.fit(X, y, sample_weight=lesson.weights)
    # Class codes are whole numbers; an own classifier need not have `classes_`.
    classes = np.asarray(getattr(estimator, "classes_", np.unique(y))) if y.dtype.kind in "iu" else np.array([])
    return [(classes, predict(estimator, part, classes)) for part in parts]
