from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import multiclass
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from venire.errors import DataError, UsageError
from venire.reductions import OneVsOneClassifier

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


def test_one_model_a_pair_fitted_on_the_rows_of_that_pair() -> None:
    model = OneVsOneClassifier(GaussianNB()).fit(X, NAMES)
    assert model.pairs_ == [("setosa", "versicolor"), ("setosa", "virginica"), ("versicolor", "virginica")]
    for member, (first, second) in zip(model.estimators_, model.pairs_, strict=True):
        rows = np.isin(NAMES, [first, second])
        alone = GaussianNB().fit(X[rows], (NAMES[rows] == second).astype(int))
        assert np.allclose(member.predict_proba(X), alone.predict_proba(X))


def test_votes_are_counted_and_weighted() -> None:
    model = OneVsOneClassifier(GaussianNB(), keep_votes=True).fit(X, Y)
    said = np.stack([member.predict_proba(X)[:, 1] for member in model.estimators_], axis=1)
    assert (model.votes_.crisp.sum(axis=1) == 3).all()
    assert np.allclose(model.votes_.weighted[:, 0], (1 - said[:, 0]) + (1 - said[:, 1]))
    assert np.allclose(model.votes_.weighted.sum(axis=1), 3)
    assert (model.votes(X).crisp == model.votes_.crisp).all()
    assert not hasattr(OneVsOneClassifier(GaussianNB()).fit(X, Y), "votes_")


def test_ties_go_to_the_stronger_votes() -> None:
    # Three classes around a point: each beats the next, and the centre is a tie of one vote each.
    model = OneVsOneClassifier(GaussianNB()).fit(X, Y)
    for member, strength in zip(model.estimators_, (0.4, 0.9, 0.3), strict=True):
        member.predict_proba = lambda rows, p=strength: np.tile([1 - p, p], (len(rows), 1))
    votes = model.votes(X[:1])
    assert votes.crisp.tolist() == [[1.0, 1.0, 1.0]]
    assert model.predict(X[:1])[0] == int(votes.weighted.argmax())
    assert votes.weighted.argmax() == 2


@pytest.mark.parametrize("learner", [TREE, LogisticRegression(C=0.1), LinearSVC(), SVC()])
def test_it_predicts_as_scikit_learn_does_but_for_ties(learner: object) -> None:
    x, y = load_digits(return_X_y=True)
    ours = OneVsOneClassifier(learner).fit(x[:300] / 16, y[:300])
    theirs = multiclass.OneVsOneClassifier(learner).fit(x[:300] / 16, y[:300])
    same = ours.predict(x[300:] / 16) == theirs.predict(x[300:] / 16)
    most = np.sort(ours.votes(x[300:] / 16).crisp, axis=1)
    assert same[most[:, -1] > most[:, -2]].all()
    assert ours.score(x[300:] / 16, y[300:]) >= theirs.score(x[300:] / 16, y[300:]) - 0.01


def test_weighted_voting() -> None:
    model = OneVsOneClassifier(GaussianNB(), voting="weighted").fit(X, Y)
    assert (model.predict(X) == model.votes(X).weighted.argmax(axis=1)).all()
    assert (model.decision_function(X) == model.votes(X).weighted).all()


def test_probabilities_are_there_when_the_learner_has_some() -> None:
    assert not hasattr(OneVsOneClassifier(LinearSVC()).fit(X, Y), "predict_proba")
    shares = OneVsOneClassifier(GaussianNB()).fit(X, Y).predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1)


def test_two_classes() -> None:
    model = OneVsOneClassifier(LogisticRegression()).fit(X[:100], Y[:100])
    assert len(model.estimators_) == 1
    assert model.decision_function(X).shape == (150,)
    assert np.allclose(model.predict_proba(X)[:, 1], LogisticRegression().fit(X[:100], Y[:100]).predict_proba(X)[:, 1])


def test_weights_classes_and_costs() -> None:
    weights = np.where(np.arange(150) % 2, 1.0, 0.0)
    weighted = OneVsOneClassifier(GaussianNB()).fit(X, Y, sample_weight=weights)
    half = OneVsOneClassifier(GaussianNB()).fit(X[1::2], Y[1::2])
    assert np.allclose(weighted.votes(X).weighted, half.votes(X).weighted, atol=1e-6)
    heavy = OneVsOneClassifier(LogisticRegression(max_iter=1000), class_weight={0: 1, 1: 1, 2: 100}).fit(X, Y)
    assert (heavy.predict(X) == 2).sum() > 55
    costs = 1.0 - np.eye(3)
    costs[2] *= 1000
    assert (OneVsOneClassifier(GaussianNB(), costs=costs).fit(X, Y).predict(X)[Y == 2] == 2).all()
    assert (OneVsOneClassifier(LinearSVC(), costs=costs).fit(X, Y).predict(X)[Y == 2] == 2).all()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, sparse.csr_array])
def test_frames_and_sparse_rows(make: type) -> None:
    table = make(X) if make is sparse.csr_array else make({f"x{j}": X[:, j] for j in range(4)})
    model = OneVsOneClassifier(KNeighborsClassifier()).fit(table, Y)
    assert (model.predict(table) == OneVsOneClassifier(KNeighborsClassifier()).fit(X, Y).predict(X)).all()


@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
def test_a_tree_still_says_what_it_cannot_take() -> None:
    huge = X.copy()
    huge[0, 0] = 1e300
    with pytest.raises(DataError, match=r"0 against 1.*value too large"):
        OneVsOneClassifier(TREE).fit(huge, Y)


def test_bad_input() -> None:
    with pytest.raises(DataError, match="at least two classes"):
        OneVsOneClassifier(TREE).fit(X, np.zeros(150, dtype=int))
    with pytest.raises(UsageError, match="'voting' parameter of OneVsOneClassifier must be"):
        OneVsOneClassifier(TREE, voting="loud").fit(X, Y)
    with pytest.raises(UsageError, match="does not support sample weights"):
        OneVsOneClassifier(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(150))


def test_ties_of_learners_with_scores_are_broken_as_scikit_learn_breaks_them() -> None:
    rows = np.array([[1, 2], [2, 1], [-2, 1], [-2, -1]])
    target = np.array([2, 0, 1, 2])
    learner = Perceptron(shuffle=False, max_iter=4, tol=None)  # its rows have to come in the order of the table
    ours = OneVsOneClassifier(learner).fit(rows, target)
    theirs = multiclass.OneVsOneClassifier(learner).fit(rows, target)
    assert ours.decision_function(rows) == pytest.approx(theirs.decision_function(rows), abs=1e-6)
    assert np.array_equal(ours.predict(rows), theirs.predict(rows))
