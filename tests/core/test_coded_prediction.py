"""Predicting rows that are coded already: the same numbers as from their values, and clear refusals."""

from __future__ import annotations

import numpy as np
import pytest

from venire._core import Bins, Forest, Ranks
from venire.models.tree.growth import Growth, Problem

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
X[RNG.random(X.shape) < 0.1] = np.nan
X[:, 3] = RNG.integers(0, 6, size=300)
MASK = np.array([False, False, False, True])
Y = (np.nan_to_num(X[:, 0]) + (X[:, 3] == 2) > 0.3).astype(np.int32) + (X[:, 3] == 4)
ROWS = RNG.permutation(300)[:70]


def grown(count: int = 5, **settings: object) -> tuple[Bins, Forest]:
    bins = Bins.of(X, MASK, None, max_bins=20, threads=1)
    growth = Growth("gini", count=count, sampling="bootstrap" if count > 1 else "all", draws=300, **settings)  # type: ignore[arg-type]  # by name
    return bins, growth.grow(bins, X, Problem(3, Y.astype(np.int32), None, None))


def test_averages_votes_and_levels_are_those_of_the_values() -> None:
    bins, forest = grown()
    for votes in (False, True):
        coded = forest.average_coded(bins, ROWS, [1, 5], votes=votes, threads=1)
        np.testing.assert_array_equal(coded, forest.average(X[ROWS], [1, 5], votes=votes, threads=1))
    weights = [0.5, 0.25, -1.0, 2.0, 1.0]
    coded = forest.votes_coded(bins, ROWS, weights, [2, 5], threads=1)
    np.testing.assert_array_equal(coded, forest.votes(X[ROWS], weights, [2, 5], threads=1))
    said = np.stack([Forest.joined([forest]).average(X[ROWS], [t], votes=True, threads=1)[0] * t for t in range(1, 6)])
    one_by_one = np.diff(said, axis=0, prepend=0)
    np.testing.assert_allclose(coded[1], np.tensordot(weights, one_by_one, axes=1), atol=1e-12)
    bins, tree = grown(1)
    alphas = [0.0, 0.001, 0.01, 0.1]
    coded = tree.levels_coded(bins, ROWS, by="pruning", levels=alphas, threads=1)
    np.testing.assert_array_equal(coded, tree.levels(X[ROWS], alphas, threads=1))


@pytest.mark.parametrize(
    ("by", "name", "level"), [("depth", "max_depth", lambda d: -d), ("rows", "min_samples_split", lambda k: k - 1)]
)
def test_depth_and_rows_equal_growing_that_far(by: str, name: str, level: object) -> None:
    bins, tree = grown(1)
    for value in (2, 3, 8, 50):
        (found,) = tree.levels_coded(bins, ROWS, by=by, levels=[float(level(value))], threads=1)  # type: ignore[operator]  # a function
        (smaller,) = grown(1, **{name: value})[1].average(X[ROWS], [1], votes=False, threads=1)
        np.testing.assert_array_equal(found, smaller)


def test_ranks_give_the_bins_of_a_part() -> None:
    ranks = Ranks.of(X, MASK, threads=1)
    part = np.sort(ROWS)
    weights = np.zeros(300)
    weights[part] = 1.0
    narrowed = ranks.bins(weights, max_bins=20, threads=1)
    fresh = Bins.of(X[part], MASK, None, max_bins=20, threads=1)
    np.testing.assert_array_equal(narrowed.codes[:, part], fresh.codes)
    assert [narrowed.edges(j) for j in range(4)] == [fresh.edges(j) for j in range(4)]


def test_what_cannot_be_is_refused() -> None:
    bins, forest = grown()
    with pytest.raises(ValueError, match="a row number is beyond the bins"):
        forest.average_coded(bins, np.array([300]), [1], votes=False, threads=1)
    with pytest.raises(ValueError, match="one weight a tree"):
        forest.votes_coded(bins, ROWS, [1.0], [1], threads=1)
    with pytest.raises(ValueError, match="counts must ascend"):
        forest.votes(X, [1.0] * 5, [3, 2], threads=1)
    with pytest.raises(ValueError, match="belong to a single tree"):
        forest.levels_coded(bins, ROWS, by="depth", levels=[-1.0], threads=1)
    with pytest.raises(ValueError, match="levels go by"):
        grown(1)[1].levels_coded(bins, ROWS, by="leaves", levels=[1.0], threads=1)
    with pytest.raises(ValueError, match="levels must ascend"):
        grown(1)[1].levels_coded(bins, ROWS, by="rows", levels=[2.0, 1.0], threads=1)
    with pytest.raises(ValueError, match="nothing to join"):
        Forest.joined([])
    narrow = Bins.of(X[:, :2], MASK[:2], None, max_bins=20, threads=1)
    with pytest.raises(ValueError, match="other bins"):
        forest.average_coded(narrow, ROWS, [1], votes=False, threads=1)
