"""The short way past scikit-learn's checks is open to rows that would pass them, and to no others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from venire.models.few_rows import FEW_ROWS, fits_plainly, require_fitted
from venire.models.tree.estimators import DecisionTreeClassifier

X = np.array([[0.0, 1.0], [1.0, np.nan], [2.0, 3.0], [3.0, 0.0]])


def test_plain_rows_pass_and_others_do_not():
    tree = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert fits_plainly(tree, X)
    assert fits_plainly(tree, X.astype(np.float32))
    for other in (
        X[:, :1],
        X[0],
        X.tolist(),
        X[:0],
        np.zeros((FEW_ROWS + 1, 2)),
        np.full((1, 2), np.inf),
        np.zeros((1, 2), dtype=int),
    ):
        assert not fits_plainly(tree, other)


def test_names_of_columns_are_always_compared():
    tree = DecisionTreeClassifier().fit(pd.DataFrame(X, columns=["a", "b"]), [0, 0, 1, 1])
    assert not fits_plainly(tree, X)


def test_what_is_not_fitted_is_not_asked():
    tree = DecisionTreeClassifier()
    assert not fits_plainly(tree, X)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        require_fitted(tree, "_forest")
    require_fitted(tree.fit(X, [0, 0, 1, 1]), "_forest")


def test_wrong_rows_are_refused_as_before():
    tree = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="1 features"):
        tree.predict(X[:, :1])
    with pytest.raises(ValueError, match="infinity"):
        tree.predict(np.full((1, 2), np.inf))
