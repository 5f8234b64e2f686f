"""The rows that trees are grown on, and what a forest says of targets it cannot take and rows no tree left out."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import DataError, UsageError, VenireWarning
from venire.models.sparse import is_sparse
from venire.models.tree.growth import Problem


def refuse_sparse_target(y: Any) -> None:
    """Targets are dense."""
    if is_sparse(y):
        raise DataError(
            "sparse multilabel-indicator for y is not supported.", code="sparse", hint="make the target dense"
        )


def warn_of_unseen(seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say how many rows have no out-of-bag estimate, if any."""
    if not seen.all():
        warnings.warn(
            f"Some inputs do not have OOB scores: {int((~seen).sum())} of {len(seen)} rows were left out by no tree. "
            "This probably means too few trees were used to compute any reliable OOB estimates.",
            VenireWarning,
            stacklevel=5,
        )
    return seen


def drawn_again(forest: Any) -> list[NDArray[np.int32]]:
    """The rows of each tree's sample, drawn again from its seed."""
    from venire._core import drawn_rows

    if forest._drawn_from is None:
        raise UsageError(
            "the rows of each tree follow from the classes or weights of the rows, which a forest does not keep",
            code="needs_rows",
            hint="forest.rows_in_bag(X, y, sample_weight), with the data of fit, says which rows each tree saw",
        )
    how = forest._growth.sampling_arguments()
    return [drawn_rows(forest._drawn_from, **how, tree=tree) for tree in range(forest._forest.trees)]


def sample_size(forest: Any, rows: int, problem: Problem) -> int:
    """How many rows a sample holds; with a balanced bootstrap, of each class."""
    positive = np.ones(rows, dtype=bool) if problem.weights is None else problem.weights > 0
    base = int(positive.sum())
    if forest.bootstrap == "balanced":
        if problem.labels is None:
            raise UsageError("bootstrap='balanced' needs classes; a regressor has none", hint="use bootstrap=True")
        counts = np.bincount(problem.labels[positive])
        base = int(counts[counts > 0].min())
    if forest.max_samples is None:
        return base
    if isinstance(forest.max_samples, Integral):
        return int(forest.max_samples)
    return max(1, round(float(forest.max_samples) * base))
