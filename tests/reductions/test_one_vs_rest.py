from __future__ import annotations

import numpy as np
import pytest
from sklearn import multiclass
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from venire.errors import DataError, UsageError
from venire.reductions import OneVsRestClassifier

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


def test_one_model_a_class() -> None:
    model = OneVsRestClassifier(GaussianNB()).fit(X, NAMES)
    for k, member in enumerate(model.estimators_):
        alone = GaussianNB().fit(X, np.equal(Y, k).astype(int))
        assert np.allclose(member.predict_proba(X), alone.predict_proba(X))
    assert set(model.predict(X)) == set(NAMES)


@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier(max_depth=4, random_state=0), LogisticRegression(C=0.1), LinearSVC()]
)
def test_it_predicts_as_scikit_learn_does(learner: object) -> None:
    x, y = load_digits(return_X_y=True)
    ours = OneVsRestClassifier(learner).fit(x[:300] / 16, y[:300])
    theirs = multiclass.OneVsRestClassifier(learner).fit(x[:300] / 16, y[:300])
    best = np.sort(ours.votes(x[300:] / 16).weighted, axis=1)
    clear = best[:, -1] > best[:, -2]  # of equals scikit-learn took the last, then the first
    assert (ours.predict(x[300:] / 16) == theirs.predict(x[300:] / 16))[clear].mean() > 0.999


def test_votes() -> None:
    model = OneVsRestClassifier(GaussianNB(), voting="crisp", keep_votes=True).fit(X, Y)
    said = np.stack([member.predict_proba(X)[:, 1] for member in model.estimators_], axis=1)
    mine = said > 0.5
    for k in range(3):
        others = sum((~mine[:, j]).astype(int) for j in range(3) if j != k)
        assert (model.votes_.crisp[:, k] == mine[:, k] + others).all()
    assert np.allclose(model.votes_.weighted, said)
    tied = mine.sum(axis=1) != 1
    assert tied.any()
    assert (
        model.predict(X)[tied]
        == np.where(mine, said, said * (mine.sum(axis=1, keepdims=True) == 0)).argmax(axis=1)[tied]
    ).all()


def test_probabilities_sum_to_one_even_where_all_say_no() -> None:
    model = OneVsRestClassifier(GaussianNB()).fit(X, Y)
    for member in model.estimators_:
        member.predict_proba = lambda rows: np.tile([1.0, 0.0], (len(rows), 1))
    assert np.allclose(model.predict_proba(X), 1 / 3)
    own = OneVsRestClassifier(GaussianNB()).fit(X, Y)
    said = own.votes(X).weighted
    assert np.allclose(own.predict_proba(X), said / said.sum(axis=1, keepdims=True))


def test_two_classes_need_one_model() -> None:
    model = OneVsRestClassifier(LogisticRegression(), voting="crisp").fit(X[:100], Y[:100])
    alone = LogisticRegression().fit(X[:100], Y[:100])
    assert len(model.estimators_) == 1
    assert np.allclose(model.predict_proba(X), alone.predict_proba(X))
    assert (model.predict(X) == alone.predict(X)).all()


def test_weights_classes_and_costs() -> None:
    heavy = OneVsRestClassifier(LogisticRegression(max_iter=1000), class_weight={0: 1, 1: 1, 2: 100}).fit(X, Y)
    assert (heavy.predict(X) == 2).sum() > 55
    costs = 1.0 - np.eye(3)
    costs[2] *= 1000
    assert (OneVsRestClassifier(GaussianNB(), costs=costs).fit(X, Y).predict(X)[Y == 2] == 2).all()


def test_bad_input() -> None:
    with pytest.raises(DataError, match="at least two classes"):
        OneVsRestClassifier(GaussianNB()).fit(X, np.zeros(150, dtype=int))
    with pytest.raises(UsageError, match="'voting' parameter of OneVsRestClassifier must be"):
        OneVsRestClassifier(GaussianNB(), voting="loud").fit(X, Y)
    gaps = X.copy()
    gaps[0, 0] = np.nan
    with pytest.raises(DataError, match=r"member 'setosa against the rest' .* could not be fitted on 150 rows: .*NaN"):
        OneVsRestClassifier(GaussianNB()).fit(gaps, NAMES)
