"""P(best) and the pairwise table come from one posterior."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from venire.errors import UsageError
from venire.inference import compare_paired, joint_posterior, probability_best
from venire.inference.joint import shrunk_correlation

RATIO = 1 / 9


def jury(models: int = 5, folds: int = 10, seed: int = 0):
    """Losses that share the difficulty of a fold; model k is worse than model k − 1."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(0, 0.03, folds)
    return 0.2 + 0.01 * np.arange(models)[:, None] + shared + rng.normal(0, 0.01, (models, folds))


def best(losses, *, seed: int = 0, **options):
    return probability_best(losses, RATIO, np.random.default_rng(seed), **options)


@pytest.mark.parametrize("models", [2, 5, 25])
def test_probabilities_sum_to_one_and_favour_the_better(models):
    p_best, p_as_good = best(jury(models), rope=0.005)
    assert p_best.sum() == pytest.approx(1)
    assert p_best.argmax() == jury(models).mean(axis=1).argmin()
    assert (p_as_good >= p_best).all()


def test_the_generator_decides_the_draws():
    assert np.array_equal(best(jury(), seed=1), best(jury(), seed=1))
    assert not np.array_equal(best(jury(), seed=1), best(jury(), seed=2))


def test_of_two_models_it_is_the_pairwise_answer():
    losses = jury(2, seed=3)
    pair = compare_paired(*losses, test_over_train=2 * RATIO)  # twice the overlap: see the module
    joint = joint_posterior(losses, RATIO).compare(0, 1)
    assert joint.difference == pytest.approx(pair.difference)
    assert joint.p_better == pytest.approx(pair.p_better, abs=1e-9)
    assert best(losses)[0][0] == pytest.approx(pair.p_better, abs=0.01)


def test_draws_have_the_multivariate_t_distribution():
    posterior = joint_posterior(jury(3), RATIO)
    drawn = posterior.draw(np.random.default_rng(5), 40_000)
    for k in range(3):
        marginal = stats.t(posterior.df, posterior.mean[k], posterior.scale[k])
        assert stats.kstest(drawn[:, k], marginal.cdf).pvalue > 0.001
    one, other = posterior.scale[:2]
    gap = np.sqrt(one**2 + other**2 - 2 * posterior.correlation[0, 1] * one * other)
    difference = stats.t(posterior.df, posterior.mean[0] - posterior.mean[1], gap)
    assert stats.kstest(drawn[:, 0] - drawn[:, 1], difference.cdf).pvalue > 0.001


@pytest.mark.parametrize("models", [3, 14])
def test_no_pair_is_told_apart_better_than_by_its_own_folds(models):
    losses = jury(models, seed=6)
    posterior = joint_posterior(losses, RATIO)
    for k in range(1, models):
        own = compare_paired(losses[0], losses[k], test_over_train=2 * RATIO)
        found = posterior.compare(0, k)
        assert found.difference == pytest.approx(own.difference)
        assert found.posterior.scale >= own.posterior.scale - 1e-12
        assert found.p_better + found.p_worse + found.p_equal == pytest.approx(1)


def test_a_copy_is_equal_for_certain():
    losses = jury(4)
    found = joint_posterior(losses[[0, 1, 0, 2]], RATIO).compare(0, 2)
    assert (found.p_better, found.p_equal, found.p_worse) == (0, 1, 0)


def test_a_copy_moves_nobody_elses_pair():
    losses = jury(4)
    alone, joined = joint_posterior(losses, RATIO), joint_posterior(losses[[0, 1, 0, 2, 3, 3]], RATIO)
    for first, second in ((0, 1), (1, 3), (0, 4)):
        was = alone.compare(*(np.array([0, 1, 0, 2, 3, 3])[[first, second]]))
        assert joined.compare(first, second).posterior == was.posterior


@pytest.mark.parametrize("models", [2, 4, 14])
def test_nobody_is_the_best_more_surely_than_better_than_any_one_rival(models):
    for seed in range(20):
        losses = jury(models, seed=seed) if seed % 2 else np.random.default_rng(seed).binomial(5, 0.5, (models, 10)) / 5
        posterior = joint_posterior(losses, RATIO)
        p_best, p_as_good = best(losses, rope=0.005)
        leader = int(p_best.argmax())
        rivals = [k for k in range(models) if k != leader]
        assert p_best[leader] <= min(posterior.compare(leader, k).p_better for k in rivals) + 1e-12
        assert p_as_good[leader] <= min(1 - posterior.compare(leader, k, 0.005).p_worse for k in rivals) + 1e-12
        assert p_best.sum() == pytest.approx(1)


def test_keeping_up_is_not_being_worse():
    posterior = joint_posterior(np.vstack([jury(3), jury(3)[0], np.full(10, np.nan)]), RATIO)
    found = posterior.keeps_up(0.01)
    for one in range(5):
        for other in range(5):
            expected = 1 - posterior.compare(one, other, 0.01).p_worse
            np.testing.assert_allclose(found[one, other], expected, atol=1e-12)


def test_an_exact_duplicate_shares_the_chance_and_changes_no_other():
    losses = jury(3)
    alone, alone_as_good = best(losses, rope=0.005)
    twice, twice_as_good = best(losses[[0, 1, 0, 2]], rope=0.005)
    assert twice.tolist() == [alone[0] / 2, alone[1], alone[0] / 2, alone[2]]
    assert twice_as_good.tolist() == alone_as_good[[0, 1, 0, 2]].tolist()


def test_models_without_spread_tie_or_lose_for_certain():
    flat = np.array([[0.25] * 4, [0.5] * 4, [0.25] * 4])
    p_best, p_as_good = best(flat)
    assert p_best.tolist() == [0.5, 0, 0.5]
    assert p_as_good.tolist() == [1, 0, 1]


def test_everyone_is_as_good_within_a_wide_region():
    assert best(jury(), rope=10.0)[1].tolist() == [1.0] * 5


def test_a_fold_undefined_for_all_changes_nothing():
    losses = jury(4)
    holed = np.insert(losses, 3, np.nan, axis=1)
    np.testing.assert_array_equal(best(holed), best(losses))


def test_only_shared_folds_count():
    losses = jury(4)
    holed = losses.copy()
    holed[2, 7] = np.nan
    np.testing.assert_array_equal(best(holed), best(np.delete(losses, 7, axis=1)))


def test_a_model_without_losses_is_absent():
    losses = np.vstack([jury(3), np.full(10, np.nan)])
    p_best, p_as_good = best(losses)
    assert np.isnan(p_best).tolist() == np.isnan(p_as_good).tolist() == [False, False, False, True]
    np.testing.assert_array_equal(p_best[:3], best(losses[:3])[0])
    assert np.isnan(joint_posterior(losses, RATIO).compare(0, 3).p_better)


def test_a_model_that_misses_most_gives_way():
    losses = jury(3)
    losses[1, 1:] = np.nan
    p_best, _ = best(losses)
    assert np.isnan(p_best).tolist() == [False, True, False]


@pytest.mark.parametrize("losses", [np.full((3, 4), np.nan), np.array([[0.1], [0.2]]), np.empty((2, 0))])
def test_without_two_folds_nothing_is_claimed(losses):
    p_best, p_as_good = best(losses)
    assert np.isnan(p_best).all()
    assert np.isnan(p_as_good).all()
    assert np.isnan(joint_posterior(losses, RATIO).compare(0, 1).p_better)


def test_a_single_model_is_the_best():
    assert best(jury(1))[0].tolist() == [1.0]


@settings(max_examples=60, deadline=None)
@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 12), st.integers(2, 8)), elements=st.integers(0, 6).map(lambda v: v / 7)
    )
)
def test_any_losses_give_a_distribution(losses):
    correlation = shrunk_correlation(losses)
    assert np.linalg.eigvalsh(correlation).min() > -1e-9
    assert np.diag(correlation).tolist() == [1.0] * len(losses)
    p_best, p_as_good = best(losses, draws=200)
    assert p_best.sum() == pytest.approx(1)
    assert (p_as_good + 1e-12 >= p_best).all()


def test_shrinkage_fades_as_folds_accumulate():
    rng = np.random.default_rng(4)
    mixing = rng.normal(size=(6, 6))
    many, few = mixing @ rng.normal(size=(6, 20_000)), mixing @ rng.normal(size=(6, 6))
    np.testing.assert_allclose(shrunk_correlation(many), np.corrcoef(many), atol=0.01)
    off = ~np.eye(6, dtype=bool)
    assert shrunk_correlation(few)[off].std() < 0.9 * np.corrcoef(few)[off].std()


def test_shrinkage_comes_closer_to_the_truth_than_the_sample():
    """Fourteen models on ten folds: the sample correlation is singular and noisy."""
    rng = np.random.default_rng(7)
    truth = np.full((14, 14), 0.7) + 0.3 * np.eye(14)
    off = ~np.eye(14, dtype=bool)
    shrunk, sample = [], []
    for _ in range(20):
        losses = rng.multivariate_normal(np.zeros(14), truth, 10).T
        shrunk.append(np.square(shrunk_correlation(losses) - truth)[off].mean())
        sample.append(np.square(np.corrcoef(losses) - truth)[off].mean())
    assert np.mean(shrunk) < 0.8 * np.mean(sample)


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match=r"matrix \[model, fold\], and have 1 dimensions"):
        joint_posterior([0.1, 0.2], RATIO)
    with pytest.raises(UsageError, match="must not be negative, and is -1"):
        best(jury(), rope=-1)
