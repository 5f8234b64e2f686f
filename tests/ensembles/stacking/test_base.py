from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from venire import DataError, StackingRegressor


def test_members_that_say_infinite_numbers_are_named_as_the_cause():
    X = np.random.default_rng(0).normal(size=(30, 2))
    stack = StackingRegressor([LinearRegression()]).fit(X, X[:, 0])
    stack.estimators_[0].coef_ = np.array([1e308, 1e308])
    with np.errstate(over="ignore"), pytest.raises(DataError, match="members say infinite numbers"):
        stack.predict(np.full((1, 2), 10.0))
