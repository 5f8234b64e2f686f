"""Who leaves out what: enough trees for every forest, and evenly so."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from venire.families.roster import SHARE, blocks_left_out, drawn_share, make_roster


@pytest.mark.parametrize("blocks", [3, 4, 5, 6, 10, 14, 20])
@pytest.mark.parametrize("outer", [1, 10, 100])
def test_every_forest_has_its_trees(blocks: int, outer: int) -> None:
    roster = make_roster(blocks, outer, np.random.default_rng(0))
    for i in range(blocks):
        trees = roster.trees[(i,)]
        assert len(trees) == outer
        assert all(i in roster.left_out[tree] for tree in trees)
    for pair in combinations(range(blocks), 2):
        trees = roster.trees[pair]
        assert len(trees) == roster.inner
        assert all(set(pair) <= set(roster.left_out[tree]) for tree in trees)
    assert all(list(trees) == sorted(set(trees)) for trees in roster.trees.values())


@pytest.mark.parametrize("blocks", [5, 10, 20])
def test_few_trees_serve_all(blocks: int) -> None:
    roster = make_roster(blocks, 100, np.random.default_rng(0))
    fewest = 100 * blocks / blocks_left_out(blocks)
    assert fewest <= len(roster.left_out) <= 1.1 * fewest
    ideal = 100 * (blocks_left_out(blocks) - 1) / (blocks - 1)
    assert roster.inner == pytest.approx(ideal, abs=1)


def test_a_tree_holds_what_a_bootstrap_sample_holds() -> None:
    for blocks in range(5, 40):
        kept = (blocks - blocks_left_out(blocks)) / (blocks - 1)  # of an outer forest's training part
        assert kept >= SHARE
        assert drawn_share(blocks) * kept == pytest.approx(SHARE, abs=1e-12)


def test_inner_forests_have_their_share_of_every_number() -> None:
    roster = make_roster(10, 200, np.random.default_rng(0))
    assert roster.counts((3,), [10, 200]) == [10, 200]
    assert roster.counts((3, 4), [1, 10, 200]) == [1, 4, roster.inner]


def test_the_same_seed_gives_the_same_roster() -> None:
    one, other = (make_roster(10, 50, np.random.default_rng(5)).left_out for _ in range(2))
    assert one == other
    assert one != make_roster(10, 50, np.random.default_rng(6)).left_out
