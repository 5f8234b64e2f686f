"""Joint growth: the trees of all trials grown together are those grown one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from venire._core import Bins, Forest
from venire.models.tree_growth import NO_LIMIT, Growth, Problem

Matrix = NDArray[np.float64]


def planted(
    rows: int, classes: int, seed: int, values: int = 40, missing: float = 0.0
) -> tuple[Matrix, NDArray[np.int32]]:
    """Six columns of few values, three of which carry the class; a constant column last."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, values, size=(rows, 6)).astype(float)
    y = (x[:, 0] + 0.7 * x[:, 1] * (x[:, 2] > values / 3) + rng.normal(0, values / 10, rows)) * classes / (2 * values)
    x[rng.random(x.shape) < missing] = np.nan
    return np.column_stack([x, np.ones(rows)]), np.clip(y, 0, classes - 1).astype(np.int32)


def blocks_of(rows: int, count: int) -> NDArray[np.uint8]:
    return np.random.default_rng(1).permutation(np.arange(rows) % count).astype(np.uint8)


def trials_of(count: int) -> list[tuple[int, int]]:
    return [(i, i) for i in range(count)] + list(combinations(range(count), 2))


def bins_of(x: Matrix) -> Bins:
    return Bins.of(x, np.zeros(x.shape[1], dtype=bool), None, max_bins=255, threads=1)


def jointly(x: Matrix, y: NDArray[np.int32], count: int, least: int, **rules: int) -> tuple[Forest, int, int]:
    settings = {"max_depth": NO_LIMIT, "min_samples_leaf": 1, **rules}
    left_out = [block for pair in trials_of(count) for block in pair]
    blocks = blocks_of(len(y), count)
    return Forest.grow_joint(
        bins_of(x), classes=int(y.max()) + 1, labels=y, blocks=blocks, left_out=left_out, least=least, **settings
    )


def apart(x: Matrix, y: NDArray[np.int32], count: int, **rules: int) -> list[Forest]:
    bins, blocks = bins_of(x), blocks_of(len(y), count)
    kept = [(~np.isin(blocks, pair)).astype(float) for pair in trials_of(count)]
    return [Growth("gini", **rules).grow(bins, None, Problem(int(y.max()) + 1, y, None, weights)) for weights in kept]


def in_order(forest: Forest, tree: int) -> list[dict[str, Any]]:
    """The nodes from the root down, left before right, without their numbers."""
    nodes, found, waiting = forest.describe(tree), [], [0]
    while waiting:
        node = dict(nodes[waiting.pop()])
        child, children = node.pop("child"), node.pop("children")
        waiting.extend(child + slot for slot in reversed(range(children)))
        found.append(node)
    return found


@pytest.mark.parametrize("least", [0, 100, 10**6])
@pytest.mark.parametrize(
    ("rows", "classes", "values", "missing", "rules"),
    [
        (700, 2, 40, 0.0, {}),
        (700, 4, 12, 0.0, {}),
        (500, 2, 255, 0.2, {}),
        (500, 3, 3, 0.3, {"min_samples_leaf": 7}),
        (500, 2, 40, 0.0, {"max_depth": 3}),
        (40, 2, 40, 0.1, {}),
    ],
)
def test_the_trees_are_those_grown_one_by_one(
    rows: int, classes: int, values: int, missing: float, rules: dict[str, int], least: int
) -> None:
    x, y = planted(rows, classes, 0, values, missing)
    forest, _, _ = jointly(x, y, 4, least, **rules)
    alone = apart(x, y, 4, **rules)
    assert forest.trees == len(alone) == 10
    importances = forest.importances()
    for tree, one in enumerate(alone):
        assert in_order(forest, tree) == in_order(one, 0)
        np.testing.assert_allclose(importances[tree], one.importances()[0], rtol=1e-12)


def test_groups_add_up_fewer_rows_than_they_serve() -> None:
    x, y = planted(4000, 2, 0)
    _, served, added = jointly(x, y, 5, 1000)
    assert served > 15 * 4000 * 0.6
    assert added < served / 3
    assert jointly(x, y, 5, 10**6)[1:] == (0, 0)


def test_what_it_cannot_take_is_refused() -> None:
    x, y = planted(60, 2, 0)
    grow = {"classes": 2, "labels": y, "max_depth": 3, "min_samples_leaf": 1, "least": 0}
    blocks = blocks_of(60, 3)
    with pytest.raises(ValueError, match="two blocks a tree"):
        Forest.grow_joint(bins_of(x), blocks=blocks, left_out=[0], **grow)
    with pytest.raises(ValueError, match="a left-out block holds no row"):
        Forest.grow_joint(bins_of(x), blocks=blocks, left_out=[0, 3], **grow)
    with pytest.raises(ValueError, match="a tree keeps no row"):
        Forest.grow_joint(bins_of(x), blocks=np.minimum(blocks, 1), left_out=[0, 1], **grow)
    with pytest.raises(ValueError, match="differ in length"):
        Forest.grow_joint(bins_of(x), blocks=blocks[1:], left_out=[0, 1], **grow)
    coded = Bins.of(np.ones((60, 1)), np.array([True]), None, max_bins=255, threads=1)
    with pytest.raises(ValueError, match="numeric columns only"):
        Forest.grow_joint(coded, blocks=blocks, left_out=[0, 1], **grow)
