"""Logarithms of probabilities, wherever scikit-learn's class has them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from venire import AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier


@pytest.mark.parametrize("kind", [AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier])
def test_they_are_the_logarithms(kind):
    x, y = load_iris(return_X_y=True)
    model = kind(n_estimators=5, random_state=0).fit(x, y)
    assert np.array_equal(np.exp(model.predict_log_proba(x)) > 0, model.predict_proba(x) > 0)
    assert np.exp(model.predict_log_proba(x)) == pytest.approx(model.predict_proba(x))
