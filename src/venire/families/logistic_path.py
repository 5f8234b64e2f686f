"""Logistic regression for every strength of the penalty, each to the optimum, by the compiled core.

The penalised likelihood is concave with one optimum, which is found to a tight tolerance from the training rows alone:
from strong penalties to weak, each starting where the last few were heading (`core/logistic/path.hpp` has the method).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import LogisticPath, logistic_answers
from venire.validation.trials.family import Cancel

Floats = NDArray[np.float64]
# Numbers of the table, times outputs and penalties: as much is solved between two looks at whether to go on. Of larger
# tables a look comes before every step.
_UNASKED = 1 << 21


class NotSolved(Exception):
    """The optimum is out of reach: classes that can (nearly) be parted under (nearly) no penalty.

    `found` has the coefficients of the stronger penalties, which are at theirs.
    """

    def __init__(self, found: list[Floats]) -> None:
        super().__init__()
        self.found = found


def solve_path(
    Z: Floats, codes: NDArray[Any], classes: int, weights: Floats | None, penalties: Floats, cancel: Cancel
) -> Floats:
    """The coefficients [penalty, output, 1 + column] under penalties λ/2 · ‖β‖², the intercept free; penalties fall.

    There is one output for two classes, one a class for more.

    >>> from venire.validation.trials.family import never
    >>> Z, codes = np.array([[-1.0], [0.0], [0.0], [1.0]]), np.array([0, 1, 0, 1])
    >>> solve_path(Z, codes, 2, None, np.array([1.0, 0.1]), never)[:, 0, 1].round(4)
    array([0.6748, 2.128 ])
    """
    path = LogisticPath.of(np.ascontiguousarray(Z), codes.astype(np.int32), weights, classes=classes)
    step = max(1, _UNASKED // max(1, Z.size * classes))
    asked = cancel if step == 1 else None
    found: list[Floats] = []
    for at in range(0, len(penalties), step):
        cancel()
        some = path.solve_all(penalties[at : at + step], asked)
        if some is None:
            raise NotSolved(found)
        found.append(some)
    return np.concatenate(found)


def answers(coefficients: Floats, Z: Floats) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
    """Probabilities [penalty, row, class] and the likeliest class [penalty, row] under all penalties at once.

    >>> predicted, likeliest = answers(np.array([[[0.0, 1.0]], [[0.0, 2.0]]]), np.array([[-1.0], [0.5]]))
    >>> predicted[:, 1].round(4)
    array([[0.3775, 0.6225],
           [0.2689, 0.7311]], dtype=float32)
    >>> likeliest
    array([[0, 1],
           [0, 1]], dtype=int16)
    """
    return logistic_answers(np.ascontiguousarray(Z), np.ascontiguousarray(coefficients))
