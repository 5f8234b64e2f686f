"""Several targets at once: one tree whose splits serve all of them, and whose leaves predict all of them.

The impurity of a node is the mean of those of the targets, as in scikit-learn: trees of single targets would be others.
The core has a column for each number, and an indicator for each class of each target with classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from venire.errors import UsageError
from venire.models.classes import codes_among
from venire.models.tree.growth import Problem, combined_weights

Floats = NDArray[np.float64]
JOINT_CRITERIA = {"gini": "gini", "entropy": "entropy", "log_loss": "entropy"}
JOINT_NUMBERS = ("variance", "squared_error", "friedman_mse")


def one_target(y: NDArray[Any]) -> NDArray[Any]:
    """A single column as a plain array; several columns as they are."""
    return y if y.ndim == 2 and y.shape[1] > 1 else column_or_1d(y, warn=True)


def joint_classes(
    y: NDArray[Any], criterion: str, matrix: Any, sample_weight: Any, class_weight: Any
) -> tuple[list[NDArray[Any]], Problem]:
    """The classes of each target, and the problem of all of them."""
    if criterion not in JOINT_CRITERIA:
        raise UsageError(
            f"criterion={criterion!r} is for one target, and y has {y.shape[1]} columns",
            hint="for several targets use 'gini' or 'entropy', or fit a tree for each",
        )
    classes = [np.unique(column) for column in y.T]
    indicators = [np.eye(len(known))[codes_among(known, column)] for known, column in zip(classes, y.T, strict=True)]
    weights = combined_weights(sample_weight, class_weight, matrix, y)
    flat = np.ascontiguousarray(np.hstack(indicators)).ravel()
    return classes, Problem(0, None, flat, weights, targets=sum(map(len, classes)), joint=y.shape[1])


def joint_numbers(y: NDArray[Any], criterion: str, matrix: Any, sample_weight: Any) -> Problem:
    """The problem of several targets of numbers."""
    if criterion not in JOINT_NUMBERS:
        raise UsageError(
            f"criterion={criterion!r} is for one target, and y has {y.shape[1]} columns",
            hint="for several targets use 'squared_error', or fit a tree for each",
        )
    weights = combined_weights(sample_weight, None, matrix, y)
    flat = np.ascontiguousarray(y, dtype=np.float64).ravel()
    return Problem(0, None, flat, weights, targets=y.shape[1], joint=y.shape[1])


def parted(shares: Floats, widths: Sequence[int]) -> list[Floats]:
    """Shares [..., class of each target] as one array a target.

    >>> [part.shape for part in parted(np.zeros((4, 5)), [2, 3])]
    [(4, 2), (4, 3)]
    """
    edges = np.cumsum([0, *widths])
    return [shares[..., first:last] for first, last in pairwise(edges.tolist())]
