"""Stacking for several labels a row at once: an indicator of zeros and ones, a column a label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from venire.ensembles.rows import row_count
from venire.errors import UsageError

Floats = NDArray[np.float64]


def is_indicator(y: Any) -> bool:
    """Is this target an indicator of labels?

    >>> is_indicator(np.array([[0, 1], [1, 1]])), is_indicator([0, 1, 1])
    (True, False)
    """
    values = np.asarray(y) if y is not None else None
    return values is not None and values.ndim == 2 and type_of_target(values) == "multilabel-indicator"


def refuse_what_is_for_classes(stack: Any) -> None:
    """Costs, weights of classes and weights of members are for one class a row."""
    given = [name for name in ("costs", "class_weight", "rounds_of") if getattr(stack, name) is not None]
    if isinstance(stack.final_estimator, str):
        given.append("final_estimator='weights'")
    if given or stack.features == "labels":
        raise UsageError(
            f"{', '.join(given) or 'features'} is for one class a row, and y has several labels",
            hint="leave it out; stack_method='predict' shows the labels to the second level",
        )


def way_to_ask(member: Any) -> str:
    """The first of these that a member has, as scikit-learn chooses."""
    return next(way for way in ("predict_proba", "decision_function", "predict") if hasattr(member, way))


def label_outputs(member: Any, X: Any, way: str) -> Floats:
    """What a member says of each label, [row, label]; of probabilities, those that the row has it."""
    said = getattr(member, way)(X)
    if isinstance(said, list):  # the shares of both classes, label by label; one column where only one was seen
        said = np.column_stack([_has(part, known) for part, known in zip(said, member.classes_, strict=True)])
    return np.asarray(said, dtype=np.float64).reshape(row_count(X), -1)


def _has(shares: Any, known: NDArray[Any]) -> Floats:
    return np.asarray(shares[:, -1] if known[-1] == 1 else np.zeros(len(shares)), dtype=np.float64)
