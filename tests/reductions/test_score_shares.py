"""Scores given out as probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from venire.data.generators import gaussian_clouds
from venire.errors import UsageError
from venire.reductions.score_shares import ScoreShares, shares_of


@pytest.mark.parametrize("classes", [2, 4])
def test_labels_and_ranks_are_the_classifier_s(classes: int) -> None:
    X, y = gaussian_clouds(200, np.random.default_rng(0), classes=classes, distance=2.0)
    alone, shared = RidgeClassifier().fit(X, y), ScoreShares(RidgeClassifier()).fit(X, y)
    said = shared.predict_proba(X)
    np.testing.assert_allclose(said.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shared.predict(X), alone.predict(X))
    np.testing.assert_array_equal(shared.classes_[said.argmax(axis=1)], alone.predict(X))
    scores = alone.decision_function(X)
    if classes == 2:
        np.testing.assert_allclose(said[:, 1], 1 / (1 + np.exp(-2 * scores)))
    else:
        np.testing.assert_allclose(np.log(said[:, 0] / said[:, 1]), scores[:, 0] - scores[:, 1])
    around = ScoreShares.around(alone)
    np.testing.assert_array_equal(around.predict_proba(X), said)


def test_far_scores_stay_numbers() -> None:
    assert shares_of(np.array([[-1e6, 1e6]])).tolist() == [[0.0, 1.0]]


def test_a_classifier_without_scores_is_refused() -> None:
    with pytest.raises(UsageError, match="GaussianNB gives no scores"):
        ScoreShares(GaussianNB()).fit([[0.0], [1.0]], [0, 1])
