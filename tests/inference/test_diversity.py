"""Agreement, κ and ρ of members, whatever the ensemble looks like inside."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import cohen_kappa_score
from sklearn.naive_bayes import GaussianNB

from venire.data.generators import banana, linear_sinusoid
from venire.ensembles.forest.estimators import RandomForestClassifier as OwnForest
from venire.ensembles.forest.estimators import RandomForestRegressor as OwnForestRegressor
from venire.errors import UsageError
from venire.inference.diversity import diversity, member_correlation, member_labels, member_outputs


@pytest.fixture(scope="module")
def rows():
    X, y = banana(300, np.random.default_rng(0))
    return X, np.array(["left", "right"])[y]


def test_kappa_is_that_of_scikit_learn(rows):
    X, y = rows
    members = [GaussianNB().fit(X, y), LogisticRegression().fit(X, y), Perceptron().fit(X, y)]
    found = diversity(members, X, y)
    for i in range(3):
        assert found.error[i] == pytest.approx(1 - members[i].score(X, y))
        for j in range(3):
            one, other = members[i].predict(X), members[j].predict(X)
            assert found.agreement[i, j] == pytest.approx((one == other).mean())
            assert found.disagreement[i, j] == pytest.approx((one != other).mean())
            assert found.kappa[i, j] == pytest.approx(cohen_kappa_score(one, other))
    assert found.kappa_error.shape == (3, 2)
    assert found.mean_kappa == pytest.approx(found.kappa_error[:, 0].mean())
    assert found.mean_agreement > found.mean_kappa


def test_identical_and_constant_members():
    same = diversity(np.array([[0, 1, 1], [0, 1, 1]]), None, [0, 1, 0])
    assert same.mean_kappa == 1
    constant = diversity(np.zeros((2, 3)), None, [0, 1, 0])
    assert constant.mean_kappa == 1
    opposite = diversity(np.array([[0, 1], [1, 0]]), None, [0, 1])
    assert opposite.mean_kappa == -1


def test_members_of_scikit_learn_speak_in_codes(rows):
    X, y = rows
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        member_labels(forest, X)[2], forest.classes_[forest.estimators_[2].predict(X).astype(int)]
    )
    bag = BaggingClassifier(GaussianNB(), 4, max_features=1, random_state=0).fit(X, y)
    outputs, _ = member_outputs(bag, X)
    np.testing.assert_allclose(outputs.mean(axis=0), bag.predict_proba(X))
    shifted = RandomForestClassifier(5, random_state=0).fit(X, np.where(y == "left", 1, 2))
    np.testing.assert_array_equal(member_labels(shifted, X) == 1, member_labels(forest, X) == "left")


def test_our_forests_give_their_trees(rows):
    X, y = rows
    forest = OwnForest(n_estimators=7, random_state=0).fit(X, y)
    outputs, classes = member_outputs(forest, X)
    np.testing.assert_allclose(outputs.mean(axis=0), forest.predict_proba(X), atol=1e-12)
    assert outputs.shape == (7, 300, 2)
    assert classes.tolist() == ["left", "right"]
    X, y = linear_sinusoid(200, np.random.default_rng(1))
    forest = OwnForestRegressor(n_estimators=7, random_state=0).fit(X, y)
    outputs, classes = member_outputs(forest, X)
    np.testing.assert_allclose(outputs.mean(axis=0)[:, 0], forest.predict(X), atol=1e-9)
    assert classes is None


@pytest.mark.parametrize("task", ["numbers", "two", "three"])
def test_measured_rho_gives_the_variance_of_the_average(task):
    rng = np.random.default_rng(2)
    X, fresh = rng.normal(size=(2, 300, 4))
    if task == "numbers":
        forest = RandomForestRegressor(20, random_state=0).fit(X, X[:, 0] + rng.normal(size=300))
        y = fresh[:, 0] + rng.normal(size=300)
        errors = (forest.predict(fresh) - y)[:, None]
    else:

        def codes(Z):
            return (Z[:, 0] > 0).astype(int) + (task == "three") * (Z[:, 1] > 0)

        forest = RandomForestClassifier(20, random_state=0).fit(X, codes(X))
        y = codes(fresh)
        errors = forest.predict_proba(fresh) - np.eye(2 + (task == "three"))[y]
        errors = errors[:, 1:] if task == "two" else errors
    found = member_correlation(forest, fresh, y)
    assert found.average_variance == pytest.approx(errors.var(axis=0).sum(), rel=1e-9)
    assert 0 < found.rho < 1
    assert found.members == 20


def test_fewer_attributes_a_split_make_trees_less_alike():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 8))
    y = X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=600)
    rho = [
        member_correlation(
            OwnForestRegressor(n_estimators=30, max_features=q, random_state=0).fit(X[:300], y[:300]), X[300:], y[300:]
        ).rho
        for q in (1, 8)
    ]
    assert rho[0] < rho[1]


def test_perfect_members():
    assert member_correlation(np.ones((3, 4)), None, np.ones(4)).rho == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diversity(np.zeros((1, 3)), None, [0, 1, 0]), "between members, and there is one"),
        (lambda: diversity(np.zeros((2, 3)), None, [0, 1]), r"shape \(2, 3\), and there are 2 rows"),
        (lambda: diversity(GaussianNB().fit([[0], [1]], [0, 1]), [[0]], [0]), "GaussianNB does not show its members"),
        (lambda: member_correlation(np.zeros((1, 3)), None, np.zeros(3)), "between members, and there is one"),
        (
            lambda: member_labels(OwnForestRegressor(n_estimators=2).fit([[0.0], [1.0]], [0.0, 1.0]), [[0.0]]),
            "these members predict numbers",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(UsageError, match=message):
        call()
