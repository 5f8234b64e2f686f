"""Metadata of the methods that predict reaches the members of a bag, as of scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from venire import BaggingClassifier, BaggingRegressor, UsageError

X = np.arange(24.0).reshape(12, 2)
Y = np.arange(12) % 3
COLOURS = np.arange(12)
ASKED: list[tuple[str, Any]] = []  # what members were asked, in order


@pytest.fixture(autouse=True)
def routing() -> Iterator[None]:
    ASKED.clear()
    with config_context(enable_metadata_routing=True):
        yield


class Labels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Says labels, and remembers the colours that it was given."""

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any, colour: Any = None) -> Any:
        ASKED.append(("predict", colour))
        return np.full(len(X), self.classes_[0])


class Shares(Labels):
    """Says probabilities, too."""

    def predict_proba(self, X: Any, colour: Any = None) -> Any:
        ASKED.append(("predict_proba", colour))
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


class Everything(Shares):
    """Says their logarithms and scores, too."""

    def predict_log_proba(self, X: Any, colour: Any = None) -> Any:
        ASKED.append(("predict_log_proba", colour))
        return np.full((len(X), len(self.classes_)), -np.log(len(self.classes_)))

    def decision_function(self, X: Any, colour: Any = None) -> Any:
        ASKED.append(("decision_function", colour))
        return np.zeros((len(X), len(self.classes_)))


class Numbers(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Says numbers."""

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict(self, X: Any, colour: Any = None) -> Any:
        ASKED.append(("predict", colour))
        return np.zeros(len(X))


WAYS = [
    (Labels, "average", "predict", "predict"),
    (Labels, "average", "predict_proba", "predict"),
    (Labels, "average", "predict_log_proba", "predict"),
    (Shares, "average", "predict", "predict_proba"),
    (Shares, "average", "predict_log_proba", "predict_proba"),
    (Shares, "crisp", "predict", "predict"),
    (Everything, "average", "predict_proba", "predict_proba"),
    (Everything, "average", "predict_log_proba", "predict_log_proba"),
    (Everything, "crisp", "predict_log_proba", "predict"),
    (Everything, "average", "decision_function", "decision_function"),
]


@pytest.mark.parametrize(("kind", "voting", "caller", "callee"), WAYS)
def test_the_method_that_answers_gets_it(kind: Any, voting: str, caller: str, callee: str) -> None:
    member = getattr(kind(), f"set_{callee}_request")(colour=True)
    bag = BaggingClassifier(member, 3, voting=voting, random_state=0).fit(X, Y)
    getattr(bag, caller)(X, colour=COLOURS)
    assert len(ASKED) == 3
    assert all(name == callee and given is COLOURS for name, given in ASKED)


@pytest.mark.parametrize(
    ("bag", "caller"), [(BaggingClassifier(Everything(), 2), "predict"), (BaggingRegressor(Numbers(), 2), "predict")]
)
def test_what_no_member_asked_for_is_an_error(bag: Any, caller: str) -> None:
    with pytest.raises(UnsetMetadataPassedError, match="colour"):
        getattr(bag.fit(X, Y), caller)(X, colour=COLOURS)


def test_members_in_turn_get_what_each_requests() -> None:
    pair = [Shares().set_predict_proba_request(colour=True), Shares().set_predict_proba_request(colour=False)]
    BaggingClassifier(pair, 4, random_state=0).fit(X, Y).predict(X, colour=COLOURS)
    assert [given is COLOURS for _, given in ASKED] == [True, False, True, False]


def test_numbers_too_and_not_without_routing() -> None:
    bag = BaggingRegressor(Numbers().set_predict_request(colour=True), 2, random_state=0).fit(X, Y)
    bag.predict(X, colour=COLOURS)
    assert [given is COLOURS for _, given in ASKED] == [True, True]
    with (
        config_context(enable_metadata_routing=False),
        pytest.raises(UsageError, match=r"BaggingRegressor\.predict got colour, which it cannot hand on"),
    ):
        bag.predict(X, colour=COLOURS)


def test_what_stands_for_one_class_takes_nothing() -> None:
    rare = np.r_[np.zeros(11, dtype=int), 1]
    bag = BaggingClassifier(Shares().set_predict_proba_request(colour=True), 8, random_state=0).fit(X, rare)
    alone = sum(len(member.classes_) == 1 for member in bag.estimators_)
    bag.predict(X, colour=COLOURS)
    assert 0 < alone < 8
    assert len(ASKED) == 8 - alone


def test_logarithms_are_the_members_own() -> None:
    far = np.array([[1e4, -1e4]])
    bag = BaggingClassifier(GaussianNB(), 3, random_state=0).fit(X, Y)
    assert np.isfinite(bag.predict_log_proba(far)).all()
    assert np.allclose(np.exp(bag.predict_log_proba(X)), bag.predict_proba(X))
    voted = BaggingClassifier(RidgeClassifier(), 3, random_state=0).fit(X, Y)
    assert np.allclose(np.exp(voted.predict_log_proba(X)), voted.predict_proba(X))
