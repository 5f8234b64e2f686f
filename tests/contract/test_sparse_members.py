"""Linear members get sparse rows as they came, by rows or by columns, from every ensemble and reduction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

import venire

X = sparse.random(200, 30, 0.1, random_state=0, format="csr")
NUMBERS = np.asarray(X[:, :4].sum(axis=1)).ravel()
TWO = (np.median(NUMBERS) < NUMBERS).astype(int)
THREE = TWO + (np.arange(200) % 3 == 0)


def refuse_dense(X: Any) -> None:
    """Fail, as a learner would run out of memory, where rows were made dense."""
    if not sparse.issparse(X):
        raise AssertionError("the rows were made dense")


class SparseLogistic(LogisticRegression):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        refuse_dense(X)
        return super().fit(X, y, sample_weight)

    def decision_function(self, X: Any) -> Any:
        refuse_dense(X)
        return super().decision_function(X)

    def predict_proba(self, X: Any) -> Any:
        refuse_dense(X)
        return super().predict_proba(X)


class SparseRidge(Ridge):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        refuse_dense(X)
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        refuse_dense(X)
        return super().predict(X)


def models(logit: Any, line: Any) -> list[tuple[Any, Any]]:
    """Every ensemble and reduction over these learners, and a target."""
    pair = [("a", logit), ("b", clone(logit))]
    return [
        (venire.BaggingClassifier(logit, 3, max_features=0.5, random_state=0), THREE),
        (venire.StackingClassifier(pair, cv=3), THREE),
        (venire.StackingClassifier(pair, cv=3, passthrough=True), TWO),
        (venire.VotingClassifier(pair, voting="greedy"), THREE),
        (venire.AdaBoostClassifier(logit, n_estimators=3, random_state=0), THREE),
        (venire.OneVsRestClassifier(logit), THREE),
        (venire.OneVsOneClassifier(logit), THREE),
        (venire.OutputCodes(logit, random_state=0), THREE),
        (venire.BucketOfModels(pair), TWO),
        (venire.CostThreshold(logit, costs=[[0, 1], [2, 0]]), TWO),
        (venire.Resampled(logit, random_state=0), THREE),
        (venire.BaggingRegressor(line, 3, random_state=0), np.c_[NUMBERS, -NUMBERS]),
        (venire.StackingRegressor([("a", line)], cv=3), NUMBERS),
        (venire.VotingRegressor([("a", line)]), NUMBERS),
        (venire.AdditiveRegressor(line), NUMBERS),
    ]


PAIRS = list(
    zip(models(SparseLogistic(), SparseRidge()), models(LogisticRegression(), Ridge(solver="lsqr")), strict=True)
)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(("sparsely", "densely"), PAIRS, ids=[type(one[0]).__name__ for one, _ in PAIRS])
def test_members_get_sparse_rows_as_they_came(sparsely: Any, densely: Any, form: str) -> None:
    """And the model is the one of the dense rows, but for what solvers round."""
    (model, target), (dense, _) = sparsely, densely
    rows = X.asformat(form)
    predicted = clone(model).fit(rows, target).predict(rows)
    wanted = clone(dense).fit(X.toarray(), target).predict(X.toarray())
    if target is TWO or target is THREE:
        assert (predicted == wanted).mean() > 0.98
    else:
        assert predicted == pytest.approx(wanted, abs=0.01 * np.ptp(NUMBERS))


def test_a_dense_row_would_be_seen() -> None:
    with pytest.raises(AssertionError, match="made dense"):
        venire.VotingClassifier([("a", SparseLogistic())]).fit(X.toarray(), TWO)
