from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from tests.ensembles.by_name import ByName
from venire.data.generators import banana, linear_sinusoid
from venire.ensembles.bagging.estimators import BaggingClassifier, BaggingRegressor
from venire.errors import DataError, UsageError, VenireWarning

X, Y = load_iris(return_X_y=True)
BANANA = banana(200, np.random.default_rng(0))


def test_samples_are_those_the_members_were_fitted_on() -> None:
    bag = BaggingClassifier(GaussianNB(), 3, random_state=0).fit(X, Y)
    for member, rows, left_out in zip(bag.estimators_, bag.estimators_samples_, bag.left_out_, strict=True):
        alone = GaussianNB().fit(X[rows], Y[rows])
        assert (member.predict_proba(X) == alone.predict_proba(X)).all()
        assert len(rows) == 150
        assert set(left_out) == set(range(150)) - set(rows.tolist())


def test_the_number_of_jobs_does_not_matter_and_members_have_their_own_seed() -> None:
    one = BaggingClassifier(n_estimators=4, max_features=2, oob_score=True, random_state=3)
    with pytest.warns(VenireWarning, match="left out by no member"):
        one.fit(X, Y)
    with pytest.warns(VenireWarning, match="left out by no member"):
        two = clone(one).set_params(n_jobs=2).fit(X, Y)
    assert (one.predict_proba(X) == two.predict_proba(X)).all()
    assert np.array_equal(one.oob_decision_function_, two.oob_decision_function_, equal_nan=True)
    fewer = clone(one).set_params(n_estimators=2, oob_score=False).fit(X, Y)
    staged = list(one.staged_predict_proba(X))
    assert (fewer.predict_proba(X) == staged[1]).all()
    assert (one.predict_proba(X) == staged[-1]).all()
    assert len(staged) == 4


def test_out_of_bag_uses_only_members_that_left_the_row_out() -> None:
    bag = BaggingClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, Y)
    row = 100
    said = [m.predict_proba(X[[row]])[0] for m, out in zip(bag.estimators_, bag.left_out_, strict=True) if row in out]
    assert np.allclose(bag.oob_decision_function_[row], np.mean(said, axis=0))
    assert bag.oob_count_[row] == len(said)
    assert bag.oob_score_ == (bag.oob_prediction_ == Y).mean()
    assert 0.9 < bag.oob_score_ < 1


def test_a_row_never_left_out_has_no_estimate() -> None:
    with pytest.warns(VenireWarning, match="of 150 rows were left out by no member"):
        bag = BaggingClassifier(n_estimators=1, oob_score=True, random_state=0).fit(X, Y)
    assert np.isnan(bag.oob_decision_function_[bag.oob_count_ == 0]).all()
    assert not np.isnan(bag.oob_decision_function_[bag.oob_count_ > 0]).any()


def test_sample_sizes_with_and_without_replacement() -> None:
    sizes = {
        (0.5, True): 75,
        (2.0, True): 300,
        (40, True): 40,
        (0.5, False): 75,
        (1.0, False): 150,
    }
    for (size, replace), rows in sizes.items():
        bag = BaggingClassifier(GaussianNB(), 1, max_samples=size, bootstrap=replace, random_state=0).fit(X, Y)
        drawn = bag.estimators_samples_[0]
        assert len(drawn) == rows
        assert replace or len(set(drawn.tolist())) == rows


def test_random_columns() -> None:
    bag = BaggingClassifier(n_estimators=20, max_features=0.5, random_state=0).fit(X, Y)
    assert {len(columns) for columns in bag.estimators_features_} == {2}
    assert len({tuple(columns) for columns in bag.estimators_features_}) > 3
    assert bag.score(X, Y) > 0.9
    repeated = BaggingClassifier(n_estimators=5, bootstrap_features=True, random_state=0).fit(X, Y)
    assert any(len(set(columns.tolist())) < 4 for columns in repeated.estimators_features_)


def test_different_algorithms_take_turns() -> None:
    bag = BaggingClassifier([GaussianNB(), ("near", KNeighborsClassifier())], 5, random_state=0).fit(X, Y)
    kinds = [type(member).__name__ for member in bag.estimators_]
    assert kinds == ["GaussianNB", "KNeighborsClassifier"] * 2 + ["GaussianNB"]


def test_crisp_votes_and_the_vote_fraction() -> None:
    x, y = BANANA
    bag = BaggingClassifier(n_estimators=9, voting="crisp", random_state=0).fit(x, y)
    shares = bag.predict_proba(x)[:, 1]
    assert set(np.round(shares * 9, 9)) <= set(range(10))
    for z in (0.0, 0.25, 0.5, 0.9):
        bag.set_params(threshold=z)
        assert (bag.predict(x) == (shares > z)).all()
    plain = bag.set_params(threshold=None).predict(x)
    assert (plain == bag.set_params(threshold=0.5).predict(x)).all()
    assert (list(bag.staged_predict(x))[-1] == bag.predict(x)).all()


def test_members_without_probabilities_cast_votes() -> None:
    bag = BaggingClassifier(Perceptron(), 7, random_state=0).fit(X, Y)
    assert np.allclose(bag.predict_proba(X) * 7, np.round(bag.predict_proba(X) * 7))


def test_a_class_absent_from_a_bootstrap_gets_nothing_from_that_member() -> None:
    y = np.zeros(30, dtype=int)
    y[0] = 1
    bag = BaggingClassifier(LogisticRegression(), 10, random_state=0).fit(X[:30], y)
    absent = [t for t, rows in enumerate(bag.estimators_samples_) if 0 not in rows]
    assert absent
    assert all((bag.estimators_[t].predict(X) == 0).all() for t in absent)
    assert np.allclose(bag.predict_proba(X).sum(axis=1), 1)
    assert bag.round_outputs(X).shape == (10, 150, 2)


def test_weights_are_chances_to_be_drawn() -> None:
    weights = np.where(Y == 2, 1.0, 0.0)
    weights[:100:10] = 1.0
    bag = BaggingClassifier(KNeighborsClassifier(3), 5, random_state=0).fit(X, Y, sample_weight=weights)
    assert all((weights[rows] > 0).all() for rows in bag.estimators_samples_)
    balanced = BaggingClassifier(GaussianNB(), 5, class_weight={0: 8, 1: 1, 2: 1}, random_state=0).fit(X, Y)
    drawn = np.concatenate(balanced.estimators_samples_)
    assert np.bincount(Y[drawn])[0] > 0.7 * len(drawn)
    whole = BaggingClassifier(GaussianNB(), 2, bootstrap=False, random_state=0).fit(X, Y, sample_weight=weights)
    alone = GaussianNB().fit(X, Y, sample_weight=weights)
    assert np.allclose(whole.predict_proba(X), alone.predict_proba(X))


def test_costs_move_the_decision() -> None:
    x, y = BANANA
    plain = BaggingClassifier(n_estimators=20, max_samples=0.3, random_state=0).fit(x, y)
    careful = clone(plain).set_params(costs=[[0, 1], [20, 0]]).fit(x, y)
    assert (plain.predict_proba(x) == careful.predict_proba(x)).all()
    assert (careful.predict(x) == (plain.predict_proba(x)[:, 1] > 1 / 21)).all()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_reach_the_members_as_frames(make: Callable[..., Any]) -> None:
    frame = make({"a": X[:, 2], "b": X[:, 3], "word": np.array(["u", "v", "w"])[np.arange(150) % 3]})
    bag = BaggingClassifier(make_pipeline(ByName(), GaussianNB()), 5, random_state=0).fit(frame, Y)
    assert bag.score(frame, Y) > 0.9


def test_a_column_missing_at_predict() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    bag = BaggingClassifier(n_estimators=2, random_state=0).fit(frame, Y)
    assert list(bag.feature_names_in_) == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- d"):
        bag.predict(frame[["a", "b", "c"]])


def test_labels_keep_their_meaning_for_the_members() -> None:
    names = np.array(["setosa", "versicolor", "virginica"])[Y]
    learner = LogisticRegression(class_weight={"setosa": 1, "versicolor": 5, "virginica": 1}, max_iter=1000)
    bag = BaggingClassifier(learner, 2, random_state=0).fit(X, names)
    assert set(bag.estimators_[0].classes_) == set(names)
    assert bag.score(X, names) > 0.9


def test_inside_a_grid_and_a_pipeline() -> None:
    bag = BaggingClassifier(GaussianNB(), 3, random_state=0)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), bag), {"baggingclassifier__estimator__var_smoothing": [1e-9, 1.0]}
    )
    assert search.fit(X, Y).best_params_["baggingclassifier__estimator__var_smoothing"] == 1e-9


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_estimators": 0}, "'n_estimators' parameter of BaggingClassifier must be an int in the range"),
        ({"max_samples": 0.0}, "'max_samples' parameter"),
        ({"max_features": 1.5}, "'max_features' parameter"),
        ({"max_features": 5}, "max_features=5, and the table has 4 columns"),
        ({"max_samples": 151, "bootstrap": False}, "asks for 151 of 150 rows without replacement"),
        ({"oob_score": True, "bootstrap": False}, "every member sees all of them"),
        ({"voting": "loud"}, "'voting' parameter"),
        ({"threshold": 0.3}, "together with 3 classes"),
        ({"threshold": 1.0}, "'threshold' parameter"),
        ({"costs": [[0, 1], [1, 0]]}, "shape 2 × 2, and there are 3 classes"),
        ({"estimator": []}, "a non-empty list of members"),
        ({"estimator": [("a", GaussianNB()), ("a", GaussianNB())]}, r"Names provided are not unique: \['a', 'a'\]"),
        ({"estimator": 3}, "must be an object implementing .fit.. Got 3 instead"),
        ({"estimator": ["tree"]}, "has no fit"),
    ],
)
def test_parameters_out_of_range(params: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        BaggingClassifier(**params).fit(X, Y)  # type: ignore[arg-type]  # that is the point


def test_a_member_that_fails_says_whose_it_was() -> None:
    gaps = X.copy()
    gaps[3, 0] = np.nan
    with pytest.raises(DataError, match=r"member 'flat' \(GaussianNB\) could not be fitted on 150 rows: .*NaN"):
        BaggingClassifier([("flat", GaussianNB())], 2, random_state=0).fit(gaps, Y)


def test_regression() -> None:
    x, y = linear_sinusoid(150, np.random.default_rng(0))
    bag = BaggingRegressor(n_estimators=25, oob_score=True, random_state=0).fit(x, y)
    staged = list(bag.staged_predict(x))
    assert np.allclose(staged[-1], bag.predict(x))
    row = 7
    said = [m.predict(x[[row]])[0] for m, out in zip(bag.estimators_, bag.left_out_, strict=True) if row in out]
    assert np.isclose(bag.oob_prediction_[row], np.mean(said))
    assert bag.oob_score_ > 0.9
    assert bag.round_outputs(x).shape == (25, 150, 1)
    line = BaggingRegressor(Ridge(), 2, bootstrap=False).fit(x, y, sample_weight=np.arange(150))
    assert np.allclose(line.predict(x), Ridge().fit(x, y, sample_weight=np.arange(150)).predict(x))


@pytest.mark.parametrize("member", [Ridge(), DecisionTreeRegressor(max_depth=3)], ids=["linear", "tree"])
@pytest.mark.parametrize("form", [np.asarray, csr_matrix, csc_matrix])
def test_several_targets_are_those_of_the_members(member: Any, form: Any) -> None:
    rng = np.random.default_rng(0)
    table = np.where(rng.random((80, 6)) < 0.3, rng.normal(size=(80, 6)), 0.0)
    y = table @ rng.normal(size=(6, 3)) + rng.normal(size=(80, 3))
    bag = BaggingRegressor(member, 4, oob_score=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VenireWarning)  # few members leave out few rows
        both = bag.fit(form(table), y)
        alone = clone(bag).fit(form(table), y[:, 1])
    assert both.predict(form(table)).shape == both.oob_prediction_.shape == y.shape
    assert [one.shape for one in both.staged_predict(form(table))] == [y.shape] * 4
    assert alone.predict(form(table)).shape == (80,)
    if isinstance(member, Ridge):  # a linear model fits each target by itself
        assert np.allclose(both.predict(form(table))[:, 1], alone.predict(form(table)))
    assert np.isfinite(both.oob_score_)
