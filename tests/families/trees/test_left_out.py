"""Who leaves out what: enough trees for every forest, and evenly so."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from venire.families.trees.left_out import DRAWN, SHARE, folds_left_out, make_roster


@pytest.mark.parametrize("folds", [3, 4, 5, 6, 10, 14, 20])
@pytest.mark.parametrize("size", [1, 10, 100])
def test_every_forest_has_its_trees(folds: int, size: int) -> None:
    roster = make_roster(folds, size, np.random.default_rng(0))
    for without in [*((i,) for i in range(folds)), *combinations(range(folds), 2)]:
        trees = roster.trees[without]
        assert len(trees) == size
        assert all(set(without) <= set(roster.left_out[tree]) for tree in trees)
        assert list(trees) == sorted(set(trees))
    assert {len(set(left_out)) for left_out in roster.left_out} == {folds_left_out(folds)}


@pytest.mark.parametrize("folds", [5, 10, 20])
def test_few_trees_serve_all(folds: int) -> None:
    count = folds_left_out(folds)
    fewest = 100 * folds * (folds - 1) / (count * (count - 1))
    assert fewest <= len(make_roster(folds, 100, np.random.default_rng(0)).left_out) <= 1.1 * fewest
    alone = make_roster(folds, 100, np.random.default_rng(0), pairs=False).left_out
    assert 100 * folds / count <= len(alone) <= 1.1 * 100 * folds / count


def test_a_tree_is_grown_on_about_half_of_the_rows() -> None:
    for folds in range(5, 40):
        kept = (folds - folds_left_out(folds)) / (folds - 1)  # of an outer forest's training part
        assert DRAWN * kept == pytest.approx(SHARE, abs=0.051)


def test_the_same_seed_gives_the_same_roster() -> None:
    one, other = (make_roster(10, 50, np.random.default_rng(5)).left_out for _ in range(2))
    assert one == other
    assert one != make_roster(10, 50, np.random.default_rng(6)).left_out
