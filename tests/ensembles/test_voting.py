from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from venire.data.generators import banana, linear_sinusoid
from venire.ensembles.voting import VotingClassifier, VotingRegressor
from venire.errors import DataError, UsageError, VenireWarning
from venire.models.tree.estimators import DecisionTreeClassifier

X, Y = load_iris(return_X_y=True)
MEMBERS = [("bayes", GaussianNB()), ("near", KNeighborsClassifier()), ("tree", DecisionTreeClassifier(max_depth=2))]
FITTED = [clone(member).fit(X, Y) for _, member in MEMBERS]
SHARES = np.stack([member.predict_proba(X) for member in FITTED])
VOTES = np.stack([np.eye(3)[member.predict(X)] for member in FITTED])


def test_crisp_average_and_confidence() -> None:
    crisp = VotingClassifier(MEMBERS, voting="crisp").fit(X, Y)
    assert np.allclose(crisp.predict_proba(X), VOTES.mean(axis=0))
    mean = VotingClassifier(MEMBERS).fit(X, Y)
    assert np.allclose(mean.predict_proba(X), SHARES.mean(axis=0))
    sure = VotingClassifier(MEMBERS, voting="confidence").fit(X, Y)
    weighted = (VOTES * SHARES.max(axis=2, keepdims=True)).sum(axis=0)
    assert np.allclose(sure.predict_proba(X), weighted / weighted.sum(axis=1, keepdims=True))


def test_given_weights() -> None:
    jury = VotingClassifier(MEMBERS, weights=[2, 1, 1]).fit(X, Y)
    assert np.allclose(jury.weights_, [0.5, 0.25, 0.25])
    assert np.allclose(jury.predict_proba(X), np.average(SHARES, axis=0, weights=[2, 1, 1]))


def test_error_weights_are_log_odds_of_held_out_accuracy() -> None:
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    members = [*MEMBERS, ("guess", DummyClassifier())]
    jury = VotingClassifier(members, voting="error", cv=folds).fit(X, Y)
    errors = [(cross_val_predict(clone(m), X, Y, cv=folds) != Y).mean() for _, m in members]
    assert np.allclose(jury.errors_, errors)
    odds = np.maximum(np.log((1 - np.array(errors)) * 2 / np.array(errors)), 0)
    assert np.allclose(jury.weights_, odds / odds.sum())
    assert jury.weights_[3] == 0


def test_equal_weights_when_nobody_beats_guessing() -> None:
    jury = VotingClassifier([("a", DummyClassifier()), ("b", DummyClassifier())], voting="error").fit(X, Y)
    assert (jury.weights_ == 0.5).all()


def test_greedy_selection_beats_or_equals_every_member_on_the_held_out_rows() -> None:
    jury = VotingClassifier(MEMBERS, voting="greedy", metric="log_loss", steps=20).fit(X, Y)
    assert np.isclose(jury.weights_.sum(), 1)
    assert len(jury.path_.picks) == 20
    assert min(jury.path_.losses) <= jury.path_.losses[0]
    assert np.allclose(jury.predict_proba(X), np.tensordot(jury.weights_, SHARES, axes=1))


@pytest.mark.parametrize("voting", ["average", "error", "greedy"])
def test_fitted_members_are_not_touched(voting: str) -> None:
    half = np.arange(150) % 2 == 0
    fitted = [(name, clone(member).fit(X[half], Y[half])) for name, member in MEMBERS]
    jury = VotingClassifier(fitted, voting=voting, prefit=True).fit(X[~half], Y[~half])
    assert [one is two for one, (_, two) in zip(jury.estimators_, fitted, strict=True)] == [True] * 3
    assert jury.score(X[~half], Y[~half]) > 0.9


def test_fitted_members_know_their_classes() -> None:
    two = [("bayes", GaussianNB().fit(X[:100], Y[:100])), ("near", KNeighborsClassifier().fit(X, Y))]
    jury = VotingClassifier(two, prefit=True).fit(X[:50], Y[:50])
    assert jury.predict_proba(X).shape == (150, 3)
    with pytest.raises(DataError, match="class 2 is known to no member"):
        VotingClassifier(two[:1], prefit=True).fit(X, Y)
    with pytest.raises(UsageError, match=r"member 'raw' \(GaussianNB\) is not fitted"):
        VotingClassifier([("raw", GaussianNB())], prefit=True).fit(X, Y)


def test_a_hold_out_part_decides() -> None:
    jury = VotingClassifier(MEMBERS, voting="error", cv=0.33).fit(X, Y)
    assert all(round(error * 50, 6) == round(error * 50) for error in jury.errors_)


def test_members_without_probabilities_vote() -> None:
    jury = VotingClassifier([("line", Perceptron()), ("bayes", GaussianNB())]).fit(X, Y)
    line = np.eye(3)[jury.named_estimators_["line"].predict(X)]
    assert np.allclose(jury.predict_proba(X), (line + SHARES[0]) / 2)


def test_weights_of_rows_classes_and_costs() -> None:
    x, y = banana(200, np.random.default_rng(0))
    members = [("bayes", GaussianNB()), ("logistic", LogisticRegression())]
    rows = np.where(x[:, 0] > 0, 1.0, 0.0)
    weighted = VotingClassifier(members).fit(x, y, sample_weight=rows)
    part = VotingClassifier(members).fit(x[rows > 0], y[rows > 0])
    assert np.allclose(weighted.predict_proba(x), part.predict_proba(x), atol=1e-4)
    heavy = VotingClassifier(members, class_weight={0: 1, 1: 20}).fit(x, y)
    assert (heavy.predict(x) == 1).mean() > 0.6
    shy = VotingClassifier(members, costs=[[0, 1], [20, 0]]).fit(x, y)
    assert (shy.predict(x) == (shy.predict_proba(x)[:, 1] > 1 / 21)).all()


def test_a_class_with_one_row_is_said_and_survives() -> None:
    y = np.where(np.arange(150) == 0, 7, Y)
    with pytest.warns(VenireWarning, match="class 7 has one row only"):
        jury = VotingClassifier([("tree", DecisionTreeClassifier()), MEMBERS[1]], voting="error").fit(X, y)
    assert jury.predict_proba(X).shape == (150, 4)


def test_parameters_of_members_are_reached_by_name() -> None:
    search = GridSearchCV(
        VotingClassifier(MEMBERS), {"tree__max_depth": [1, 3], "near": [KNeighborsClassifier(3)]}, cv=3
    )
    best = search.fit(X, Y).best_estimator_
    assert best.named_estimators_["near"].n_neighbors == 3


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"voting": "loud"}, "'voting' parameter of VotingClassifier must be"),
        ({"weights": [1, 2]}, "got 2 weights, 3 estimators"),
        ({"weights": [1, -2, 1]}, "none negative"),
        ({"weights": [1, 1, 1], "voting": "greedy"}, "voting='greedy' finds its own"),
        ({"voting": "error", "cv": 1}, "cv=1 is neither a number of folds"),
        ({"voting": "error", "cv": "many"}, "cv='many' is neither"),
        ({"voting": "greedy", "metric": "rmse"}, "'metric' parameter"),
        ({"voting": "greedy", "metric": "cost"}, "greedy selection by cost is not offered"),
        ({"steps": 0}, "'steps' parameter"),
    ],
)
def test_parameters_out_of_range(params: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        VotingClassifier(MEMBERS, **params).fit(X, Y)  # type: ignore[arg-type]  # that is the point


def test_more_folds_than_rows() -> None:
    with pytest.raises(DataError, match="cv=60 cannot divide 150 rows: n_splits=60 cannot be greater"):
        VotingClassifier(MEMBERS, voting="error", cv=60).fit(X, Y)


def test_weights_for_a_learner_that_takes_none() -> None:
    with pytest.raises(UsageError, match=r"member 'near': Underlying estimator KNeighborsClassifier does not support"):
        VotingClassifier(MEMBERS).fit(X, Y, sample_weight=np.ones(150))


def test_numbers() -> None:
    x, y = linear_sinusoid(150, np.random.default_rng(0))
    members = [("line", LinearRegression()), ("near", KNeighborsRegressor())]
    each = np.stack([clone(member).fit(x, y).predict(x) for _, member in members])
    assert np.allclose(VotingRegressor(members).fit(x, y).predict(x), each.mean(axis=0))
    weighted = VotingRegressor(members, weights=[3, 1]).fit(x, y)
    assert np.allclose(weighted.predict(x), np.average(each, axis=0, weights=[3, 1]))
    by_error = VotingRegressor(members, voting="error").fit(x, y)
    assert np.allclose(by_error.weights_, (1 / by_error.errors_) / (1 / by_error.errors_).sum())
    greedy = VotingRegressor(members, voting="greedy").fit(x, y)
    assert greedy.weights_[1] > 0.9
    exact = VotingRegressor([("line", LinearRegression()), ("near", KNeighborsRegressor())], voting="error")
    assert exact.fit(x, x[:, 0]).weights_[0] > 0.99
    fitted = [(name, clone(member).fit(x, y)) for name, member in members]
    assert VotingRegressor(fitted, voting="error", prefit=True).fit(x, y).score(x, y) > 0.8
