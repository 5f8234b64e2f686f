"""The textbook figures, scikit-learn's, and what happens at zero."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as reference

from venire.errors import UsageError
from venire.metrics import ConfusionMatrix, confusion_matrix


def test_cancer_figures():
    matrix = ConfusionMatrix(np.array([[90, 210], [140, 9560]]), ("yes", "no"), positive=0)
    assert round(100 * matrix.sensitivity(), 2) == 30.00
    assert round(100 * matrix.specificity(), 2) == 98.56
    assert round(100 * matrix.accuracy, 2) == 96.50
    assert round(100 * matrix.error, 2) == 3.50
    assert round(100 * matrix.precision(), 2) == 39.13
    assert round(100 * matrix.recall(), 2) == 30.00
    assert round(100 * matrix.f_beta(), 2) == 33.96


def test_computer_buyers_totals():
    matrix = ConfusionMatrix(np.array([[6954, 46], [412, 2588]]), ("yes", "no"), positive=0)
    assert matrix.actual.tolist() == [7000, 3000]
    assert matrix.predicted.tolist() == [7366, 2634]
    assert matrix.total == 10000
    assert round(100 * matrix.accuracy, 2) == 95.42
    assert matrix.with_totals().tolist() == [[6954, 46, 7000], [412, 2588, 3000], [7366, 2634, 10000]]


@pytest.mark.parametrize(
    ("flagged", "found", "precision", "recall"), [(54, 18, 1 / 3, 9 / 10), (16, 14, 7 / 8, 7 / 10)]
)
def test_flagging_more_or_less(flagged, found, precision, recall):
    counts = np.array([[found, 20 - found], [flagged - found, 1000]])
    matrix = ConfusionMatrix(counts, ("rare", "other"), positive=0)
    assert matrix.precision() == pytest.approx(precision)
    assert matrix.recall() == pytest.approx(recall)


def test_always_normal_is_accurate_and_worthless():
    matrix = ConfusionMatrix(np.array([[343, 0], [37, 0]]), ("normal", "fraud"), positive=1)
    assert round(matrix.accuracy, 2) == 0.90
    assert matrix.balanced_accuracy == 0.5
    assert np.isnan(matrix.precision())
    assert matrix.f_beta() == 0


@pytest.mark.parametrize("weighted", [False, True])
def test_many_classes_equal_scikit_learn(weighted):
    rng = np.random.default_rng(0)
    y, said = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    w = rng.uniform(size=200) if weighted else None
    matrix = confusion_matrix(y, said, "abcd", weights=w)
    np.testing.assert_allclose(matrix.counts, reference.confusion_matrix(y, said, sample_weight=w))
    assert matrix.labels == ("a", "b", "c", "d")
    assert matrix.balanced_accuracy == pytest.approx(
        reference.balanced_accuracy_score(y, said, sample_weight=w), abs=1e-12
    )
    for beta in (0.5, 1, 2):
        figures = reference.precision_recall_fscore_support(y, said, beta=beta, sample_weight=w)
        got = [(matrix.precision(k), matrix.recall(k), matrix.f_beta(beta, k)) for k in range(4)]
        np.testing.assert_allclose(np.transpose(got), figures[:3], atol=1e-12)


def test_specificity_is_the_recall_of_the_rest():
    y, said = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0, 1, 1, 2, 2, 0, 2])
    matrix = confusion_matrix(y, said, "abc")
    for k in range(3):
        assert matrix.specificity(k) == reference.recall_score(y != k, said != k)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_the_alpha_form_is_the_beta_form(beta):
    matrix = ConfusionMatrix(np.array([[90, 210], [140, 9560]]), ("yes", "no"), positive=0)
    alpha = 1 / (1 + beta**2)
    assert matrix.f_alpha(alpha) == pytest.approx(matrix.f_beta(beta), abs=1e-15)
    assert matrix.f_alpha(1) == pytest.approx(matrix.precision())
    assert matrix.f_alpha(0) == pytest.approx(matrix.recall())


def test_weights_by_class_share_give_the_balanced_accuracy():
    matrix = ConfusionMatrix(np.array([[30, 10, 2], [4, 20, 1], [0, 3, 5]]), ("a", "b", "c"))
    assert matrix.weighted_accuracy(1 / matrix.actual) == pytest.approx(matrix.balanced_accuracy)
    assert matrix.weighted_accuracy(np.ones((3, 3))) == pytest.approx(matrix.accuracy)
    costly_miss = [[1, 1, 1], [1, 1, 1], [9, 9, 1]]
    assert matrix.weighted_accuracy(costly_miss) == pytest.approx(55 / (75 + 8 * 3))


def test_empty_classes_and_empty_matrices_are_undefined_not_wrong():
    matrix = confusion_matrix(np.array([0, 1]), np.array([0, 1]), "abc")
    assert np.isnan([matrix.recall(2), matrix.precision(2), matrix.f_beta(1, 2)]).all()
    assert matrix.balanced_accuracy == 1
    empty = confusion_matrix(np.array([], dtype=int), np.array([], dtype=int), "ab")
    assert np.isnan([empty.accuracy, empty.error, empty.balanced_accuracy]).all()


def test_wrong_requests_are_refused():
    matrix = confusion_matrix(np.array([0, 1]), np.array([0, 1]), "ab")
    with pytest.raises(UsageError, match="no class was named"):
        matrix.recall()
    with pytest.raises(UsageError, match="there is no class 2 among the 2"):
        matrix.precision(2)
    with pytest.raises(UsageError, match="β must not be negative, and is -1"):
        matrix.f_beta(-1, 0)
    with pytest.raises(UsageError, match=r"α must lie between 0 and 1, and is 1\.5"):
        matrix.f_alpha(1.5, 0)
    with pytest.raises(UsageError, match=r"weights of shape \(3,\) do not fit 2 classes"):
        matrix.weighted_accuracy([1, 2, 3])
    with pytest.raises(UsageError, match="2 labels need 2 × 2 counts, and these are 3 × 3"):
        ConfusionMatrix(np.zeros((3, 3)), ("a", "b"))


def test_texts_are_counted_by_their_names():
    found = confusion_matrix(["n", "y", "y"], ["y", "y", "n"], ("n", "y"))
    assert found.counts.tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("y", "predicted", "words"),
    [
        ([0, 1], [0, 2], "2 is no class: codes go from 0 to 1"),
        ([0, -1], [0, 1], "-1 is no class"),
        ([0, 0.5], [0, 1], "0.5 is no class"),
        (["n", "maybe"], ["n", "y"], "maybe is no class"),
        ([0, 1, 1], [0, 1], "3 actual classes and 2 predicted ones"),
    ],
)
def test_what_is_no_class_is_not_counted_as_another(y, predicted, words):
    with pytest.raises(UsageError, match=words):
        confusion_matrix(y, predicted, ("n", "y"))
