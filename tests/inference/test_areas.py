"""DeLong in time n log n, against the pairs written out and against repeated sampling."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from venire.errors import UsageError
from venire.inference import areas, delong, delong_interval


def by_pairs(y, scores):
    """Areas and covariance from the full matrix of (positive, negative) pairs."""
    y, scores = np.asarray(y, dtype=bool), np.atleast_2d(scores)
    kernel = [np.subtract.outer(s[y], s[~y]) for s in scores]
    kernel = [(k > 0) + 0.5 * (k == 0) for k in kernel]
    tens, ones = np.array([k.mean(axis=1) for k in kernel]), np.array([k.mean(axis=0) for k in kernel])
    return np.array([k.mean() for k in kernel]), np.cov(tens) / y.sum() + np.cov(ones) / (~y).sum()


@pytest.mark.parametrize("levels", [3, 10, 1_000_000])
def test_it_equals_the_pairs_written_out_with_ties(levels):
    rng = np.random.default_rng(levels)
    y = rng.random(120) < 0.3
    scores = np.round((rng.normal(size=(3, 120)) + y) * levels / 4)
    found = areas(y, scores)
    area, covariance = by_pairs(y, scores)
    np.testing.assert_allclose(found.area, area, atol=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-12)
    assert found.area[0] == pytest.approx(roc_auc_score(y, scores[0]))


def test_the_standard_error_is_that_of_repeated_sampling():
    rng = np.random.default_rng(1)
    y = np.arange(200) % 4 == 0
    drawn = [areas(y, y + rng.normal(0, 1, 200)) for _ in range(400)]
    spread = np.std([one.area[0] for one in drawn], ddof=1)
    assert np.sqrt(np.mean([one.covariance[0, 0] for one in drawn])) == pytest.approx(spread, rel=0.1)


def test_equal_models_are_called_different_as_often_as_said():
    rng = np.random.default_rng(2)
    y = np.arange(100) % 2
    p = [delong(y, y + rng.normal(0, 1.5, 100), y + rng.normal(0, 1.5, 100)).p_value for _ in range(600)]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(np.array(p) < 0.5) == pytest.approx(0.5, abs=0.06)


def test_the_better_score_is_better_either_way_round():
    rng = np.random.default_rng(3)
    y = np.arange(300) % 2
    good, poor = y + rng.normal(0, 0.5, 300), y + rng.normal(0, 4, 300)
    ahead = delong(y, good, poor, rope=0.01)
    assert ahead.p_better > 0.999
    assert ahead.difference < 0
    assert ahead.reverse().p_worse == pytest.approx(ahead.p_better)
    assert ahead.p_better + ahead.p_equal + ahead.p_worse == pytest.approx(1)
    assert ahead.method == "delong"


def test_a_score_and_its_copy_do_not_differ():
    y, score = np.arange(20) % 2, np.arange(20.0)
    same = delong(y, score, score)
    assert (same.p_value, same.p_equal, same.difference) == (1.0, 1.0, 0.0)


def test_one_class_leaves_it_undefined():
    assert np.isnan(areas([1, 1, 1], [0.1, 0.2, 0.3]).area[0])
    assert np.isnan(delong([1, 1], [0.1, 0.2], [0.3, 0.1]).p_better)
    assert np.isnan(delong([1, 1], [0.1, 0.2], [0.3, 0.1]).p_value)


def test_a_single_row_of_a_class_shows_no_spread():
    """Its area is known, its variance is not: none would make the interval too narrow."""
    y, score = [0, 0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.35]
    found = areas(y, score)
    assert found.area.tolist() == [0.75]
    assert np.isnan(found.covariance).all()
    assert np.isnan(delong(y, score, score[::-1]).p_better)
    assert not delong_interval([(y, score)]).interval.defined
    other = ([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    mixed, spread = delong_interval([(y, score), other]), areas(*other).covariance[0, 0]
    assert mixed.value == pytest.approx(0.25)
    assert mixed.high - mixed.value == pytest.approx(1.959964 * np.sqrt(spread / 2))


def test_intervals_of_folds_cover_the_mean_area():
    rng = np.random.default_rng(4)
    truth = areas(np.arange(40_000) % 2, (np.arange(40_000) % 2) + rng.normal(0, 1, 40_000)).area[0]
    y = np.arange(40) % 2
    held = 0
    for _ in range(300):
        found = delong_interval([(y, y + rng.normal(0, 1, 40)) for _ in range(5)])
        held += found.low <= 1 - truth <= found.high
    assert held / 300 == pytest.approx(0.95, abs=0.04)


def test_folds_without_both_classes_are_left_out_and_overlap_widens():
    rng = np.random.default_rng(5)
    y = np.arange(60) % 2
    fold = (y, y + rng.normal(0, 1, 60))
    alone, beside = delong_interval([fold]), delong_interval([fold, (np.ones(5), np.arange(5.0))])
    assert (alone.low, alone.high) == (beside.low, beside.high)
    assert "1 fold " in beside.rows
    wider = delong_interval([fold, fold], test_over_train=1 / 2)
    assert wider.interval.width == pytest.approx(alone.interval.width, rel=1e-9)  # (1/2 + 1/2) of one fold's variance
    assert not delong_interval([]).interval.defined


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match=r"scores have the shape \(1, 3\), and there are 2 labels"):
        areas([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(UsageError, match="a score is not a number"):
        areas([0, 1], [0.1, np.nan])
