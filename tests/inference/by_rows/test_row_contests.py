"""Models compared by rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from venire.data.table import Task
from venire.errors import UsageError
from venire.inference import RowContest, RowsTested, row_contest
from venire.inference.by_rows.row_contests import _posterior
from venire.metrics import Output, metric
from venire.metrics.predictions import Predictions

ERROR = metric("error", Task.CLASSIFICATION)


def contest(*wrong: np.ndarray, overlap: float = 1.5, groups=None) -> RowContest:
    losses = np.array(wrong, dtype=float)
    return RowContest(losses.mean(axis=1), losses - losses.mean(axis=1, keepdims=True), overlap, groups)


def upto(*counts: int, rows: int = 100) -> list[np.ndarray]:
    return [np.arange(rows) < count for count in counts]


def best(found: RowContest, **options):
    return found.probability_best(np.random.default_rng(0), **options)


def test_a_difference_by_hand():
    rng = np.random.default_rng(3)
    losses = rng.gamma(2.0, 1.0, (2, 60))
    between = losses[0] - losses[1]
    moved = between - between.mean()
    squares = np.square(moved)
    kurtosis = 60 * np.square(squares).sum() / squares.sum() ** 2
    doubt = (stats.t(np.clip(2 * 60 / (kurtosis - 1), 3, 59)).ppf(0.025) / stats.norm.ppf(0.025)) ** 2
    variance = doubt * 1.5 * squares.sum() / 60**2 + (np.abs(moved).max() * 1.5 / 60) ** 2
    found = contest(*losses).posterior().compare(0, 1)
    assert found.difference == pytest.approx(between.mean())
    assert found.posterior.scale == pytest.approx(np.sqrt(variance))
    assert found.p_better == pytest.approx(stats.t(59).cdf(-between.mean() / np.sqrt(variance)))


@pytest.mark.parametrize("models", [2, 3, 8])
def test_draws_differ_as_the_pairs_do_or_by_more(models):
    rng = np.random.default_rng(models)
    losses = (rng.random((models, 80)) < np.linspace(0.1, 0.4, models)[:, None]).astype(float)
    posterior = contest(*losses).posterior()
    drawn = posterior.draw(np.random.default_rng(1), 40_000)
    for one in range(models):
        for other in range(one):
            spread = (drawn[:, one] - drawn[:, other]).std() * np.sqrt((posterior.df - 2) / posterior.df)
            assert spread >= 0.98 * posterior.apart[one, other]
            assert spread <= 1.25 * posterior.apart[one, other]


def test_one_row_more_is_no_proof():
    """Two models without a mistake share what a third with one mistake leaves, and it keeps a fair part."""
    p_best, p_as_good = best(contest(*upto(0, 0, 1)))
    assert p_best[0] == p_best[1]
    assert 0.3 < p_best[0] < 0.45
    assert 0.1 < p_best[2] < 0.35
    assert p_best.sum() == pytest.approx(1)
    assert p_as_good[0] >= p_best[0] + p_best[1] - 1e-9


def test_models_that_never_err_share_alike():
    assert best(contest(*upto(0, 0, 0, 0)))[0].tolist() == [0.25] * 4


def test_models_that_err_on_other_rows_are_not_equal_for_certain():
    first, second = upto(5, 0)[0], np.roll(upto(5, 0)[0], 50)
    found = contest(first, second).posterior().compare(0, 1)
    assert found.p_better == pytest.approx(0.5)
    assert best(contest(first, second, *upto(6)))[0].sum() == pytest.approx(1)


def test_a_copy_shares_and_moves_nobody_else():
    some = upto(10, 14, 20)
    alone, twice = best(contest(*some))[0], best(contest(some[0], some[1], some[0], some[2]))[0]
    np.testing.assert_allclose(twice, [alone[0] / 2, alone[1], alone[0] / 2, alone[2]], atol=1e-12)


def test_rows_of_a_group_count_as_fewer():
    groups = np.repeat(np.arange(10), 10)
    alone, grouped = contest(*upto(10, 30)), contest(*upto(10, 30), groups=groups)
    assert grouped.posterior().compare(0, 1).posterior.scale > 2 * alone.posterior().compare(0, 1).posterior.scale
    assert grouped.posterior().df == 9


def test_repeats_do_not_make_rows_of_one():
    """Five repeats in which every row is predicted alike say what one says."""
    y = np.tile([0, 1], 40)
    said = [Predictions(np.where(np.arange(80) < wrong, 1 - y, y), None, Output.LABELS) for wrong in (8, 20)]
    again = [Predictions(np.tile(one.labels, 5), None, Output.LABELS) for one in said]
    at = np.arange(80)
    shared = {"folds": 10, "test_over_train": 1 / 9}
    once = row_contest(ERROR, y, said, RowsTested(at, at % 10, **shared))
    folds = np.concatenate([at % 10 + 10 * repeat for repeat in range(5)])
    five = row_contest(ERROR, np.tile(y, 5), again, RowsTested(np.tile(at, 5), folds, **shared))
    np.testing.assert_allclose(five.influence, once.influence, atol=1e-12)
    assert five.posterior().compare(0, 1).p_better == pytest.approx(once.posterior().compare(0, 1).p_better)


def test_many_rows_are_added_up_in_parts_and_say_the_same():
    rng = np.random.default_rng(0)
    at, y = np.arange(150_000), rng.integers(0, 2, 150_000)
    said = [Predictions(np.where(rng.random(len(y)) < p, 1 - y, y), None, Output.LABELS) for p in (0.2, 0.203)]
    found = row_contest(ERROR, y, said, RowsTested(at, at % 5, folds=5, test_over_train=1 / 4))
    assert found.influence.shape[1] <= 1 << 16
    between = (said[0].labels != y).astype(float) - (said[1].labels != y)
    plain = np.sqrt(found.overlap * between.var() / len(y))
    assert found.posterior().compare(0, 1).posterior.scale == pytest.approx(plain, rel=0.02)


def test_an_absent_model_is_left_out():
    some = contest(*upto(10, 12, 20)).without([False, True, False])
    p_best, _ = best(some)
    assert np.isnan(p_best[1])
    np.testing.assert_allclose(p_best[[0, 2]], best(contest(*upto(10, 20)))[0], atol=0.02)
    assert np.isnan(some.posterior().compare(0, 1).p_better)
    assert np.isnan(best(some.without([True] * 3))[0]).all()


def test_one_row_says_nothing():
    assert np.isnan(best(contest(np.array([1.0]), np.array([0.0])))[0]).all()


def test_a_negative_region_is_refused():
    with pytest.raises(UsageError, match="negative"):
        best(contest(*upto(1, 2)), rope=-0.1)


def test_the_region_of_equivalence_is_around_the_best():
    p_best, p_as_good = best(contest(*upto(10, 11, 40)), rope=0.05)
    assert (p_as_good >= p_best).all()
    assert p_as_good[1] > 0.9
    assert p_as_good[2] < 0.05


def test_pairs_of_distances_become_a_covariance():
    rng = np.random.default_rng(2)
    losses = rng.normal(size=(5, 40))
    found = _posterior(contest(*losses), 0.95)
    joint = found.correlation * found.scale[:, None] * found.scale[None, :]
    assert np.linalg.eigvalsh(joint).min() > -1e-12


def test_what_models_share_is_a_matter_of_the_loss():
    """An order shares all of its luck where nothing is there to learn, and little where rows are surely in order."""
    rng, at = np.random.default_rng(0), np.arange(200)
    y = at % 2
    tested = RowsTested(at, at // 2 % 10, folds=10, test_over_train=1 / 9)

    def overlap(name: str, apart: float) -> float:
        score = rng.standard_normal(200) + apart * y
        share = 1 / (1 + np.exp(-score))
        said = Predictions((share > 0.5).astype(int), np.column_stack([1 - share, share]), Output.PROBABILITIES)
        return row_contest(metric(name, Task.CLASSIFICATION, positive=1), y, [said], tested).overlap

    assert overlap("log_loss", 1.0) == overlap("error", 1.0) == 1.5
    assert overlap("f1", 1.0) == 2
    assert overlap("auc", 0.0) > 1.8
    assert overlap("auc", 2.0) == pytest.approx(1 + 0.2 * 10 / 9, abs=0.01)


def test_equal_learners_of_nothing_are_seldom_called_different_by_their_order():
    """Simulation: 300 tables of noise, and two learners that each see half of the columns."""
    called, auc = 0, metric("auc", Task.CLASSIFICATION)
    at = np.arange(80)
    tested = RowsTested(at, at % 10, folds=10, test_over_train=1 / 9)
    for seed in range(300):
        rng = np.random.default_rng([9, seed])
        X, y = rng.standard_normal((80, 6)), rng.permutation(at % 2)
        said = []
        for columns in (slice(0, 3), slice(3, 6)):
            score = np.empty(80)
            for fold in range(10):
                train, test = at % 10 != fold, at % 10 == fold
                direction = X[train & (y == 1), columns].mean(axis=0) - X[train & (y == 0), columns].mean(axis=0)
                score[test] = X[test, columns] @ direction
            said.append(Predictions(None, score[:, None], Output.SCORES))
        called += row_contest(auc, y, said, tested).posterior().compare(0, 1).p_better > 0.95
    assert called <= 300 * 0.05 + 2 * np.sqrt(300 * 0.05 * 0.95)
