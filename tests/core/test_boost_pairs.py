"""Gradients become whole numbers: what a leaf's value may lose by it, where hessians are large, tiny or both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from venire._core import Bins, Booster, BoostPlan, loss_gradients

Floats = NDArray[np.float64]
LEAST_HESSIAN = 1e-3
FINE_UNITS = 64  # a leaf whose rows have fewer units of hessian on average is summed again without rounding


def unit_of(numbers: Floats) -> float:
    """What one whole unit of a round is worth: the smallest power of two that keeps the absolute sum below 2^31."""
    return float(2.0 ** -math.floor(math.log2((2**31 - 1 - len(numbers)) / np.abs(numbers).sum())))


def one_tree(x: Floats, gradient: Floats, hessian: Floats, *, least_rows: float = 20.0) -> Floats:
    """The leaf value of every row after one round on given gradients at rate 1."""
    plan = BoostPlan()
    plan.loss = "own"
    plan.learning_rate = 1.0
    plan.min_samples_leaf = least_rows
    plan.min_hessian = LEAST_HESSIAN
    plan.rows_by_hessian = False  # the rule that would keep the search away from leaves of certain rows
    bins = Bins.of(x, np.zeros(x.shape[1], dtype=bool), None, max_bins=255, threads=1)
    booster = Booster.of(bins, np.zeros(len(x)), None, np.zeros(1), np.zeros(0, dtype=np.int8), plan, threads=1)
    given = tuple(np.asarray(part[None], dtype=np.float32) for part in (gradient, hessian))
    booster.advance_by(lambda: given, 1, threads=1)
    return np.asarray(booster.scores()[0])


def late_round(certainty: float, rows: int = 20_000) -> tuple[Floats, Floats, Floats]:
    """Columns, gradients and hessians of a logistic loss at scores of this size: many certain, some wrongly."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(rows, 4))
    scores = certainty * x[:, 0] + rng.normal(size=rows)
    y = (scores + rng.logistic(size=rows) > 0).astype(float)
    wrong = rng.random(rows) < 0.001
    y[wrong] = 1 - y[wrong]
    gradient, hessian = loss_gradients("logistic", 0.9, y, scores[None], threads=1)
    return x, gradient[0].astype(float), hessian[0].astype(float)


def check_leaves(leaves: NDArray[Any], said: Floats, gradient: Floats, hessian: Floats) -> int:
    """Every leaf says its best value, as nearly as its rows have units; the number of leaves that were summed again."""
    g_unit, h_unit = unit_of(gradient), unit_of(hessian)
    coarse = 0
    for leaf in np.unique(leaves):
        here = leaves == leaf
        rows, g, h, value = here.sum(), gradient[here].sum(), hessian[here].sum(), said[here][0]
        units = np.rint(hessian[here] / h_unit).sum()
        assert units * h_unit >= LEAST_HESSIAN
        if units < FINE_UNITS * rows:
            coarse += 1
            assert value == pytest.approx(-g / h, rel=1e-7, abs=1e-9)
        else:
            # Said × (H + error) = −(G + error), each error at most half a unit a row; 1e-12 for the sums of this test.
            bound = rows / 2 * (g_unit + abs(value) * h_unit) / h + 1e-12
            assert abs(value + g / h) <= bound
            assert bound <= (abs(value) + g_unit / h_unit) / (2 * FINE_UNITS - 1) + 1e-12
    return coarse


@pytest.mark.parametrize("rows", [20_000, 250_000])
@pytest.mark.parametrize("certainty", [0.0, 3.0, 10.0, 30.0, 100.0])
def test_a_leaf_is_off_by_at_most_half_a_unit_a_row(certainty: float, rows: int) -> None:
    x, gradient, hessian = late_round(certainty, rows)
    said = one_tree(x, gradient, hessian)
    assert len(np.unique(said)) > 20
    coarse = check_leaves(said, said, gradient, hessian)
    assert coarse > 0 if certainty >= 10 else coarse == 0 or certainty > 0


@pytest.mark.parametrize(("certainty", "share"), [(0.0, 1e-8), (3.0, 1e-6), (10.0, 1e-3), (30.0, 1e-3), (100.0, 1e-3)])
def test_what_rounding_costs_is_small_beside_what_the_tree_gains(certainty: float, share: float) -> None:
    x, gradient, hessian = late_round(certainty)
    said = one_tree(x, gradient, hessian)
    gained = lost = 0.0
    for value in np.unique(said):
        g, h = gradient[said == value].sum(), hessian[said == value].sum()
        gained += g**2 / (2 * h)
        lost += h * (value + g / h) ** 2 / 2  # second order: the best value is a minimum
    assert lost < share * gained


def test_rows_too_certain_to_be_seen_make_no_leaf() -> None:
    """A thousand rows of hessian 1e-9 round to nothing beside others of 0.25: no leaf divides by their sum."""
    x = np.repeat([0.0, 1.0, 2.0], [1000, 10_000, 10_000])[:, None]
    gradient = np.repeat([1e-9, 0.3, -0.3], [1000, 10_000, 10_000])
    gradient[0] = -1.0  # one of them is wrong: alone they would ask for a step of a million
    hessian = np.repeat([1e-9, 0.25, 0.25], [1000, 10_000, 10_000])
    assert hessian[0] < unit_of(hessian) / 2
    said = one_tree(x, gradient, hessian)
    assert len(np.unique(said)) == 2
    assert np.abs(said).max() < 1.3


def test_a_leaf_of_almost_certain_rows_does_not_divide_by_what_rounding_left() -> None:
    """Of 300,000 rows one half is certain, less than half a unit each, but for ten that are wrong."""
    half = 150_000
    x = np.repeat([0.0, 1.0], half)[:, None]
    certain = 0.4 * 2.0**-15
    gradient = np.concatenate([np.tile([0.3, -0.3], half // 2), np.full(half, certain)])
    hessian = np.concatenate([np.full(half, 0.25), np.full(half, certain)])
    gradient[-10:], hessian[-10:] = -1.0, 0.01
    assert certain < unit_of(gradient) / 2
    assert certain < unit_of(hessian) / 2
    said = one_tree(x, gradient, hessian)
    g, h = gradient[half:].sum(), hessian[half:].sum()
    assert gradient[-10:].sum() / hessian[-10:].sum() < -99  # rounded, the leaf would have asked for a step of 100
    assert said[-1] == pytest.approx(-g / h, rel=1e-6)
    assert 4 < said[-1] < 5


def test_every_leaf_of_every_round_is_within_the_bound_on_many_rows() -> None:
    """Long steps on 200,000 rows that part almost cleanly: after a few rounds most rows are certain."""
    rng = np.random.default_rng(12)
    rows = 200_000
    x = rng.normal(size=(rows, 2))
    y = (x[:, 0] + 0.05 * rng.normal(size=rows) > 1.0).astype(float)
    plan = BoostPlan()
    plan.loss = "logistic"
    plan.learning_rate = 1.0
    bins = Bins.of(x, np.zeros(2, dtype=bool), None, max_bins=255, threads=1)
    booster = Booster.of(bins, y, None, np.zeros(0), np.zeros(0, dtype=np.int8), plan, threads=1)
    coarse = []
    for _ in range(10):
        before = booster.scores()
        gradient, hessian = (part[0].astype(float) for part in loss_gradients("logistic", 0.9, y, before, threads=1))
        booster.advance(1, threads=1)
        leaves = booster.forest().leaves(x, threads=1)[:, -1]
        coarse.append(check_leaves(leaves, booster.scores()[0] - before[0], gradient, hessian))
    assert sum(coarse) > 0


@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1.0, 1e12])
def test_units_follow_the_size_of_a_round(scale: float) -> None:
    x, gradient, hessian = late_round(1.0, rows=2000)
    said = one_tree(x, gradient * scale, hessian * scale, least_rows=2000.0)  # a single leaf: no rule but its value
    np.testing.assert_allclose(said, -gradient.sum() / hessian.sum(), atol=1e-6)


@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_boosting_into_certainty_stays_finite(rate: float) -> None:
    """Some labels are wrong, leaves may hold one row, and rounds go on long after every row is certain."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(1000, 3))
    y = (x[:, 0] + x[:, 1] > 0).astype(float)
    wrong = rng.random(1000) < 0.02
    y[wrong] = 1 - y[wrong]
    plan = BoostPlan()
    plan.loss = "logistic"
    plan.learning_rate = rate
    plan.min_samples_leaf = 1.0
    bins = Bins.of(x, np.zeros(3, dtype=bool), None, max_bins=255, threads=1)
    booster = Booster.of(bins, y, None, np.zeros(0), np.zeros(0, dtype=np.int8), plan, threads=1)
    booster.advance(300, threads=1)
    scores = booster.scores()[0]
    assert np.isfinite(scores).all()
    assert ((scores > 0) == (y > 0)).all()
    assert np.logaddexp(0.0, np.where(y > 0, -scores, scores)).max() < 0.01


MANY = 1_150_000  # rows, of which more than 2^20 are trained on


def many_rows() -> tuple[NDArray[np.uint8], Floats]:
    """A column of 40 values, and classes whose shares are not those of whole units."""
    rng = np.random.default_rng(8)
    x = rng.integers(0, 40, size=(MANY, 1)).astype(np.uint8)
    return x, (rng.random(MANY) < 0.3 + 0.005 * x[:, 0]).astype(float)


def boosted(x: NDArray[np.uint8], y: Floats, weights: Floats | None, threads: int) -> Floats:
    plan = BoostPlan()
    plan.loss, plan.learning_rate = "logistic", 1.0
    bins = Bins.of(x, np.zeros(1, dtype=bool), None, max_bins=255, threads=threads)
    free = np.zeros(0, dtype=np.int8)
    booster = Booster.of(bins, y, weights, np.zeros(0), free, plan, threads=threads)
    booster.advance(2, threads=threads)
    return np.asarray(booster.scores()[0])


def test_leaves_of_very_many_rows_lose_nothing_that_their_rows_have_in_common() -> None:
    x, y = many_rows()
    share = y.mean()
    gradient, hessian = np.full(MANY, share) - y, np.full(MANY, share * (1 - share))
    said = one_tree(x.astype(float), gradient, hessian)
    exact = -np.bincount(x[:, 0], gradient) / np.bincount(x[:, 0], hessian)
    leaves = np.unique(said)
    assert len(leaves) > 20
    for value in leaves:
        here = np.isin(x[:, 0], np.unique(x[said == value, 0]))
        best = -gradient[here].sum() / hessian[here].sum()
        assert abs(value - best) < 2e-5, "rounded to the nearest it was up to 2e-4"
    assert np.abs(exact).max() > 0.3


def test_very_many_rows_have_the_same_bytes_for_any_threads_and_beside_rows_that_do_not_count() -> None:
    x, y = many_rows()
    counts = np.ones(MANY)
    counts[::13] = 0.0
    some = boosted(x, y, counts, threads=1)
    assert np.array_equal(some, boosted(x, y, counts, threads=2))
    kept = counts > 0
    assert kept.sum() > 1 << 20
    assert np.array_equal(some[kept], boosted(np.ascontiguousarray(x[kept]), y[kept], None, threads=2))
