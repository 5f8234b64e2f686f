"""Grown trees as plain arrays, and back: the compiled core checks every node before it builds anything of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import Forest

Trees = Forest


def arrays_of(trees: Trees) -> Mapping[str, Any]:
    """All that the trees are."""
    return trees.to_arrays()


def trees_of(arrays: Mapping[str, Any]) -> Trees:
    """The trees; a `ValueError` if children, columns, values or sizes do not go together."""
    return Trees.from_arrays(dict(arrays))


_OF_NODES = ("value", "table")
_STATISTICS = ("rows", "weight", "impurity")
_PARTS = {
    "subset_start": ("subsets",),
    "slot_start": ("slots",),
    "cut_start": ("term_cut", "term_count"),
    "term_start": ("term_feature", "term_coefficient"),
}


def single_tree(arrays: Mapping[str, Any], which: int) -> Trees:
    """One of the trees as a forest of its own, on the same columns."""
    part = dict(arrays)
    first, last = _ends(arrays["node_start"], which)
    part["nodes"] = arrays["nodes"][2 * first : 2 * last]
    kept = _STATISTICS if len(arrays["rows"]) else ()
    part.update({name: arrays[name][first:last] for name in (*_OF_NODES, *kept)})
    start, end = _ends(arrays["value_start"], which)
    part["values"] = arrays["values"][start * arrays["outputs"] : end * arrays["outputs"]]
    columns = len(arrays["categorical"])
    part["importance"] = arrays["importance"][which * columns : (which + 1) * columns]
    part["node_start"] = _alone(last - first)
    part["value_start"] = _alone(end - start)
    for offsets, names in _PARTS.items():
        start, end = _ends(arrays[offsets], which)
        part.update({name: arrays[name][start:end] for name in names})
        part[offsets] = _alone(end - start)
    return trees_of({name: _owned(each) for name, each in part.items()})


def _ends(offsets: NDArray[np.int64], which: int) -> tuple[int, int]:
    return int(offsets[which]), int(offsets[which + 1])


def _alone(size: int) -> NDArray[np.int64]:
    return np.array([0, size], dtype=np.int64)


def _owned(each: Any) -> Any:
    return np.ascontiguousarray(each) if isinstance(each, np.ndarray) else each
