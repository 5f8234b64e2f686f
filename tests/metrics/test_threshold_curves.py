"""The curves are scikit-learn's, with ties right, and the gears figures are the textbook's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as reference
from sklearn.calibration import calibration_curve as reference_calibration

from venire.errors import UsageError
from venire.metrics import calibration_curve, cost_curve, precision_recall_curve, roc_curve


def scored(seed: int, levels: int = 7, rows: int = 80):
    """Rows with many tied scores, and weights."""
    rng = np.random.default_rng(seed)
    positive = rng.permutation(np.arange(rows) % 3 == 0)
    return positive, (rng.integers(0, levels, rows) + positive) / (levels + 1), rng.uniform(0.1, 2, rows)


def test_gears():
    gears = np.repeat([3, 4, 5, 3, 4, 5], [13, 2, 2, 2, 10, 3])
    high = np.repeat([False, True], [17, 15])
    curve = roc_curve(high, gears)
    np.testing.assert_allclose(curve.fpr, [0, 2 / 17, 4 / 17, 1])
    np.testing.assert_allclose(curve.tpr, [0, 3 / 15, 13 / 15, 1])
    assert curve.thresholds.tolist() == [np.inf, 5, 4, 3]
    assert round(curve.auc, 3) == 0.788


@pytest.mark.parametrize("weighted", [False, True])
def test_roc_equals_scikit_learn(weighted):
    positive, score, weights = scored(1)
    w = weights if weighted else None
    curve = roc_curve(positive, score, w)
    expected = reference.roc_curve(positive, score, sample_weight=w, drop_intermediate=False)
    for got, figures in zip((curve.fpr, curve.tpr, curve.thresholds), expected, strict=True):
        np.testing.assert_allclose(got, figures, atol=1e-12)
    assert curve.auc == pytest.approx(reference.roc_auc_score(positive, score, sample_weight=w), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_precision_recall_equals_scikit_learn(weighted):
    positive, score, weights = scored(2)
    w = weights if weighted else None
    curve = precision_recall_curve(positive, score, w)
    precision, recall, thresholds = reference.precision_recall_curve(positive, score, sample_weight=w)
    np.testing.assert_allclose(curve.precision, precision[::-1], atol=1e-12)
    np.testing.assert_allclose(curve.recall, recall[::-1], atol=1e-12)
    np.testing.assert_allclose(curve.thresholds[1:], thresholds[::-1])
    expected = reference.average_precision_score(positive, score, sample_weight=w)
    assert curve.average_precision == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_calibration_equals_scikit_learn(strategy):
    rng = np.random.default_rng(3)
    probability = rng.beta(1, 3, 300)
    positive = rng.uniform(size=300) < probability
    curve = calibration_curve(positive, probability, bins=8, strategy=strategy)
    observed, predicted = reference_calibration(positive, probability, n_bins=8, strategy=strategy)
    np.testing.assert_allclose(curve.observed, observed, atol=1e-12)
    np.testing.assert_allclose(curve.predicted, predicted, atol=1e-12)
    assert curve.count.sum() == 300
    gaps = np.abs(observed - predicted) * curve.count / 300
    assert curve.expected_calibration_error == pytest.approx(gaps.sum())


def test_a_constant_probability_makes_one_bin():
    curve = calibration_curve(np.array([True, False, False, False]), np.full(4, 0.25))
    assert (curve.predicted.tolist(), curve.observed.tolist(), curve.count.tolist()) == ([0.25], [0.25], [4])
    assert curve.expected_calibration_error == 0


def test_cost_is_the_cheapest_threshold():
    positive, score, _ = scored(4)
    roc = roc_curve(positive, score)
    curve = cost_curve(roc, points=21)
    np.testing.assert_allclose(curve.probability_cost, np.linspace(0, 1, 21))
    assert (curve.expected_cost <= np.minimum(curve.probability_cost, 1 - curve.probability_cost) + 1e-15).all()
    for x, cost, threshold in zip(curve.probability_cost, curve.expected_cost, curve.thresholds, strict=True):
        flagged = score >= threshold
        spent = x * np.mean(~flagged[positive]) + (1 - x) * np.mean(flagged[~positive])
        assert cost == pytest.approx(spent, abs=1e-12)
        for other in [*np.unique(score), np.inf]:
            flagged = score >= other
            assert cost <= x * np.mean(~flagged[positive]) + (1 - x) * np.mean(flagged[~positive]) + 1e-12


def test_a_perfect_model_costs_nothing():
    roc = roc_curve(np.array([False, True]), np.array([0.1, 0.9]))
    assert roc.auc == 1
    assert cost_curve(roc).expected_cost.max() == 0


def test_thinning_keeps_the_ends_and_the_shape():
    rng = np.random.default_rng(5)
    positive = rng.uniform(size=5000) < 0.3
    score = rng.normal(size=5000) + positive
    full, few = roc_curve(positive, score), roc_curve(positive, score).thinned(200)
    assert len(few.fpr) <= 200 < len(full.fpr)
    assert (few.fpr[0], few.tpr[0], few.fpr[-1], few.tpr[-1]) == (0, 0, 1, 1)
    assert few.auc == pytest.approx(full.auc, abs=0.005)
    assert len(precision_recall_curve(positive, score).thinned(50).recall) <= 50
    assert full.thinned(10**6).fpr.tolist() == full.fpr.tolist()


@pytest.mark.parametrize("curve", [roc_curve, precision_recall_curve])
def test_rows_of_one_class_have_no_curve(curve):
    with pytest.raises(UsageError, match="needs positive and negative rows; all 3 are negative"):
        curve(np.zeros(3, dtype=bool), np.arange(3))
    with pytest.raises(UsageError, match="1 of 2 scores are not numbers"):
        curve(np.array([True, False]), np.array([0.5, np.nan]))


def test_wrong_requests_are_refused():
    truth, said = np.array([True, False]), np.array([0.2, 0.4])
    with pytest.raises(UsageError, match="at least two points, and 1 were asked for"):
        roc_curve(truth, said).thinned(1)
    with pytest.raises(UsageError, match="probabilities between 0 and 1"):
        calibration_curve(truth, said * 9)
    with pytest.raises(UsageError, match="at least one bin, and 0 were asked for"):
        calibration_curve(truth, said, bins=0)


def test_calibration_takes_a_mean_of_ones_that_rounding_put_above_one() -> None:
    curve = calibration_curve(np.array([False, True]), np.array([-1e-17, 1.0000000000000002]), bins=2)
    assert curve.predicted.tolist() == [0.0, 1.0]
    with pytest.raises(UsageError, match="probabilities between 0 and 1"):
        calibration_curve(np.array([False, True]), np.array([0.0, 1.001]))


@pytest.mark.parametrize("positive", [["no", "yes"], [-1, 1], [1, 2]])
def test_positive_rows_are_told_by_true_and_false(positive):
    with pytest.raises(UsageError, match="given as true and false, or 1 and 0"):
        roc_curve(positive, [0.1, 0.9])


def test_every_row_has_a_score():
    with pytest.raises(UsageError, match="2 rows and 3 scores"):
        roc_curve([0, 1], [0.1, 0.2, 0.3])
