"""When a node may be split: rows, weights and gains, from parameters that may be shares or left open."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

USUAL_LEAF = 20
EQUAL_HESSIANS = frozenset({"squared", "absolute", "huber", "quantile"})


def leaf_rows(wish: float | None, *, split_given: bool, rows: int) -> int:
    """The fewest rows of a leaf. Left open: 20; 1 where `min_samples_split` is given; a tenth of fewer than 40 rows.

    >>> [leaf_rows(wish, split_given=False, rows=rows) for wish, rows in ((None, 500), (None, 30), (0.1, 500), (7, 9))]
    [20, 3, 50, 7]
    """
    if wish is None:
        return 1 if split_given else USUAL_LEAF if rows >= 2 * USUAL_LEAF else max(1, rows // 10)
    return int(wish) if isinstance(wish, Integral) else math.ceil(wish * rows)


def split_rows(wish: float | None, rows: int) -> int:
    """The fewest rows of a node that is split.

    >>> split_rows(None, 100), split_rows(7, 100), split_rows(0.1, 100)
    (2, 7, 10)
    """
    if wish is None:
        return 2
    return int(wish) if isinstance(wish, Integral) else max(2, math.ceil(wish * rows))


def set_sizes(plan: Any, model: Any, goal: Any, rows: int) -> None:
    """Put what a node needs into the plan of a boosting on so many rows of positive weight."""
    split_given = model.min_samples_split is not None
    plan.min_samples_leaf = float(leaf_rows(model.min_samples_leaf, split_given=split_given, rows=rows))
    plan.min_samples_split = split_rows(model.min_samples_split, rows)
    plan.min_hessian = float(model.min_hessian_leaf)
    if model.min_weight_fraction_leaf > 0:
        _set_share(plan, model, goal, rows)
    plan.min_split_gain = float(model.min_split_gain)
    if model.min_impurity_decrease > 0:
        # Half the decrease of the sum of squares is what a split gains under squared loss.
        total = rows if goal.weights is None else float(goal.weights.sum())
        plan.min_split_gain = max(plan.min_split_gain, model.min_impurity_decrease * total / 2)


def _set_share(plan: Any, model: Any, goal: Any, rows: int) -> None:
    share = float(model.min_weight_fraction_leaf)
    if goal.weights is not None and goal.loss in EQUAL_HESSIANS:
        plan.min_hessian = max(plan.min_hessian, share * float(goal.weights.sum()))
    else:
        plan.min_samples_leaf = max(plan.min_samples_leaf, math.ceil(share * rows))
