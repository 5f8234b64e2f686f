"""The first trees of many, as an ensemble of their own: what growing fewer of them would have given."""

from __future__ import annotations

from typing import Any

from venire._core import Forest

# Arrays of all trees by the offsets that cut them up, with how many entries an offset stands for.
_CUT_BY: dict[str, tuple[tuple[str, int], ...]] = {
    "node_start": (("nodes", 2), ("value", 1), ("table", 1), ("rows", 1), ("weight", 1), ("impurity", 1)),
    "subset_start": (("subsets", 1),),
    "slot_start": (("slots", 1),),
    "cut_start": (("term_cut", 1), ("term_count", 1)),
    "term_start": (("term_feature", 1), ("term_coefficient", 1)),
}


def first_trees(forest: Forest, count: int) -> Forest:
    """The first `count` trees of a forest; the forest itself where it has no more."""
    if count >= forest.trees:
        return forest
    arrays: dict[str, Any] = dict(forest.to_arrays())
    columns = len(arrays["categorical"])
    cuts = {**_CUT_BY, "value_start": (("values", int(arrays["outputs"])),)}
    for starts, parts in cuts.items():
        offsets = arrays[starts][: count + 1]
        arrays[starts] = offsets
        for name, entries in parts:
            arrays[name] = arrays[name][: int(offsets[-1]) * entries]
    arrays["importance"] = arrays["importance"][: count * columns]
    return Forest.from_arrays(arrays)
