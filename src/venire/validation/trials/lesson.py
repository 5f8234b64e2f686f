"""What one trial has to learn: the rows of its training part, and of the parts it predicts, encoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Setting

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
    outside, *seen = plan.predicted_rows(trial)
    train = plan.train_rows(trial)
    again = (inside if len(rows) == len(train) else inside[np.searchsorted(train, rows)] for rows in seen)
    return [encoder.transform(X[outside]), *again]
