"""The boosting core on planted problems: plain loops, slopes by differences, any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from venire._core import Bins, Booster, BoostPlan, boosted_sums, loss_gradients
from venire.ensembles.gradient.losses import Measure

Floats = NDArray[np.float64]
LOSSES = ["squared", "absolute", "quantile", "poisson", "gamma", "logistic", "multinomial"]
NO_START: Floats = np.zeros(0)
FREE = np.zeros(0, dtype=np.int8)


def plan_of(loss: str = "squared", **settings: float) -> BoostPlan:
    plan = BoostPlan()
    plan.loss = loss
    for name, value in settings.items():
        setattr(plan, name, value)
    return plan


def bins_of(x: Floats, weights: Floats | None = None, threads: int = 1) -> Bins:
    return Bins.of(x, np.zeros(x.shape[1], dtype=bool), weights, max_bins=255, threads=threads)


def targets(loss: str, rng: np.random.Generator, rows: int = 40) -> tuple[Floats, Floats]:
    outputs = 3 if loss == "multinomial" else 1
    scores = rng.normal(size=(outputs, rows))
    if loss in ("logistic", "multinomial"):
        return rng.integers(0, 2 if outputs == 1 else 3, size=rows).astype(float), scores
    return rng.gamma(2.0, size=rows), scores


def measure_each(measure: Measure, y: Floats, scores: Floats) -> Floats:
    """The loss of every row."""
    return np.array([measure(y[[i]], scores.T[[i]]) for i in range(len(y))])


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_and_hessians_are_the_derivatives_of_the_loss(loss: str) -> None:
    y, scores = targets(loss, np.random.default_rng(0))
    gradient, hessian = loss_gradients(loss, 0.8, y, scores, threads=1)
    measure, step = Measure(loss, 0.8), 1e-4
    for k in range(len(scores)):
        up, down = scores.copy(), scores.copy()
        up[k] += step
        down[k] -= step
        slope = (measure_each(measure, y, up) - measure_each(measure, y, down)) / (2 * step)
        np.testing.assert_allclose(gradient[k], slope, atol=1e-5)
        if loss in ("poisson", "gamma", "logistic", "multinomial"):
            there = measure_each(measure, y, scores)
            over, under = (measure_each(measure, y, s) for s in (up, down))
            factor = len(scores) / (len(scores) - 1) if loss == "multinomial" else 1.0
            np.testing.assert_allclose(hessian[k], factor * (over - 2 * there + under) / step**2, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_where_all_classes_are_equally_likely_the_step_is_newtons(classes: int) -> None:
    # The hessian of softmax is diag(p) − p pᵀ: a number a class can stand for it because K / (K − 1) carries the rest.
    y = np.arange(classes, dtype=float)
    gradient, hessian = loss_gradients("multinomial", 0.9, y, np.zeros((classes, classes)), threads=1)
    share = np.full(classes, 1 / classes)
    newton = np.linalg.pinv(np.diag(share) - np.outer(share, share)) @ gradient
    np.testing.assert_allclose(gradient / hessian, newton, rtol=1e-5)


def test_two_classes_with_a_score_each_are_the_logistic_loss() -> None:
    rng = np.random.default_rng(11)
    x = rng.normal(size=(2_000, 3))
    y = (x[:, 0] + x[:, 1] ** 2 + rng.logistic(size=2_000) > 1).astype(float)
    one = Booster.of(bins_of(x), y, None, NO_START, FREE, plan_of("logistic"), threads=1)
    two = Booster.of(bins_of(x), y, None, NO_START, FREE, plan_of("multinomial", outputs=2), threads=1)
    for booster in (one, two):
        booster.advance(20, threads=1)
    np.testing.assert_allclose(two.scores()[1] - two.scores()[0], one.scores()[0], atol=1e-4)


def test_huber_gradients_are_residuals_up_to_the_quantile_of_their_size() -> None:
    y = np.array([0.0, 1.0, -2.0, 30.0, 4.0])
    gradient, hessian = loss_gradients("huber", 0.7, y, np.zeros((1, 5)), threads=1)
    assert gradient[0].tolist() == [0.0, -1.0, 2.0, -4.0, -4.0]
    assert (hessian == 1).all()


def test_a_stump_finds_the_planted_cut_and_the_means() -> None:
    x = np.arange(100.0)[:, None]
    y = np.where(x[:, 0] < 30, 1.0, 5.0)
    booster = Booster.of(bins_of(x), y, None, NO_START, FREE, plan_of(max_leaf_nodes=2, learning_rate=1.0), threads=1)
    booster.advance(1, threads=1)
    root, left, right = booster.forest().describe(0)
    assert (root["feature"], root["threshold"]) == (0, 29.5)
    assert booster.start[0] == pytest.approx(3.8)
    assert [left["value"][0], right["value"][0]] == pytest.approx([-2.8, 1.2], abs=1e-6)


def test_the_first_split_is_the_best_of_all_by_plain_loops() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 12, size=(300, 4)).astype(float)
    y = (x[:, 1] * x[:, 2] + rng.normal(scale=8, size=300) > 30).astype(float)
    plan = plan_of("logistic", max_leaf_nodes=2, l2_regularization=1.5, min_samples_leaf=20.0)
    booster = Booster.of(bins_of(x), y, None, NO_START, FREE, plan, threads=1)
    booster.advance(1, threads=1)
    gradient = y.mean() - y
    hessian = np.full(300, y.mean() * (1 - y.mean()))

    def worth(side: NDArray[np.bool_]) -> float:
        return float(gradient[side].sum() ** 2 / (hessian[side].sum() + 1.5))

    cuts = [(j, c + 0.5) for j in range(4) for c in range(11)]
    sides = {cut: x[:, cut[0]] <= cut[1] for cut in cuts}
    fits = {cut: side for cut, side in sides.items() if 20 <= side.sum() <= 280}
    best = max(fits, key=lambda cut: worth(fits[cut]) + worth(~fits[cut]))
    root = booster.forest().describe(0)[0]
    assert (root["feature"], root["threshold"]) == best
    gain = (worth(fits[best]) + worth(~fits[best]) - worth(np.ones(300, dtype=bool))) / 2
    assert booster.forest().importances()[0, best[0]] == pytest.approx(gain, rel=1e-5)


@pytest.mark.parametrize("columns", [7, 8, 9, 33, 64, 65, 130])
def test_the_order_of_columns_does_not_matter(columns: int) -> None:
    # Codes are packed eight to a word and eight words to a cache line: a column must count the same wherever it lies.
    rng = np.random.default_rng(columns)
    x = rng.normal(size=(2_500, columns))
    x[rng.random(x.shape) < 0.05] = np.nan
    y = np.nan_to_num(x[:, 0] * x[:, -1]) + rng.normal(size=2_500)
    scores = []
    for order in (np.arange(columns), rng.permutation(columns)):
        plan = plan_of(subsample=0.9, seed=1)
        booster = Booster.of(bins_of(x[:, order]), y, None, NO_START, FREE, plan, threads=1)
        booster.advance(5, threads=1)
        scores.append(booster.scores())
    np.testing.assert_array_equal(scores[0], scores[1])


@pytest.mark.parametrize("loss", [*LOSSES, "huber"])
def test_weights_of_1_are_no_weights(loss: str) -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(1_003, 4))
    y, start = targets(loss, rng, 1_003)
    plan = plan_of(loss, outputs=len(start))
    boosters = [Booster.of(bins_of(x), y, w, NO_START, FREE, plan, threads=1) for w in (None, np.ones(1_003))]
    for booster in boosters:
        booster.advance(3, threads=1)
    np.testing.assert_array_equal(boosters[0].scores(), boosters[1].scores())


def test_scores_beyond_measure_give_certain_rows() -> None:
    scores = np.array([[-1e4, 1e4, -710.0, 710.0, -1e4, 1e4]])
    y = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    gradient, hessian = loss_gradients("logistic", 0.9, y, scores, threads=1)
    np.testing.assert_allclose(gradient[0], [0, 0, 0, 0, -1, 1], atol=1e-30)
    np.testing.assert_allclose(hessian[0], 0, atol=1e-30)


@pytest.mark.parametrize("loss", [*LOSSES, "huber"])
def test_any_number_of_threads_gives_the_same_bytes(loss: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(90_000, 5))
    x[rng.random(x.shape) < 0.1] = np.nan
    y, _ = targets(loss, rng, len(x))
    weights = rng.random(len(x))
    kept = []
    for threads in (1, 2, 3, 8):
        plan = plan_of(loss, outputs=3 if loss == "multinomial" else 1, subsample=0.9, colsample=0.8, seed=5)
        booster = Booster.of(bins_of(x, weights), y, weights, NO_START, FREE, plan, threads=threads)
        booster.advance(3, threads=threads)
        arrays = booster.forest().to_arrays()
        kept.append([booster.scores().tobytes(), *(np.asarray(arrays[name]).tobytes() for name in sorted(arrays))])
    assert all(one == kept[0] for one in kept[1:])


def test_predictions_are_the_scores_of_training_to_the_last_bit() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(1_000, 11))
    x[rng.random(x.shape) < 0.2] = np.nan
    y = (np.nan_to_num(x[:, 0], nan=1.0) > 0.3).astype(float)
    weights = (rng.random(1_000) < 0.7).astype(float)  # rows of weight 0 are walked, not grown on
    booster = Booster.of(bins_of(x, weights), y, weights, NO_START, FREE, plan_of("logistic"), threads=1)
    booster.advance(12, threads=1)
    sums = boosted_sums(booster.forest(), x, booster.start, [0, 12], threads=2)
    np.testing.assert_array_equal(sums[1, :, 0], booster.scores()[0])
    assert (sums[0] == booster.start[0]).all()


@pytest.mark.parametrize("leaves", [31, 64, 100])
@pytest.mark.parametrize("share", [0.4, 0.99])
def test_rows_left_out_of_a_round_have_the_scores_of_a_prediction(leaves: int, share: float) -> None:
    # Few walk down the tree, many are asked without walking, and trees of more than 64 leaves are always walked.
    rng = np.random.default_rng(21)
    x = rng.normal(size=(6_000, 4))
    x[:, 3] = rng.integers(0, 30, size=6_000)
    x[rng.random(x.shape) < 0.05] = np.nan
    y = (np.nan_to_num(x[:, 0]) + (np.nan_to_num(x[:, 3]) % 7 > 3) + rng.logistic(size=6_000) > 0.5).astype(float)
    bins = Bins.of(x, np.array([False, False, False, True]), None, max_bins=255, threads=1)
    plan = plan_of("logistic", subsample=share, max_leaf_nodes=leaves, min_samples_leaf=5.0)
    booster = Booster.of(bins, y, None, NO_START, FREE, plan, threads=1)
    booster.advance(8, threads=1)
    sums = boosted_sums(booster.forest(), x, booster.start, [8], threads=1)
    np.testing.assert_array_equal(sums[0, :, 0], booster.scores()[0])


def test_whole_numbers_cost_next_to_nothing() -> None:
    # Leaf values from rounded gradients against exact means: the bound is half a unit a row.
    rng = np.random.default_rng(4)
    x = rng.normal(size=(20_000, 3))
    y = rng.standard_cauchy(size=20_000)  # a few gradients are a thousand times the others
    booster = Booster.of(bins_of(x), y, None, NO_START, FREE, plan_of(learning_rate=1.0), threads=1)
    booster.advance(1, threads=1)
    leaves = booster.forest().leaves(x, threads=1)[:, 0]
    unit = np.abs(y - y.mean()).sum() / 2**30
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        said = booster.scores()[0][rows][0]
        assert abs(said - y[rows].mean()) <= unit


def test_min_samples_leaf_holds_where_hessians_differ() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(3_000, 4))
    y = (x[:, 0] + 0.1 * rng.normal(size=3_000) > 1.5).astype(float)
    booster = Booster.of(bins_of(x), y, None, NO_START, FREE, plan_of("logistic", min_samples_leaf=25.0), threads=1)
    booster.advance(20, threads=1)
    leaves = booster.forest().leaves(x, threads=1)
    assert all(np.unique(leaves[:, t], return_counts=True)[1].min() >= 25 for t in range(leaves.shape[1]))


def test_bad_requests_are_refused() -> None:
    x = np.arange(6.0).reshape(3, 2)
    bins = bins_of(x)
    with pytest.raises(ValueError, match="differ in length"):
        Booster.of(bins, np.zeros(2), None, NO_START, FREE, plan_of(), threads=1)
    with pytest.raises(ValueError, match="weight 0"):
        Booster.of(bins, np.zeros(3), np.zeros(3), NO_START, FREE, plan_of(), threads=1)
    with pytest.raises(ValueError, match="not in 0"):
        Booster.of(bins, np.full(3, 7.0), None, NO_START, FREE, plan_of("multinomial", outputs=3), threads=1)
    with pytest.raises(ValueError, match="unknown loss"):
        plan_of("hinge")
    booster = Booster.of(bins, np.zeros(3), None, NO_START, FREE, plan_of(), threads=1)
    with pytest.raises(ValueError, match="ascend and exist"):
        boosted_sums(booster.forest(), x, booster.start, [1], threads=1)


def test_rows_drawn_by_gradient_leave_the_sums_right_on_average() -> None:
    # The root's mean gradient, seen as the value of a tree that cannot split, against that of all rows.
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(400, 1)), rng.standard_cauchy(size=400)
    bins, said = bins_of(x), []
    for seed in range(300):
        plan = plan_of(learning_rate=1.0, min_split_gain=1e12, top_share=0.2, other_share=0.1, seed=seed)
        booster = Booster.of(bins, y, None, np.zeros(1), FREE, plan, threads=1)
        booster.advance(1, threads=1)
        said.append(booster.scores()[0, 0])
    error = np.std(said, ddof=1) / np.sqrt(300)
    assert error > 0
    assert abs(np.mean(said) - y.mean()) < 3 * error
    assert np.std(said) < 0.5 * y.std() * np.sqrt(0.7 / (0.3 * 400))  # of an equal draw of as many rows


def test_rows_drawn_by_gradient_are_those_with_the_largest() -> None:
    x = np.arange(100.0)[:, None]
    gradient = np.zeros((1, 100), dtype=np.float32)
    gradient[0, [3, 50, 97]] = [9.0, -8.0, 7.0]
    plan = plan_of(
        "own",
        learning_rate=1.0,
        max_leaf_nodes=100,
        min_samples_leaf=1.0,
        top_share=0.03,
        other_share=0.07,
        rows_by_hessian=False,
    )
    booster = Booster.of(bins_of(x), np.zeros(100), None, np.zeros(1), FREE, plan, threads=1)
    booster.advance_by(lambda: (gradient, np.ones((1, 100), dtype=np.float32)), 1, threads=1)
    assert booster.scores()[0, [3, 50, 97]] == pytest.approx([-9.0, 8.0, -7.0], abs=1e-5)
