"""Linear support vector machines, each solved to its optimum: by libsvm where that is soon done, else as planes.

libsvm solves easy machines faster than anything in Python could, and may not end on others: classes that overlap under
a large C, on columns that are nearly the same. So it gets a few steps a row, and what it does not solve in these is
left to `support_planes`; under a larger C it is not tried again.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from venire.models.svm.planes import Plane, parting_plane, tube_plane
from venire.sklearn_private import QuietSVC, QuietSVR

Floats = NDArray[np.float64]
_STEPS, _LEAST_STEPS = 2, 1000  # of libsvm: a row, and for any table
_FEW_ROWS = 4000  # more, and libsvm is not tried: its matrix of products would take above 128 MB
_CACHE = 500  # megabytes


@dataclass(frozen=True, eq=False)
class Lines:
    """One plane for every two classes in the order of `combinations`, or one for numbers."""

    C: float
    weights: Floats  # [pair, column]
    intercepts: Floats  # [pair]
    planes: Mapping[int, Plane]  # by pair, those that libsvm did not solve
    free: bool  # no row pulls all it can: so these are the lines of every larger C, too

    def heights(self, X: Floats) -> Floats:
        """[row, pair]: of two classes above zero for the second, of each pair of more for the first."""
        return np.asarray(X @ self.weights.T + self.intercepts)


def products(X: Floats) -> Floats | None:
    """Of every two rows, for the machines of all C; None where it would be too large."""
    return X @ X.T if len(X) <= _FEW_ROWS else None


def class_lines(
    X: Floats, codes: NDArray[Any], C: float, weights: Floats | None, gram: Floats | None, before: Lines | None = None
) -> Lines:
    """Of rows with class codes 0, 1, …, each of which occurs, and weights above 0; `before` is of a smaller C."""
    if before is not None and before.free:
        return before
    classes = int(codes.max()) + 1
    pairs = list(combinations(range(classes), 2))
    found, hard = _by_libsvm(QuietSVC, X, codes, C, weights, gram, before, len(pairs))
    planes: dict[int, Plane] = {}
    for pair in hard:
        one, other = pairs[pair] if classes > 2 else (1, 0)  # as libsvm has it, above zero is the first
        rows = np.flatnonzero((codes == one) | (codes == other))
        signs = np.where(codes[rows] == one, 1.0, -1.0)
        start = None if before is None else before.planes.get(pair)
        planes[pair] = parting_plane(X[rows], signs, C, None if weights is None else weights[rows], start)
    return _with(found, C, planes, len(pairs), X.shape[1])


def number_line(
    X: Floats,
    y: Floats,
    C: float,
    epsilon: float,
    weights: Floats | None,
    gram: Floats | None,
    before: Lines | None = None,
) -> Lines:
    """The same of rows with numbers."""
    if before is not None and before.free:
        return before
    found, hard = _by_libsvm(QuietSVR, X, y, C, weights, gram, before, 1, epsilon=epsilon)
    planes: dict[int, Plane] = {}
    if hard:
        start = None if before is None else before.planes.get(0)
        planes[0] = tube_plane(X, y, C, epsilon, weights, start)
    return _with(found, C, planes, 1, X.shape[1])


def at_bound(fitted: Any, C: float, weights: Floats | None) -> bool:
    """Whether a row of libsvm's machine pulls all it can."""
    most = C if weights is None else C * weights[fitted.support_]
    return bool((np.abs(fitted.dual_coef_) >= most * (1.0 - 1e-9)).any())


def _by_libsvm(
    kind: Any,
    X: Floats,
    y: NDArray[Any],
    C: float,
    weights: Floats | None,
    gram: Floats | None,
    before: Lines | None,
    pairs: int,
    **more: Any,
) -> tuple[tuple[Floats, Floats, bool] | None, list[int]]:
    """Weights, intercepts and whether all rows are free; and the pairs it did not solve. It is not asked in vain."""
    if gram is None or (before is not None and len(before.planes) == pairs):
        return None, list(range(pairs))
    steps = max(_LEAST_STEPS, _STEPS * len(X))
    machine = kind(kernel="precomputed", C=C, cache_size=_CACHE, max_iter=steps, **more)
    machine.fit(gram, y, weights)
    hard = np.flatnonzero(np.atleast_1d(machine.n_iter_) >= steps).tolist()
    shown = _weights(machine, X, pairs)
    return (shown, np.atleast_1d(machine.intercept_), not at_bound(machine, C, weights)), hard


def _weights(machine: Any, X: Floats, pairs: int) -> Floats:
    """[pair, column], from what its support vectors pull; those of more than two classes stand class by class."""
    if pairs == 1:
        return np.asarray(machine.dual_coef_ @ X[machine.support_])
    ends = np.concatenate([[0], np.cumsum(machine.n_support_)])
    found = []
    for one, other in combinations(range(len(machine.n_support_)), 2):
        first, second = slice(ends[one], ends[one + 1]), slice(ends[other], ends[other + 1])
        pulled = machine.dual_coef_[other - 1, first] @ X[machine.support_[first]]
        found.append(pulled + machine.dual_coef_[one, second] @ X[machine.support_[second]])
    return np.array(found)


def _with(
    found: tuple[Floats, Floats, bool] | None, C: float, planes: dict[int, Plane], pairs: int, columns: int
) -> Lines:
    """libsvm's lines, and the planes in place of those it did not solve."""
    weights, intercepts, free = (np.zeros((pairs, columns)), np.zeros(pairs), False) if found is None else found
    weights, intercepts = weights.copy(), intercepts.copy()
    for pair, plane in planes.items():
        weights[pair], intercepts[pair] = plane.weights, plane.intercept
    if not all(plane.reached for plane in planes.values()):
        warnings.warn(
            "a linear support vector machine was left before its optimum; scale the columns, or take a smaller C",
            ConvergenceWarning,
            stacklevel=3,
        )
    return Lines(C, weights, intercepts, planes, free and not planes)
