"""Stacking for several labels a row at once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier

from venire import RandomForestClassifier, StackingClassifier
from venire.ensembles.stacking.label_indicator import is_indicator, label_outputs, way_to_ask
from venire.errors import UsageError

X, Y = make_multilabel_classification(n_samples=120, n_classes=3, n_labels=2, random_state=0)
MEMBERS = [("near", KNeighborsClassifier()), ("trees", RandomForestClassifier(n_estimators=10, random_state=0))]


def test_an_indicator_is_known_from_classes() -> None:
    assert is_indicator(Y)
    assert not is_indicator(Y[:, 0])
    assert not is_indicator(None)


def test_members_and_second_level_say_labels() -> None:
    stack = StackingClassifier(MEMBERS, KNeighborsClassifier()).fit(X[:80], Y[:80])
    assert stack.transform(X).shape == (120, 6)
    guess = (Y[:80].mean(axis=0) > 0.5).astype(int)
    assert (stack.predict(X[80:]) == Y[80:]).mean() > (guess == Y[80:]).mean()
    assert stack.predict_proba(X).shape == (120, 3)
    copy = pickle.loads(pickle.dumps(stack))  # noqa: S301  # our own bytes
    assert np.array_equal(copy.predict(X), stack.predict(X))


def test_members_are_asked_as_scikit_learn_asks() -> None:
    members = [*MEMBERS, ("ridge", RidgeClassifier())]
    stack = StackingClassifier(members, KNeighborsClassifier()).fit(X, Y)
    assert stack.stack_method_ == ["predict_proba", "predict_proba", "decision_function"]
    assert way_to_ask(RidgeClassifier()) == "decision_function"


def test_a_label_that_no_row_has_is_said_of_none() -> None:
    never = Y.copy()
    never[:, 1] = 0
    member = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, never)
    said = label_outputs(member, X, "predict_proba")
    assert (said[:, 1] == 0).all()
    assert (said[:, 0] > 0).any()


def test_what_is_for_one_class_a_row_is_refused() -> None:
    with pytest.raises(UsageError, match="costs is for one class a row"):
        StackingClassifier(MEMBERS, KNeighborsClassifier(), costs=[[0, 1], [1, 0]]).fit(X, Y)
    with pytest.raises(UsageError, match="final_estimator='weights'"):
        StackingClassifier(MEMBERS, "weights").fit(X, Y)
