"""Prepared models say what the models say, to the bit, alone and together; what does not is asked in its own way."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from venire.combine import Finish
from venire.data.encode import AsTheyAre, OneHotScaled
from venire.data.table import Column, Kind, Reading, Task
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.forest.estimators import RandomForestClassifier, RandomForestRegressor
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.table_model import TableModel
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.neighbors.estimators import KNeighborsClassifier
from venire.models.net.estimators import NetClassifier, NetRegressor
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor
from venire.reductions.score_shares import ScoreShares
from venire.serve.prepared_model import PreparedModel

LOGISTIC = LogisticRegression(max_iter=500)
FOR_CLASSES = [
    make_pipeline(OneHotScaled(), LOGISTIC),
    make_pipeline(OneHotScaled(), LogisticRegression(C=0.1, max_iter=500)),
    make_pipeline(OneHotScaled(), SupportVectorClassifier(C=5.0)),
    make_pipeline(OneHotScaled(), SupportVectorClassifier(C=5.0, kernel="linear")),
    make_pipeline(OneHotScaled(), ScoreShares(RidgeClassifier())),
    make_pipeline(OneHotScaled(), KNeighborsClassifier(3)),
    make_pipeline(AsTheyAre(), GradientBoostingClassifier(n_estimators=10)),
    make_pipeline(AsTheyAre(), RandomForestClassifier(n_estimators=10, random_state=0)),
    make_pipeline(AsTheyAre(), NaiveBayesClassifier()),
    make_pipeline(AsTheyAre(), AdaBoostClassifier(n_estimators=5, random_state=0)),
    make_pipeline(AsTheyAre(), NetClassifier((8,), n_nets=1, max_epochs=3, random_state=0)),
    GaussianNB(),
]
FOR_NUMBERS = [
    make_pipeline(OneHotScaled(), Ridge()),
    make_pipeline(OneHotScaled(), SupportVectorRegressor(C=5.0)),
    make_pipeline(AsTheyAre(), GradientBoostingRegressor(n_estimators=10)),
    make_pipeline(AsTheyAre(), RandomForestRegressor(n_estimators=10, random_state=0)),
    make_pipeline(AsTheyAre(), NetRegressor((8,), n_nets=1, max_epochs=3, random_state=0)),
]


def model_of(members, X, y, classes):
    fitted = [(str(place), member.fit(X, y)) for place, member in enumerate(members)]
    model = TableModel(fitted, [1 / len(members)] * len(members), Finish())
    model.columns_ = tuple(Column(f"c{j}", Kind.NUMERIC) for j in range(X.shape[1]))
    model.reading_, model.target_name_ = Reading("csv"), "y"
    model.task_ = Task.CLASSIFICATION if classes else Task.REGRESSION
    if classes:
        model.classes_ = np.array([f"class {code}" for code in range(classes)])
    return model


def rows_of(classes, seed=0):
    if classes:
        X, y = make_classification(200, 7, n_informative=5, n_classes=classes, random_state=seed)
    else:
        X, y = make_regression(200, 7, noise=5.0, random_state=seed)
    return np.asfortranarray(X), y


def same(one, other):
    for name in ("labels", "outputs"):
        here, there = getattr(one, name), getattr(other, name)
        assert (here is None) == (there is None)
        if here is not None:
            np.testing.assert_array_equal(np.asarray(here), np.asarray(there), strict=True)
            assert np.ascontiguousarray(here).tobytes() == np.ascontiguousarray(there).tobytes()
    assert one.output is other.output


def check_all(model, X):
    rng = np.random.default_rng(1)
    prepared = PreparedModel(model, X[:192])
    other = np.asfortranarray(X[rng.permutation(len(X))] * rng.uniform(0.5, 1.5, X.shape[1]))
    for size in (1, 2, 4, 65):
        same(prepared.predicted(np.asfortranarray(other[:size])), model.predicted(np.asfortranarray(other[:size])))
    sizes = [1, 1, 1, 4, 1, 2, 1, 30, 1]
    ends = np.cumsum(sizes)
    parts = [np.asfortranarray(other[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
    assert prepared.divisible
    together = prepared.together(parts)
    for part, end in zip(parts, ends, strict=True):
        own = model.predicted(part)
        cut = slice(end - len(part), end)
        for name in ("labels", "outputs"):
            if getattr(own, name) is not None:
                whole = np.ascontiguousarray(getattr(together, name)[cut])
                assert whole.tobytes() == np.ascontiguousarray(getattr(own, name)).tobytes()


@pytest.mark.parametrize("member", FOR_CLASSES, ids=lambda member: str(member)[:60])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_model_of_one_member_says_the_same(member, classes):
    X, y = rows_of(classes)
    check_all(model_of([member], X, y, classes), X)


@pytest.mark.parametrize("member", FOR_NUMBERS, ids=lambda member: str(member)[:60])
def test_a_model_of_numbers_says_the_same(member):
    X, y = rows_of(0)
    check_all(model_of([member], X, y, 0), X)


@pytest.mark.parametrize(("members", "classes"), [(FOR_CLASSES, 2), (FOR_CLASSES, 3), (FOR_NUMBERS, 0)])
def test_a_blend_says_the_same(members, classes):
    X, y = rows_of(classes)
    check_all(model_of(members, X, y, classes), X)


def test_members_with_the_same_encoder_share_it():
    X, y = rows_of(2)
    prepared = PreparedModel(model_of(FOR_CLASSES[:4], X, y, 2), X[:64])
    assert len({id(member._encoder) for member in prepared._members}) == 1
    assert [type(step) for step in prepared._members[0]._encoder.steps] == [OneHotScaled]


class Vain:
    """A learner whose answer depends on how often it was asked: nothing can be prepared for it."""

    asked = 0

    def fit(self, X, y):
        return self

    def predict(self, X):
        type(self).asked += 1
        return np.full(len(X), float(type(self).asked))


def test_what_is_not_the_same_together_is_not_put_together():
    X, y = rows_of(0)
    assert not PreparedModel(model_of([Vain()], X, y, 0), X[:192]).divisible


def test_what_cannot_be_added_up_is_refused_as_before():
    X, y = rows_of(2)
    model = model_of(FOR_CLASSES[:1], X, y, 2)
    prepared = PreparedModel(model, X[:64])
    huge = np.full((1, X.shape[1]), 1e308)
    for ask in (model.predicted, prepared.predicted):
        with np.errstate(over="ignore"), pytest.raises(ValueError, match="infinity"):
            ask(huge * 10)
