"""Monotone constraints as the user gives them, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError


def directions_of(model: Any) -> NDArray[np.int8]:
    """The monotone constraint of every column, or none at all."""
    if model.monotone is None:
        return np.zeros(0, dtype=np.int8)
    columns = model.n_features_in_
    wish = model.monotone
    if isinstance(wish, dict):
        wish = _by_name(model, wish)
    directions = np.asarray(wish)
    if directions.shape != (columns,) or not np.isin(directions, (-1, 0, 1)).all():
        raise UsageError(f"monotone needs −1, 0 or 1 for each of {columns} columns; got {model.monotone!r}")
    if (directions[model._layout.categorical] != 0).any():
        raise UsageError("monotone: a categorical column has no direction to keep", hint="give it 0")
    return np.ascontiguousarray(directions, dtype=np.int8)


def _by_name(model: Any, wish: dict[Any, Any]) -> list[Any]:
    names = list(getattr(model, "feature_names_in_", range(model.n_features_in_)))
    unknown = [name for name in wish if name not in names]
    if unknown:
        there = ", ".join(map(str, names[:10]))
        raise UsageError(f"monotone names {unknown[0]!r}, which is no column", hint=f"columns: {there}")
    return [wish.get(name, 0) for name in names]
