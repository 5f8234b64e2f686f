"""Two-class models that learn in parts, from kernels, and from regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from venire.errors import DataError
from venire.reductions.one_vs_one import OneVsOneClassifier
from venire.reductions.one_vs_rest import OneVsRestClassifier


@pytest.mark.parametrize("kind", [OneVsOneClassifier, OneVsRestClassifier])
def test_parts_give_what_the_whole_does(kind: Any) -> None:
    x, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    whole, parts = kind(GaussianNB()).fit(x, y), kind(GaussianNB())
    for rows in (order[:80], order[80:]):
        parts.partial_fit(x[rows], y[rows], classes=np.unique(y))
    assert parts.predict_proba(x) == pytest.approx(whole.predict_proba(x), abs=1e-6)
    with pytest.raises(DataError, match="Mini-batch contains"):
        parts.partial_fit(x, y + 1)
    assert not hasattr(kind(SVC()), "partial_fit")


@pytest.mark.parametrize("kind", [OneVsOneClassifier, OneVsRestClassifier])
def test_a_kernel_matrix_stands_for_its_rows(kind: Any) -> None:
    x, y = load_iris(return_X_y=True)
    kernel = x @ x.T
    plain, given = kind(SVC(kernel="linear")).fit(x, y), kind(SVC(kernel="precomputed")).fit(kernel, y)
    assert np.array_equal(given.predict(kernel), plain.predict(x))
    assert given.__sklearn_tags__().input_tags.pairwise


@pytest.mark.parametrize("kind", [OneVsOneClassifier, OneVsRestClassifier])
def test_a_regressor_speaks_by_its_number(kind: Any) -> None:
    x, y = load_iris(return_X_y=True)
    model = kind(LinearRegression()).fit(x, y)
    assert model.score(x, y) > 0.8
    assert model.n_classes_ == 3
