"""Grown trees as plain arrays, and back: the compiled core checks every node before it builds anything of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from venire._core import Forest

Trees = Forest


def arrays_of(trees: Trees) -> Mapping[str, Any]:
    """All that the trees are."""
    return trees.to_arrays()


def trees_of(arrays: Mapping[str, Any]) -> Trees:
    """The trees; a `ValueError` if children, columns, values or sizes do not go together."""
    return Trees.from_arrays(dict(arrays))
