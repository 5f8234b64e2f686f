"""Votes of stumps on coded rows, against the walk of the same rows down the same trees."""

import numpy as np
import pytest

from venire._core import AdaBoosting, AdaMembers, Bins


def boosted(classes: int, rows: int = 900, rounds: int = 40):
    """Stumps boosted on a table with gaps, on both sides of the cut, and a constant column."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(rows, 5)).round(1)
    y = np.digitize(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=rows), np.linspace(-1, 1, classes - 1)).astype(np.int32)
    X[(y == 0) & (rng.random(rows) < 0.5), 0] = np.nan
    X[(y == classes - 1) & (rng.random(rows) < 0.5), 1] = np.nan
    X[:, 4] = 1.0
    bins = Bins.of(X, np.zeros(5, dtype=bool), None, max_bins=64, threads=1)
    if classes == 2:
        limits = {"max_depth": 1, "max_leaf_nodes": 2**31, "min_samples_leaf": 1.0}
        members = AdaMembers.two_classes(bins, y, **limits, threads=1)
    else:
        members = AdaMembers.stumps(bins, y, classes=classes, threads=1)
    every, weights = np.arange(rows), np.full(rows, 1 / rows)
    boosting = AdaBoosting.of(members, every, weights, total=float(rows), samme=True, when_weak="stop")
    boosting.advance(rounds)
    return X, bins, boosting.forest(), boosting.alphas


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("threads", [1, 3])
def test_stumps_vote_as_if_rows_walked(classes, threads):
    X, bins, forest, alphas = boosted(classes)
    rows = np.random.default_rng(0).permutation(len(X))[:777]  # no whole number of tiles
    counts = [1, 5, len(alphas) - 1, len(alphas)]
    walked = forest.votes(X, alphas, counts, threads=1)[:, rows]
    assert np.array_equal(forest.votes_coded(bins, rows, alphas, counts, threads=threads), walked)
    assert len(np.unique(walked[-1])) > 10


def test_weights_may_be_negative():
    X, bins, forest, alphas = boosted(2)
    weights = [-alpha if i % 3 == 0 else alpha for i, alpha in enumerate(alphas)]
    rows = np.arange(len(X))
    walked = forest.votes(X, weights, [len(weights)], threads=1)
    assert np.array_equal(forest.votes_coded(bins, rows, weights, [len(weights)], threads=1), walked)


def test_no_row_and_a_stump_that_is_a_leaf():
    X, bins, forest, alphas = boosted(2)
    assert forest.votes_coded(bins, np.empty(0, dtype=np.int64), alphas, [2], threads=1).shape == (1, 0, 2)
    constant = Bins.of(X[:, 4:], np.zeros(1, dtype=bool), None, max_bins=64, threads=1)
    labels = (np.arange(len(X)) % 3 == 0).astype(np.int32)
    members = AdaMembers.stumps(constant, labels, classes=2, threads=1)
    leaf, _ = members.grow(np.ones(len(X)))
    votes = leaf.votes_coded(constant, np.arange(4), [0.5], [1], threads=1)
    assert np.array_equal(votes, np.tile([0.5, 0.0], (1, 4, 1)))
