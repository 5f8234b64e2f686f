"""Several labels a row at once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sklearn.multiclass
from scipy.sparse import csr_array, issparse
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from venire.ensembles.error_classes import SeveralTargets
from venire.errors import UsageError
from venire.reductions.one_vs_rest import OneVsRestClassifier


@pytest.mark.parametrize("learner", [LogisticRegression(max_iter=1000), GaussianNB(), LinearSVC(), LinearRegression()])
def test_labels_are_those_of_scikit_learn(learner: Any) -> None:
    x, y = make_multilabel_classification(200, 8, n_classes=4, random_state=1)
    ours = OneVsRestClassifier(learner).fit(x, y)
    theirs = sklearn.multiclass.OneVsRestClassifier(learner).fit(x, y)
    assert ours.multilabel_
    assert np.array_equal(ours.predict(x), theirs.predict(x))
    assert hasattr(ours, "predict_proba") == hasattr(theirs, "predict_proba")
    if hasattr(theirs, "predict_proba"):
        assert ours.predict_proba(x) == pytest.approx(theirs.predict_proba(x))
    if hasattr(theirs, "decision_function"):
        assert ours.decision_function(x) == pytest.approx(theirs.decision_function(x))
    again = pickle.loads(pickle.dumps(ours))  # noqa: S301  # our own bytes
    assert np.array_equal(again.predict(x), ours.predict(x))


def test_a_sparse_indicator_gives_a_sparse_one() -> None:
    x, y = make_multilabel_classification(100, 5, n_classes=3, random_state=0)
    told = OneVsRestClassifier(GaussianNB()).fit(x, csr_array(y)).predict(x)
    assert issparse(told)
    assert np.array_equal(told.toarray(), OneVsRestClassifier(GaussianNB()).fit(x, y).predict(x))


def test_what_is_for_one_class_a_row_is_refused() -> None:
    x, y = make_multilabel_classification(50, 5, n_classes=3, random_state=0)
    with pytest.raises(UsageError, match="y has several labels"):
        OneVsRestClassifier(GaussianNB(), class_weight="balanced").fit(x, y)
    model = OneVsRestClassifier(GaussianNB()).fit(x, y)
    with pytest.raises(UsageError, match="this model knows labels"):
        model.votes(x)
    with pytest.raises(SeveralTargets, match="Multioutput target data"):
        OneVsRestClassifier(GaussianNB()).fit(x, y + np.arange(3))
