"""Properties of the boosting core on random small tables: order of rows, units, twins, idle columns, weights, loss."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from venire._core import Bins, Booster, BoostPlan
from venire.ensembles.gradient.losses import Measure

Floats = NDArray[np.float64]
FEW = settings(max_examples=25, deadline=None)


def plan_of(**wishes: Any) -> BoostPlan:
    plan = BoostPlan()
    plan.min_samples_leaf = 2.0
    plan.max_leaf_nodes = 6
    for name, value in wishes.items():
        setattr(plan, name, value)
    return plan


def boosted(x: Floats, y: Floats, weights: Floats | None = None, rounds: int = 4, **wishes: Any) -> Booster:
    bins = Bins.of(x, np.zeros(x.shape[1], dtype=bool), weights, max_bins=255, threads=1)
    free = np.zeros(0, dtype=np.int8)
    booster = Booster.of(bins, y, weights, np.zeros(0), free, plan_of(**wishes), threads=1)
    booster.advance(rounds, threads=1)
    return booster


@st.composite
def tables(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Few distinct values, gaps, and a target in whole numbers, so that sums are exact in any order."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(st.integers(4, 80)), draw(st.integers(1, 4))
    x = rng.integers(0, draw(st.integers(2, 30)), size=(rows, columns)).astype(float)
    x[rng.random(x.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    return x, rng.integers(-8, 9, size=rows).astype(float)


@given(tables(), st.integers(0, 1000))
@FEW
def test_the_order_of_rows_does_not_matter(table: tuple[Floats, Floats], seed: int) -> None:
    x, y = table
    order = np.random.default_rng(seed).permutation(len(y))
    np.testing.assert_allclose(boosted(x[order], y[order]).scores()[0], boosted(x, y).scores()[0][order], atol=1e-9)


@given(tables())
@FEW
def test_a_monotone_change_of_units_does_not_matter(table: tuple[Floats, Floats]) -> None:
    x, y = table
    for changed in (np.exp(x / 10), x * 1e8 - 3, x + 1e8):
        np.testing.assert_array_equal(boosted(changed, y).scores(), boosted(x, y).scores())


@given(tables())
@FEW
def test_twins_and_constant_columns_change_nothing(table: tuple[Floats, Floats]) -> None:
    x, y = table
    more = np.column_stack([x, x[:, 0], np.full(len(y), 7.0), np.full(len(y), np.nan)])
    np.testing.assert_array_equal(boosted(more, y).scores(), boosted(x, y).scores())


@given(tables(), st.integers(0, 1000))
@FEW
def test_rows_of_weight_0_are_no_rows(table: tuple[Floats, Floats], seed: int) -> None:
    x, y = table
    weights = np.random.default_rng(seed).integers(0, 2, size=len(y)).astype(float)
    weights[:2] = 1.0
    known = weights > 0
    np.testing.assert_array_equal(
        boosted(x, y, weights).scores()[0][known], boosted(x[known], y[known], weights[known]).scores()[0]
    )


@given(tables(), st.sampled_from(["squared", "logistic", "poisson", "absolute", "huber"]))
@FEW
def test_more_rounds_never_raise_the_training_loss_of_small_steps(table: tuple[Floats, Floats], loss: str) -> None:
    x, y = table
    if loss == "logistic":
        y = (y > 0).astype(float)
    elif loss == "poisson":
        y = np.abs(y) + 1
    if loss == "huber":  # its δ is taken afresh each round, so its losses cannot be compared
        assert np.isfinite(boosted(x, y, loss=loss).scores()).all()
        return
    losses = [Measure(loss)(y, boosted(x, y, rounds=r, loss=loss).scores().T) for r in (0, 1, 3, 6)]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(losses))


@given(tables())
@FEW
def test_leaf_values_are_within_the_bound_of_whole_numbers(table: tuple[Floats, Floats]) -> None:
    x, y = table
    y = y * np.pi + 1e5  # gradients that are no whole numbers, far from 0
    booster = boosted(x, y, rounds=1, learning_rate=1.0)
    leaves = booster.forest().leaves(x, threads=1)[:, 0]
    bound = np.abs(y - y.mean()).sum() / 2**30 + 1e-6 * np.abs(y - y.mean()).max() + 1e-9
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        assert booster.scores()[0][rows][0] == pytest.approx(y[rows].mean(), abs=bound)


@given(tables(), st.integers(2, 20), st.integers(0, 1000))
@FEW
def test_leaves_of_levels_are_whole_numbers_of_steps(table: tuple[Floats, Floats], levels: int, seed: int) -> None:
    x, y = table
    booster = boosted(x, y, rounds=1, levels=levels, seed=seed, learning_rate=1.0)
    leaves = booster.forest().leaves(x, threads=1)[:, 0]
    step = np.abs(y - booster.start[0]).max() / (levels // 2)
    moved = booster.scores()[0] - booster.start[0]
    for leaf in np.unique(leaves):
        here = leaves == leaf
        places = moved[here][0] * here.sum() / step if step > 0 else moved[here][0]
        assert places == pytest.approx(round(places), abs=1e-3)
        # Each row is less than a step away from its own gradient.
        assert abs(moved[here][0] - (y[here].mean() - booster.start[0])) <= step * (1 + 1e-5)
