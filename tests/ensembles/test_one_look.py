"""Probabilities and labels of one look at the rows are those of two."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import venire as vn
from venire.data.encode import OneHotScaled
from venire.ensembles.one_look import scores_and_labels, shares_and_labels
from venire.models.svm.machines import SupportVectorClassifier

TREE = vn.DecisionTreeClassifier(max_depth=2, random_state=0)
COSTS = [[0, 1, 5], [2, 0, 1], [9, 1, 0]]
MODELS = [
    vn.RandomForestClassifier(n_estimators=7, random_state=0),
    vn.RandomForestClassifier(n_estimators=4, voting="hard", random_state=0),
    vn.RandomForestClassifier(n_estimators=7, costs=COSTS, random_state=0),
    vn.ExtraTreesClassifier(n_estimators=7, random_state=0),
    vn.GradientBoostingClassifier(n_estimators=5, random_state=0),
    vn.GradientBoostingClassifier(n_estimators=5, costs=COSTS, random_state=0),
    vn.AdaBoostClassifier(TREE, n_estimators=5, random_state=0),
    vn.BaggingClassifier(TREE, n_estimators=5, random_state=0),
    vn.OneVsOneClassifier(TREE),
    vn.OneVsRestClassifier(TREE),
    vn.NetClassifier((4,), n_nets=2, max_epochs=3, random_state=0),
    vn.NetClassifier((4,), n_nets=2, max_epochs=3, costs=COSTS, random_state=0),
    vn.KNeighborsClassifier(5),
    vn.KNeighborsClassifier(5, weights="distance", costs=COSTS),
    TREE,
    make_pipeline(OneHotScaled(), LogisticRegression()),
    make_pipeline(OneHotScaled(), vn.RandomForestClassifier(n_estimators=7, random_state=0)),
]


@pytest.fixture(scope="module")
def rows():
    return make_classification(300, 5, n_informative=3, n_redundant=0, n_classes=3, random_state=0)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model).replace("\n", "")[:60])
def test_one_look_says_what_two_say(model, rows):
    X, y = rows
    fitted = model.fit(X[:200], np.array(["a", "b", "c"])[y[:200]])
    shares, labels = shares_and_labels(fitted, X)
    np.testing.assert_array_equal(shares, fitted.predict_proba(X))
    np.testing.assert_array_equal(labels, fitted.predict(X))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_one_look_of_a_machine_says_what_two_say(kernel, classes, rows, monkeypatch):
    X, y = rows
    kept = y < classes
    model = make_pipeline(OneHotScaled(), SupportVectorClassifier(kernel=kernel)).fit(X[kept], y[kept])
    expected, calls = (model.decision_function(X), model.predict(X)), []
    own = SupportVectorClassifier._decided
    monkeypatch.setattr(SupportVectorClassifier, "_decided", lambda *a: calls.append(1) or own(*a))
    scores, labels = scores_and_labels(model, X)
    assert calls == [1]
    np.testing.assert_array_equal(scores, expected[0].reshape(len(X), -1))
    np.testing.assert_array_equal(labels, expected[1])


class Contrary(vn.RandomForestClassifier):
    """Decides otherwise than its class."""

    def predict(self, X):
        return self.classes_[super().predict_proba(X).argmin(axis=1)]


def test_a_class_that_decides_otherwise_is_asked(rows):
    X, y = rows
    model = Contrary(n_estimators=7, random_state=0).fit(X, y)
    np.testing.assert_array_equal(shares_and_labels(model, X)[1], model.predict(X))


def test_rows_are_searched_for_once(rows, monkeypatch):
    X, y = rows
    model, calls = vn.KNeighborsClassifier(5).fit(X, y), []
    own = vn.KNeighborsClassifier._paths
    monkeypatch.setattr(vn.KNeighborsClassifier, "_paths", lambda *a, **k: calls.append(1) or own(*a, **k))
    shares_and_labels(model, X)
    assert calls == [1]


def test_a_forest_is_walked_once_and_rows_are_encoded_once(rows, monkeypatch):
    X, y = rows
    model = make_pipeline(OneHotScaled(), vn.RandomForestClassifier(n_estimators=7, random_state=0)).fit(X, y)
    calls = []
    for kind, name in ((OneHotScaled, "transform"), (vn.RandomForestClassifier, "_average")):
        own = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda *a, own=own, name=name, **k: calls.append(name) or own(*a, **k))
    shares_and_labels(model, X)
    assert calls == ["transform", "_average"]
