"""Decisions under costs: the class whose expected cost is least, given probabilities; arrays only.

A cost matrix is written [actual][predicted], in the order of the classes: `costs[1][0]` is what it costs to take a
row of class 1 for class 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError

Floats = NDArray[np.float64]


def cost_matrix(costs: ArrayLike, classes: NDArray[Any]) -> Floats:
    """The costs as a matrix with one row and one column a class, or an error that says what is wrong with them.

    >>> cost_matrix([[0, 1], [5, 0]], np.array(["good", "fraud"]))
    array([[0., 1.],
           [5., 0.]])
    """
    names = ", ".join(str(label) for label in classes)
    hint = f"give one row an actual class and one column a predicted class, in the order {names}"
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the costs are not a matrix of numbers: {costs!r}", code="costs", hint=hint) from error
    if matrix.shape != (len(classes), len(classes)):
        shape = " × ".join(map(str, matrix.shape)) or "a single number"
        raise UsageError(f"the costs have shape {shape}, and there are {len(classes)} classes", code="costs", hint=hint)
    if not np.isfinite(matrix).all():
        raise UsageError("the costs hold a value that is not a finite number", code="costs", hint=hint)
    if (matrix.diagonal()[:, None] > matrix).any():
        raise UsageError("the costs make a wrong answer cheaper than the right one", code="costs", hint=hint)
    return matrix


def decisive_costs(costs: ArrayLike | None, classes: NDArray[Any]) -> Floats | None:
    """The checked matrix, or None where it decides nothing: none was given, or every error costs the same.

    A learner's own decision (a count of votes, a score) then stands, and is not replaced by its probabilities.

    >>> decisive_costs([[0, 2], [2, 0]], np.array(["good", "fraud"])) is None
    True
    """
    if costs is None:
        return None
    matrix = cost_matrix(costs, classes)
    extra = matrix - matrix.diagonal()[:, None]
    errors = extra[~np.eye(len(matrix), dtype=bool)]
    return None if errors.size and (errors == errors[0]).all() and errors[0] > 0 else matrix


def cost_threshold(costs: Floats) -> float:
    """With two classes, the probability of class 1 from which saying 1 is the cheaper answer.

    >>> cost_threshold(np.array([[0.0, 1.0], [9.0, 0.0]]))
    0.1
    """
    false_alarm = costs[0, 1] - costs[0, 0]
    miss = costs[1, 0] - costs[1, 1]
    total = false_alarm + miss
    return float(false_alarm / total) if total > 0 else 0.5
