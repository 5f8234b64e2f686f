"""What naive Bayes asks of its input before it adds anything up: kinds of columns, codes, counts, weights, priors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import DataError, UsageError
from venire.models.bayes.sums import Columns, Floats, Numbers, Sums
from venire.models.input import Layout, highest_codes
from venire.models.sparse import is_sparse
from venire.models.tree.growth import combined_weights


def columns_by_kind(categorical: NDArray[np.bool_], counted: NDArray[np.bool_]) -> Columns:
    """Every column has one kind; what is neither categorical nor a count is numeric."""
    both = np.flatnonzero(categorical & counted)
    if both.size:
        raise UsageError(f"column {both[0]} is both categorical and a count", hint="name it in one of the two")
    kinds = (~categorical & ~counted, categorical, counted)
    return Columns(*(np.flatnonzero(kind).astype(np.uint32) for kind in kinds))


def check_counts(matrix: Any, counted: Numbers) -> None:
    """An error for a count below nought."""
    if not len(counted):
        return
    if is_sparse(matrix):
        matrix = matrix.tocsc()
        below = (matrix.data < 0) & np.isin(np.repeat(np.arange(matrix.shape[1]), np.diff(matrix.indptr)), counted)
        negative = bool(below.any())
    else:
        negative = bool((matrix[:, counted] < 0).any())
    if negative:
        wrong = next(j for j in counted if (matrix[:, [j]] < 0).sum())
        column = matrix[:, [wrong]].data if is_sparse(matrix) else matrix[:, wrong]
        raise DataError(
            f"column {wrong} holds counts, and {np.nanmin(column)} is negative",
            code="negative_count",
            hint="leave the column out of count_features, or mend the value",
        )


def category_counts(matrix: NDArray[Any], layout: Layout, least: int | Sequence[int] | None) -> NDArray[np.int64]:
    """How many categories each categorical column has: those these rows show, those its type lists, and at `least` so
    many."""
    chosen = np.flatnonzero(layout.categorical)
    if is_sparse(matrix):  # which has no categories
        return np.zeros(0, dtype=np.int64)
    counts = highest_codes(matrix, layout.categorical) + 1
    for position, j in enumerate(chosen):
        counts[position] = max(counts[position], len(layout.categories.get(int(j), ())))
    if least is None:
        return counts
    floor = np.asarray(least)
    if floor.ndim and floor.shape != (layout.columns,):
        raise UsageError(
            f"min_categories has shape {floor.shape}, and there are {layout.columns} columns",
            hint="give one number, or one a column",
        )
    return np.asarray(np.maximum(counts, floor if floor.ndim == 0 else floor[chosen]))


def with_more_categories(sums: Sums, before: Layout, after: Layout) -> Sums:
    """Sums under a layout that knows more categories, with room for those that are new among the old, in order."""
    position_of = {int(j): position for position, j in enumerate(sums.columns.categorical)}
    places, counts = {}, {}
    for j, known in after.categories.items():
        if known != before.categories[j]:
            place = {category: code for code, category in enumerate(known)}
            places[position_of[j]] = np.array([place[category] for category in before.categories[j]], dtype=np.intp)
            counts[position_of[j]] = len(known)
    return sums.with_moved(places, counts)


def batch_weights(sample_weight: Any, class_weight: Any, matrix: NDArray[Any], y: NDArray[Any]) -> Floats | None:
    """Example weights times class weights. A batch may weigh nothing, as long as not all of them do."""
    given = np.asarray(sample_weight)
    if given.shape == matrix.shape[:1] and given.dtype.kind in "biuf" and not given.any():
        return np.zeros(matrix.shape[0])
    return combined_weights(sample_weight, class_weight, matrix, y)


def checked_priors(priors: ArrayLike | None, classes: int) -> Floats | None:
    """One prior a class, and they sum to 1."""
    if priors is None:
        return None
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != (classes,):
        raise UsageError(f"there are {given.size} priors and {classes} classes")
    if (given < 0).any():
        raise UsageError(f"priors are not negative, and one is {given.min():g}")
    if not np.isclose(given.sum(), 1.0):
        raise UsageError(f"the priors sum to {given.sum():g}, and should sum to 1")
    return given
