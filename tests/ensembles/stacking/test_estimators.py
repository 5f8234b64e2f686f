from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from tests.ensembles.by_name import ByName
from venire.data.generators import banana, linear_sinusoid
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.additive import AdditiveRegressor
from venire.ensembles.bagging.estimators import BaggingClassifier, BaggingRegressor
from venire.ensembles.bucket import BucketOfModels
from venire.ensembles.stacking.estimators import StackingClassifier, StackingRegressor
from venire.errors import DataError, UsageError

X, Y = load_iris(return_X_y=True)
MEMBERS = [("bayes", GaussianNB()), ("near", KNeighborsClassifier())]
FOLDS = StratifiedKFold(4, shuffle=True, random_state=1)


def final() -> LogisticRegression:
    return LogisticRegression(max_iter=1000)


def held_out(x: np.ndarray, y: np.ndarray, method: str = "predict_proba") -> list[np.ndarray]:
    return [cross_val_predict(clone(member), x, y, cv=FOLDS, method=method) for _, member in MEMBERS]


def test_folds_equal_the_plain_loops() -> None:
    stack = StackingClassifier(MEMBERS, final(), cv=FOLDS).fit(X, Y)
    level_two = final().fit(np.hstack(held_out(X, Y)), Y)
    now = np.hstack([clone(member).fit(X, Y).predict_proba(X) for _, member in MEMBERS])
    assert np.allclose(stack.second_level(X), now)
    assert np.allclose(stack.predict_proba(X), level_two.predict_proba(now), atol=1e-3)


def test_it_equals_scikit_learn_on_two_classes() -> None:
    x, y = banana(200, np.random.default_rng(0))
    ours = StackingClassifier(MEMBERS, final(), cv=FOLDS).fit(x, y)
    theirs = ensemble.StackingClassifier(MEMBERS, final(), cv=FOLDS).fit(x, y)
    assert ours.second_level(x).shape == (200, 2)
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-4)


def test_labels_as_features() -> None:
    stack = StackingClassifier(MEMBERS, final(), cv=FOLDS, features="labels").fit(X, Y)
    assert set(np.unique(stack.second_level(X))) == {0.0, 1.0}
    assert stack.second_level(X).shape == (150, 6)
    assert stack.score(X, Y) > 0.9


def test_a_hold_out_part_with_and_without_refitting() -> None:
    parts = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    kept = StackingClassifier(MEMBERS, final(), cv=parts, refit=False).fit(X, Y)
    refitted = StackingClassifier(MEMBERS, final(), cv=parts).fit(X, Y)
    half = GaussianNB().fit(X[::2], Y[::2])
    assert np.allclose(kept.estimators_[0].predict_proba(X), half.predict_proba(X))
    assert np.allclose(refitted.estimators_[0].predict_proba(X), GaussianNB().fit(X, Y).predict_proba(X))
    assert np.allclose(kept.final_estimator_.coef_, refitted.final_estimator_.coef_)
    second = np.hstack([clone(m).fit(X[::2], Y[::2]).predict_proba(X[1::2]) for _, m in MEMBERS])
    assert np.allclose(kept.final_estimator_.coef_, final().fit(second, Y[1::2]).coef_, atol=1e-3)
    assert StackingClassifier(MEMBERS, cv=0.33).fit(X, Y).score(X, Y) > 0.9


def test_fitted_members() -> None:
    fitted = [(name, clone(member).fit(X[::2], Y[::2])) for name, member in MEMBERS]
    stack = StackingClassifier(fitted, cv="prefit").fit(X[1::2], Y[1::2])
    assert stack.estimators_[0] is fitted[0][1]
    assert stack.score(X, Y) > 0.9


def test_weights_are_the_best_average_on_the_simplex() -> None:
    stack = StackingClassifier(MEMBERS, "weights", cv=FOLDS).fit(X, Y)
    shares, truth = np.stack(held_out(X, Y)), np.eye(3)[Y]
    losses = [np.square(w * shares[0] + (1 - w) * shares[1] - truth).sum() for w in np.linspace(0, 1, 101)]
    assert abs(stack.weights_[0] - np.argmin(losses) / 100) < 0.02
    now = np.stack([clone(member).fit(X, Y).predict_proba(X) for _, member in MEMBERS])
    assert np.allclose(stack.predict_proba(X), np.tensordot(stack.weights_, now, axes=1))


def test_original_attributes_beside_the_features() -> None:
    stack = StackingClassifier(MEMBERS, GaussianNB(), passthrough=True).fit(X, Y)
    assert stack.second_level(X).shape == (150, 10)
    assert (stack.second_level(X)[:, :4] == X).all()
    thin = StackingClassifier([("near", KNeighborsClassifier())], final(), passthrough=True)
    assert sparse.issparse(thin.fit(sparse.csr_array(X), Y).second_level(sparse.csr_array(X)))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_stay_frames_on_both_levels(make: type) -> None:
    frame = make({"a": X[:, 2], "word": np.array(["u", "v", "w"])[Y]})
    learner = make_pipeline(ByName(), KNeighborsClassifier())
    stack = StackingClassifier([("one", learner), ("two", learner)], learner, passthrough=True, cv=3).fit(frame, Y)
    seen = stack.second_level(frame)
    assert list(getattr(seen, "column_names", None) or seen.columns) == [
        "a",
        "word",
        *(f"{m}_{c}" for m in ("one", "two") for c in range(3)),
    ]
    assert stack.score(frame, Y) == 1


def test_ensembles_and_their_single_rounds_as_members() -> None:
    members = [
        ("bag", BaggingClassifier(n_estimators=4, max_features=2, random_state=0)),
        ("boost", AdaBoostClassifier(n_estimators=3)),
        ("bucket", BucketOfModels(MEMBERS, cv=3)),
    ]
    whole = StackingClassifier(members, cv=3).fit(X, Y)
    assert whole.second_level(X).shape == (150, 9)
    single = StackingClassifier(members, cv=3, rounds_of=["bag", "boost"]).fit(X, Y)
    assert single.second_level(X).shape == (150, (4 + 3 + 1) * 3)
    assert np.allclose(single.second_level(X)[:, :12], np.hstack(list(single.estimators_[0].round_outputs(X))))
    assert single.score(X, Y) > 0.9
    weights = StackingClassifier(members, "weights", cv=3, rounds_of=["bag"], features="labels").fit(X, Y).weights_
    assert weights.shape == (6,)


@pytest.mark.parametrize(
    "member",
    [
        ensemble.BaggingClassifier(n_estimators=3, max_features=2, random_state=0),
        ensemble.BaggingClassifier(KNeighborsClassifier(1), n_estimators=3, random_state=0),
        ensemble.RandomForestClassifier(3, random_state=0),
        ensemble.AdaBoostClassifier(n_estimators=3, random_state=0),
    ],
)
def test_rounds_of_scikit_learns_ensembles(member: object) -> None:
    names = np.array(["c", "a", "b"])[Y]
    stack = StackingClassifier([("them", member)], cv=3, rounds_of=["them"]).fit(X, names)
    assert stack.second_level(X).shape == (150, 9)
    shares = stack.second_level(X).reshape(150, 3, 3).mean(axis=1)
    assert (stack.classes_[shares.argmax(axis=1)] == names).mean() > 0.9


def test_rounds_that_some_fold_did_not_reach_are_left_out() -> None:
    x = np.r_[np.zeros(20), np.ones(20)][:, None]
    y = np.r_[np.zeros(20, dtype=int), np.ones(20, dtype=int)]
    stack = StackingClassifier([("boost", AdaBoostClassifier(n_estimators=5))], cv=3, rounds_of=["boost"]).fit(x, y)
    assert stack.second_level(x).shape == (40, 1)  # the first round has no error
    assert stack.score(x, y) == 1


def test_weights_reach_both_levels() -> None:
    rows = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)
    members = [("bayes", GaussianNB()), ("tree", SklearnTree(max_depth=2, random_state=0))]
    parts = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    inside = np.flatnonzero(rows > 0)
    place = np.cumsum(rows > 0) - 1
    fewer = [(place[np.intersect1d(train, inside)], place[np.intersect1d(test, inside)]) for train, test in parts]
    weighted = StackingClassifier(members, GaussianNB(), cv=parts).fit(X, Y, sample_weight=rows)
    part = StackingClassifier(members, GaussianNB(), cv=fewer).fit(X[inside], Y[inside])
    assert np.allclose(weighted.predict_proba(X), part.predict_proba(X), atol=1e-3)
    convex = StackingClassifier(members, "weights", cv=parts).fit(X, Y, sample_weight=rows)
    plain = StackingClassifier(members, "weights", cv=fewer).fit(X[inside], Y[inside])
    assert np.allclose(convex.weights_, plain.weights_, atol=1e-3)


def test_class_weights_and_costs() -> None:
    x, y = banana(200, np.random.default_rng(0))
    heavy = StackingClassifier([("bayes", GaussianNB())], class_weight={0: 1, 1: 30}).fit(x, y)
    assert (heavy.predict(x) == 1).mean() > 0.6
    shy = StackingClassifier(MEMBERS, costs=[[0, 1], [20, 0]]).fit(x, y)
    assert (shy.predict(x) == (shy.predict_proba(x)[:, 1] > 1 / 21)).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"final_estimator": "weights", "passthrough": True}, "no place for the original attributes"),
        ({"final_estimator": "ridge"}, "must be None, 'weights' or an object implementing 'fit'. Got 'ridge' instead"),
        ({"rounds_of": ["forest"]}, "rounds_of names 'forest', which is no member"),
        ({"rounds_of": ["near"]}, "KNeighborsClassifier has no single rounds"),
        ({"refit": False}, "refit=False keeps the members of the one training part"),
        ({"features": "words"}, "'features' parameter"),
    ],
)
def test_wishes_that_cannot_be_met(params: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        StackingClassifier(MEMBERS, **params).fit(X, Y)  # type: ignore[arg-type]  # that is the point


def test_overlapping_parts() -> None:
    twice = [(np.arange(75), np.arange(75, 150)), (np.arange(50), np.arange(50, 150))]
    with pytest.raises(UsageError, match="the given cv holds some row out more than once"):
        StackingClassifier(MEMBERS, cv=twice).fit(X, Y)


def test_a_member_that_fails_says_whose_it_was() -> None:
    gaps = X.copy()
    gaps[3, 0] = np.nan
    with pytest.raises(DataError, match=r"member 'bayes' \(GaussianNB\) could not (be fitted on|predict) \d+ .*NaN"):
        StackingClassifier(MEMBERS).fit(gaps, Y)


def test_numbers() -> None:
    x, y = linear_sinusoid(150, np.random.default_rng(0))
    members = [("line", LinearRegression()), ("near", KNeighborsRegressor())]
    ours = StackingRegressor(members, Ridge()).fit(x, y)
    assert ours.second_level(x).shape == (150, 2)
    assert ours.score(x, y) > 0.9
    rounds = [("bag", BaggingRegressor(n_estimators=3, random_state=0)), ("sum", AdditiveRegressor(n_estimators=4))]
    single = StackingRegressor(rounds, RidgeCV(), rounds_of=["bag", "sum"]).fit(x, y)
    assert single.second_level(x).shape == (150, 7)
    assert single.score(x, y) > 0.9
    forest = StackingRegressor([("forest", ensemble.RandomForestRegressor(3, random_state=0))], rounds_of=["forest"])
    assert forest.fit(x, y).second_level(x).shape == (150, 3)
