"""What a forest says of a target it cannot take, and of rows that no tree left out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import DataError, VenireWarning
from venire.models.sparse import is_sparse


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
