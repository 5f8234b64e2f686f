"""Gradients rounded at random: to whole levels next to them, right on average, the same for any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from venire._core import Bins, Booster, BoostPlan

Floats = NDArray[np.float64]
ROWS = 200  # few enough for a bin each
LEVELS = 4
FREE = np.zeros(0, dtype=np.int8)


def plan_of(loss: str, **wishes: Any) -> BoostPlan:
    plan = BoostPlan()
    settings = {"learning_rate": 1.0, "min_samples_leaf": 1.0, "min_hessian": 0.0, "rows_by_hessian": False}
    for name, value in {"loss": loss, "levels": LEVELS, **settings, **wishes}.items():
        setattr(plan, name, value)
    return plan


def bins_of(x: Floats, threads: int = 1) -> Bins:
    return Bins.of(x, np.zeros(x.shape[1], dtype=bool), None, max_bins=255, threads=threads)


BINS = bins_of(np.arange(float(ROWS))[:, None])


def one_tree(gradient: Floats, hessian: Floats, **wishes: Any) -> Floats:
    """The value of every row's leaf; with leaves enough, rows that are rounded differently are in different ones."""
    plan = plan_of("own", **{"max_leaf_nodes": ROWS, **wishes})
    booster = Booster.of(BINS, np.zeros(ROWS), None, np.zeros(1), FREE, plan, threads=1)
    given = tuple(np.asarray(part[None], dtype=np.float32) for part in (gradient, hessian))
    booster.advance_by(lambda: given, 1, threads=1)
    return np.asarray(booster.scores()[0])


def rounded(gradient: Floats, **wishes: Any) -> Floats:
    """Each row's gradient as the tree saw it: hessians of 1 are whole levels, so the leaf's value is its negative."""
    return -one_tree(gradient, np.ones(ROWS), **wishes)


def some_gradients(seed: int = 0) -> Floats:
    return np.asarray(np.random.default_rng(seed).normal(size=ROWS).astype(np.float32), dtype=float)


@pytest.mark.parametrize("levels", [2, 3, 4, 5, 16, 256])
def test_a_gradient_becomes_one_of_the_levels_next_to_it(levels: int) -> None:
    gradient = some_gradients()
    seen = rounded(gradient, levels=levels)
    step = np.abs(gradient).max() / (levels // 2)
    places = seen / step
    np.testing.assert_allclose(places, np.rint(places), atol=1e-6 * levels)
    assert (np.abs(seen - gradient) < step * (1 + 1e-6)).all()
    assert np.abs(places).max() <= levels // 2 + 1e-6
    largest = np.abs(gradient).argmax()
    assert seen[largest] == pytest.approx(gradient[largest], rel=1e-6)  # it is a level, and stays


def test_gradients_are_right_on_average() -> None:
    gradient = some_gradients(1)
    step = np.abs(gradient).max() / 2
    seeds = 600
    seen = np.array([rounded(gradient, seed=seed) for seed in range(seeds)])
    share = gradient / step - np.floor(gradient / step)  # of seeds that round a row up
    error = step * np.sqrt(share * (1 - share) / seeds)
    uncertain = error > 1e-3 * step
    z = (seen.mean(axis=0) - gradient)[uncertain] / error[uncertain]
    assert uncertain.sum() > 150
    assert np.abs(z).max() < 4.5
    assert 0.85 < z.std() < 1.15
    # Rows are rounded one by one: their sum scatters as a sum of independent numbers does.
    spread = np.sqrt((step**2 * share * (1 - share)).sum())
    assert seen.sum(axis=1).std() == pytest.approx(spread, rel=0.15)


def test_hessians_are_right_on_average() -> None:
    hessian = np.random.default_rng(2).random(ROWS).astype(np.float32).astype(float)
    gradient = np.full(ROWS, -1.0)  # a level for every row
    step = hessian.max() / LEVELS
    sums = []
    for seed in range(600):
        said = one_tree(gradient, hessian, seed=seed, min_split_gain=1e12)
        assert len(np.unique(said)) == 1
        sums.append(ROWS / said[0])
    places = np.array(sums) / step
    np.testing.assert_allclose(places, np.rint(places), atol=1e-3)
    error = np.std(sums, ddof=1) / np.sqrt(600)
    assert error > 0
    assert abs(np.mean(sums) - hessian.sum()) < 4 * error


def test_a_leaf_says_the_value_of_its_rounded_sums() -> None:
    gradient = some_gradients(3)
    seen = rounded(gradient, seed=7)
    few = -rounded(gradient, seed=7, max_leaf_nodes=5)  # the same tree's key, so the same levels
    assert len(np.unique(few)) == 5
    for value in np.unique(few):
        assert value == pytest.approx(-seen[few == value].mean(), rel=1e-5, abs=1e-7)


def test_rounds_and_outputs_draw_anew() -> None:
    gradient = np.full(ROWS, 0.5)
    gradient[0] = 2.0  # half a step for every other row
    plan = plan_of("own", max_leaf_nodes=ROWS)
    booster = Booster.of(BINS, np.zeros(ROWS), None, np.zeros(1), FREE, plan, threads=1)
    scores = [booster.scores()[0]]
    given = np.asarray(gradient[None], dtype=np.float32), np.ones((1, ROWS), dtype=np.float32)
    for _ in range(3):
        booster.advance_by(lambda: given, 1, threads=1)
        scores.append(booster.scores()[0])
    seen = -np.diff(scores, axis=0)
    assert set(np.unique(seen)) == {0.0, 1.0, 2.0}
    agree = [(seen[a] == seen[b]).mean() for a, b in ((0, 1), (0, 2), (1, 2))]
    assert all(0.35 < share < 0.65 for share in agree)


def test_equal_hessians_are_not_rounded() -> None:
    rng = np.random.default_rng(4)
    y = rng.normal(size=ROWS)
    plan = plan_of("squared", min_samples_leaf=10.0, rows_by_hessian=True)
    booster = Booster.of(BINS, y, None, np.zeros(1), FREE, plan, threads=1)
    booster.advance(1, threads=1)
    leaves = booster.forest().leaves(np.arange(float(ROWS))[:, None], threads=1)[:, 0]
    step = np.abs(y.astype(np.float32)).max() / 2
    for leaf in np.unique(leaves):
        here = leaves == leaf
        assert here.sum() >= 10  # a hessian of 1 each, so none is estimated
        places = booster.scores()[0][here][0] * here.sum() / step
        assert places == pytest.approx(round(places), abs=1e-4)


def test_nothing_to_learn_is_no_tree() -> None:
    said = one_tree(np.zeros(ROWS), np.zeros(ROWS))
    assert (said == 0).all()


@pytest.mark.parametrize("loss", ["squared", "absolute", "poisson", "logistic", "multinomial"])
@pytest.mark.parametrize("rows", [{"subsample": 0.9}, {"top_share": 0.3, "other_share": 0.3}])
def test_any_number_of_threads_gives_the_same_bytes(loss: str, rows: dict[str, float]) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(90_000, 3))
    x[rng.random(x.shape) < 0.1] = np.nan
    y = np.floor(3 * rng.random(len(x))) if loss != "logistic" else (x[:, 0] > 0).astype(float)
    weights = rng.random(len(x))
    weights[::7] = 0
    kept = []
    for threads in (1, 2, 3, 8):
        outputs = 3 if loss == "multinomial" else 1
        plan = plan_of(loss, outputs=outputs, colsample=0.8, seed=5, min_samples_leaf=20.0, **rows)
        booster = Booster.of(bins_of(x, threads), y, weights, np.zeros(0), FREE, plan, threads=threads)
        booster.advance(3, threads=threads)
        arrays = booster.forest().to_arrays()
        kept.append([booster.scores().tobytes(), *(np.asarray(arrays[name]).tobytes() for name in sorted(arrays))])
    assert all(one == kept[0] for one in kept[1:])


@pytest.mark.parametrize("levels", [1, 257])
def test_levels_out_of_range_are_refused(levels: int) -> None:
    with pytest.raises(ValueError, match="levels are 0 or 2 to 256"):
        Booster.of(BINS, np.zeros(ROWS), None, np.zeros(1), FREE, plan_of("squared", levels=levels), threads=1)
