"""Metadata routing, weights and targets: what every ensemble and reduction shares."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.bagging.estimators import BaggingClassifier
from venire.ensembles.bucket import BucketOfModels
from venire.ensembles.output_codes import OutputCodes
from venire.ensembles.stacking.estimators import StackingClassifier
from venire.ensembles.voting import VotingClassifier
from venire.errors import DataError, UsageError
from venire.reductions import CostThreshold, OneVsOneClassifier, OneVsRestClassifier, Resampled

X, Y = load_iris(return_X_y=True)
WEIGHTS = np.where(Y == 1, 3.0, 1.0)


class Witness(ClassifierMixin, BaseEstimator):
    """Remembers what it was given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, colour: Any = None) -> Witness:
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        self.given_ = {"sample_weight": sample_weight, "colour": colour}
        return self

    def predict(self, X: Any) -> Any:
        return self.inner_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        return self.inner_.predict_proba(X)


@pytest.fixture
def routing() -> Iterator[None]:
    with config_context(enable_metadata_routing=True):
        yield


def around(member: Any) -> list[tuple[Any, str]]:
    """Every meta-estimator around one member, and where to find the fitted member."""
    return [
        (BaggingClassifier(member, 2, bootstrap=False), "estimators_"),
        (VotingClassifier([("one", member)]), "estimators_"),
        (StackingClassifier([("one", member)], GaussianNB(), cv=3), "estimators_"),
        (BucketOfModels([("one", member)], cv=3), "best_estimator_"),
        (OutputCodes(member, random_state=0), "estimators_"),
        (OneVsRestClassifier(member), "estimators_"),
        (OneVsOneClassifier(member), "estimators_"),
        (Resampled(member, "over", random_state=0), "estimator_"),
        (CostThreshold(member, cv=3), "estimator_"),
    ]


def fitted_member(model: Any, place: str) -> Any:
    found = getattr(model, place)
    return found[0] if isinstance(found, list) else found


@pytest.mark.usefixtures("routing")
def test_a_member_gets_what_it_requests() -> None:
    colours = np.arange(150)
    asking = Witness().set_fit_request(sample_weight=True, colour=True)
    for model, place in around(asking):
        given = fitted_member(model.fit(X, Y, sample_weight=WEIGHTS, colour=colours), place).given_
        assert len(given["sample_weight"]) == len(given["colour"])
        assert set(given["sample_weight"]) <= {1.0, 3.0}
    shy = Witness().set_fit_request(sample_weight=False, colour=True)
    for model, place in around(shy):
        given = fitted_member(model.fit(X, Y, sample_weight=WEIGHTS, colour=colours), place).given_
        assert given["sample_weight"] is None
        assert given["colour"] is not None
    for model, _ in around(Witness()):
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            model.fit(X, Y, sample_weight=WEIGHTS)


@pytest.mark.usefixtures("routing")
def test_weights_come_through_a_search() -> None:
    member = Witness().set_fit_request(sample_weight=True, colour=False)
    for model, place in around(member):
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"costs": [None]}, cv=2).fit(X, Y, sample_weight=WEIGHTS)
        assert fitted_member(search.best_estimator_, place).given_["sample_weight"] is not None
    boost = AdaBoostClassifier(n_estimators=2).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    search = GridSearchCV(boost, {"n_estimators": [2]}, cv=2).fit(X, Y, sample_weight=WEIGHTS)
    assert np.allclose(search.best_estimator_.rounds_[0].weights, WEIGHTS / WEIGHTS.sum())


@pytest.mark.usefixtures("routing")
def test_a_pipeline_boosted_by_weights_with_routing_on() -> None:
    learner = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), LogisticRegression())
    with pytest.raises(UsageError, match="doesn't support sample_weight"):
        AdaBoostClassifier(learner, 2).fit(X, Y)
    learner[-1].set_fit_request(sample_weight=True)
    assert AdaBoostClassifier(learner, 2).fit(X, Y).score(X, Y) > 0.8


def test_without_routing_weights_go_to_every_member_and_nothing_else_is_taken() -> None:
    for model, place in around(Witness()):
        assert fitted_member(model.fit(X, Y, sample_weight=WEIGHTS), place).given_["sample_weight"] is not None
        with pytest.raises(UsageError, match=r"\.fit got colour, which it cannot hand on"):
            model.fit(X, Y, colour=WEIGHTS)


def test_a_pipeline_takes_weights_in_its_last_step() -> None:
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    jury = VotingClassifier([("pipe", pipeline)]).fit(X, Y, sample_weight=WEIGHTS)
    alone = make_pipeline(StandardScaler(), GaussianNB()).fit(X, Y, gaussiannb__sample_weight=WEIGHTS)
    assert np.allclose(jury.predict_proba(X), alone.predict_proba(X))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"sample_weight.shape == \(3,\), expected \(150,\)!"),
        (-np.ones(150), "Negative values in data passed to `sample_weight`: row 0 has -1.0"),
        (np.full(150, np.nan), "Values that are not finite in data passed to `sample_weight`: row 0 has nan"),
        (np.zeros(150), "sample_weight is zero for every row"),
    ],
)
def test_weights_that_are_none(weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        VotingClassifier([("one", GaussianNB())]).fit(X, Y, sample_weight=weights)


def test_targets_that_are_none() -> None:
    jury = VotingClassifier([("one", GaussianNB())])
    with pytest.raises(UsageError, match="requires y to be passed, but the target y is None"):
        jury.fit(X, None)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        jury.fit(X, np.where(Y == 0, np.nan, Y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        jury.fit(X, Y[:100])


def test_rows_of_one_class_give_a_member_that_says_it() -> None:
    jury = VotingClassifier([("logistic", LogisticRegression()), ("near", KNeighborsClassifier())])
    jury.fit(X[:50], np.array(["only"] * 50))
    assert set(jury.predict(X)) == {"only"}


TEXTS = ["good film", "bad film", "good book", "bad book", "very good", "very bad"] * 5
LIKED = np.array([1, 0, 1, 0, 1, 0] * 5)


def words(learner: Any) -> Any:
    return make_pipeline(TfidfVectorizer(), learner)


@pytest.mark.parametrize(
    "model",
    [
        StackingClassifier([("near", words(LogisticRegression())), ("bayes", words(MultinomialNB()))], cv=3),
        VotingClassifier([("near", words(LogisticRegression())), ("bayes", words(MultinomialNB()))]),
        OneVsRestClassifier(words(LogisticRegression())),
    ],
    ids=lambda model: type(model).__name__,
)
def test_documents_are_handed_on_to_members(model: Any) -> None:
    fitted = clone(model).fit(TEXTS, LIKED)
    assert fitted.predict(["a good one", "so bad"]).tolist() == [1, 0]
    assert not hasattr(fitted, "n_features_in_")
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301  # our own bytes
    assert (again.predict_proba(TEXTS) == fitted.predict_proba(np.array(TEXTS))).all()
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        OneVsOneClassifier(words(LogisticRegression())).fit(TEXTS, LIKED)


def test_a_table_after_documents_has_columns_again() -> None:
    model = VotingClassifier([("words", words(MultinomialNB()))]).fit(TEXTS, LIKED)
    model.set_params(estimators=[("plain", LogisticRegression())]).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        model.predict(TEXTS)


class SaysTrue(LogisticRegression):
    """A learner whose `fit` does not return itself."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        return True


def test_what_fit_returns_does_not_matter() -> None:
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) // 10
    assert VotingClassifier([("a", SaysTrue())]).fit(X, y).predict(X).tolist() == y.tolist()


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ([("a__b", LogisticRegression())], r"Estimator names must not contain __: got \['a__b'\]"),
        ([("a", GaussianNB()), ("a", LogisticRegression())], r"Names provided are not unique: \['a', 'a'\]"),
        ([("estimators", GaussianNB())], r"Estimator names conflict with constructor arguments: \['estimators'\]"),
        ([("a", GaussianNB)], r"Expected an estimator instance \(GaussianNB\(\)\), got estimator class instead"),
        ([("a", LinearRegression())], "The estimator LinearRegression should be a classifier"),
    ],
)
def test_members_are_refused_in_scikit_learns_words(estimators: Any, message: str) -> None:
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) // 10
    with pytest.raises(UsageError, match=message):
        VotingClassifier(estimators).fit(X, y)


def test_dropped_members_keep_their_names() -> None:
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) // 10
    model = StackingClassifier([("a", GaussianNB()), ("b", "drop"), ("c", LogisticRegression())]).fit(X, y)
    assert list(model.named_estimators) == list(model.named_estimators_) == ["a", "b", "c"]
    assert model.named_estimators_.b == "drop"
    assert model.named_estimators_.c is model.estimators_[1]


@pytest.mark.parametrize(
    "model",
    [BaggingClassifier("tree"), AdaBoostClassifier("tree"), OneVsRestClassifier("tree"), OneVsOneClassifier(3)],
    ids=lambda model: type(model).__name__,
)
def test_what_is_no_estimator_is_refused_in_scikit_learns_words(model: Any) -> None:
    message = f"The 'estimator' parameter of {type(model).__name__} must be an object implementing 'fit'. Got "
    with pytest.raises(UsageError, match=message):
        model.fit(X, Y)
    with pytest.raises(UsageError, match="The 'final_estimator' parameter of StackingClassifier must be None"):
        StackingClassifier([("a", GaussianNB())], "tree").fit(X, Y)
    with pytest.raises(DataError, match="Sample weights must be 1D array or scalar, got 2D array"):
        BaggingClassifier(GaussianNB()).fit(X, Y, sample_weight=np.ones((len(Y), 2)))
