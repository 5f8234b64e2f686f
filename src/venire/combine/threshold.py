"""The threshold of least cost, from held-out scores of two classes; arrays only.

All thresholds that make a difference lie between two neighbouring scores, so one sort gives the cost of each. To say
what the rule "take the threshold that cost least" is worth, the threshold for a fold is found on the other folds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class CostCurve:
    """The mean cost of a row at every threshold that makes a difference, in rising order of thresholds."""

    thresholds: Floats  # class 1 is said from here on; the first says it always, the last never
    costs: Floats

    @property
    def best(self) -> int:
        """Where the cost is least; of equals the one in the middle of the first run of them."""
        least = np.flatnonzero(self.costs <= self.costs.min() * (1 + 1e-12) + 1e-300)
        run = least[: 1 + int(np.argmax(np.append(np.diff(least) != 1, True)))]
        return int(run[(len(run) - 1) // 2])

    @property
    def threshold(self) -> float:
        """The threshold of least cost."""
        return float(self.thresholds[self.best])


def cost_curve(y: NDArray[Any], score: Floats, costs: Floats, weights: Floats | None = None) -> CostCurve:
    """The cost of saying class 1 from a threshold on, for all thresholds; `y` holds codes 0 and 1.

    >>> curve = cost_curve(np.array([0, 0, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.4, 0.8]), np.array([[0, 1], [5, 0]]))
    >>> curve.threshold, curve.costs.round(1)
    (0.25, array([0.6, 0.4, 0.2, 1.2, 1. , 2. ]))
    """
    counted = np.ones(len(y)) if weights is None else weights
    order = np.argsort(score, kind="stable")
    ranked, truth = score[order], y[order]
    # Moving the threshold above a row turns what is said of it from 1 to 0.
    turned = counted[order] * (costs[truth, 0] - costs[truth, 1])
    always = float((counted * costs[y, 1]).sum())
    steps = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    totals = always + np.cumsum(turned)[steps]
    between = (ranked[steps[:-1]] + ranked[steps[:-1] + 1]) / 2
    thresholds = np.concatenate([[-np.inf], between, [np.inf]])
    return CostCurve(thresholds, np.concatenate([[always], totals]) / counted.sum())


def other_folds(fold: NDArray[Any], held: int, repeat_of: NDArray[Any] | None = None) -> NDArray[np.bool_]:
    """The rows that may teach what is said of a fold: those of the other folds of the same split.

    Where rows were split more than once, another split holds the fold's own rows again.

    >>> other_folds(np.array([0, 1, 2, 3]), 0, repeat_of=np.array([0, 0, 1, 1]))
    array([False,  True, False, False])
    """
    rest = np.asarray(fold != held)
    if repeat_of is None:
        return rest
    same = rest & (repeat_of == repeat_of[~rest][0])
    return same if same.any() else rest


def threshold_without(
    y: NDArray[Any], score: Floats, fold: NDArray[Any], costs: Floats, repeat_of: NDArray[Any] | None = None
) -> dict[int, float]:
    """For every fold, the threshold of least cost on the rows of the other folds; of a single fold on its own.

    >>> y, score = np.array([0, 1, 0, 1]), np.array([0.1, 0.3, 0.5, 0.9])
    >>> threshold_without(y, score, np.array([0, 0, 1, 1]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    {0: 0.7, 1: 0.2}
    """
    folds = np.unique(fold).tolist()
    if len(folds) == 1:
        return {folds[0]: cost_curve(y, score, costs).threshold}
    order = np.argsort(score, kind="stable")  # once for all: leaving rows out keeps the others in order
    found = {}
    for held in folds:
        kept = order[other_folds(fold, held, repeat_of)[order]]
        found[held] = cost_curve(y[kept], score[kept], costs).threshold
    return found
