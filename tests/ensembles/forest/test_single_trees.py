"""The trees of a forest as estimators of their own."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression

from venire import (
    BaggingClassifier,
    DataError,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    UsageError,
)

CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [RandomForestRegressor, ExtraTreesRegressor]
LABELS = np.array(["no", "yes", "perhaps"])


def classes():
    x, y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)
    return x, LABELS[y]


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("settings", [{}, {"combinations": 2}, {"categorical_features": [5]}])
def test_members_say_together_what_the_forest_says(kind, settings):
    x, y = classes()
    x[:, 5] = np.abs(np.round(x[:, 5]))
    forest = kind(n_estimators=6, random_state=0, **settings).fit(x, y)
    alone = [member.predict_proba(x) for member in forest.estimators_]
    assert len(forest.estimators_) == len(alone) == 6
    assert np.array_equal(np.sum(alone, axis=0) / 6, forest.predict_proba(x))
    assert set(forest.estimators_[-1].predict(x)) <= set(LABELS)
    assert np.array_equal(forest.estimators_[2].apply(x), forest.apply(x)[:, 2])
    assert [len(forest.estimators_[1:3]), len(forest.estimators_[::2])] == [2, 3]
    with pytest.raises(IndexError, match="out of range"):
        _ = forest.estimators_[6]


@pytest.mark.parametrize("kind", REGRESSORS)
def test_members_of_forests_for_numbers(kind):
    x, y = make_regression(150, 4, random_state=0)
    forest = kind(n_estimators=5, max_depth=4, random_state=0).fit(x, y)
    alone = [member.tree_.predict(x)[:, 0] for member in forest.estimators_]
    assert np.array_equal(np.sum(alone, axis=0) / 5, forest.predict(x))
    assert [member.get_depth() for member in forest.estimators_] == [4] * 5


def test_a_member_can_be_pickled_and_knows_its_settings():
    x, y = classes()
    forest = RandomForestClassifier(n_estimators=3, max_depth=4, random_state=0).fit(x, y)
    member = forest.estimators_[1]
    again = pickle.loads(pickle.dumps(member))  # noqa: S301 - our own bytes
    assert np.array_equal(again.predict_proba(x), member.predict_proba(x))
    assert member.max_depth == 4


def test_the_path_has_the_nodes_of_all_trees():
    x, y = classes()
    forest = RandomForestClassifier(n_estimators=4, random_state=0).fit(x, y)
    passing, starts = forest.decision_path(x)
    assert passing.shape == (200, starts[-1])
    for place, member in enumerate(forest.estimators_):
        assert (passing[:, starts[place] : starts[place + 1]] != member.decision_path(x)).nnz == 0


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_statistics_come_with_the_data_and_change_nothing_else(kind, monkeypatch):
    x, y = classes()
    monkeypatch.setattr("venire.ensembles.forest.base.SMALL", 0)
    forest = kind(n_estimators=4, bootstrap=False, random_state=0).fit(x, y)
    with pytest.raises(UsageError, match="do not keep the rows") as refused:
        _ = forest.estimators_[0].tree_.n_node_samples
    assert "with_node_statistics" in str(refused.value.hint)
    known = forest.with_node_statistics(x, y)
    assert np.array_equal(known.predict_proba(x), forest.predict_proba(x))
    for member in known.estimators_:
        passing = member.decision_path(x).toarray()
        assert passing.sum(axis=0).tolist() == member.tree_.n_node_samples.tolist()
        assert not np.isnan(member.tree_.value).any()
    with pytest.raises(UsageError, match="do not keep the rows"):
        _ = forest.estimators_[0].tree_.impurity


def test_statistics_after_a_warm_start_are_of_the_same_trees():
    x, y = classes()
    forest = RandomForestClassifier(n_estimators=2, warm_start=True, random_state=0).fit(x, y)
    forest.set_params(n_estimators=5).fit(x, y)
    known = forest.with_node_statistics(x, y)
    assert known.n_trees_ == 5
    assert np.array_equal(known.predict_proba(x), forest.predict_proba(x))


def test_other_rows_are_refused():
    x, y = classes()
    forest = RandomForestClassifier(n_estimators=2, random_state=0).fit(x, y)
    with pytest.raises(DataError, match="another forest grows"):
        forest.with_node_statistics(x[::-1], y)


def test_members_of_a_bag_have_arrays_with_statistics():
    x, y = classes()
    bag = BaggingClassifier(n_estimators=3, random_state=0).fit(x, y)
    for member, rows in zip(bag.estimators_, bag.estimators_samples_, strict=True):
        assert member.tree_.n_node_samples[0] == len(rows)
        assert np.array_equal(member.tree_.predict(x), member.predict_proba(x))


def test_a_small_forest_keeps_the_statistics_of_its_nodes():
    x, y = classes()
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(x, y)
    for member in forest.estimators_:
        assert member.tree_.weighted_n_node_samples[0] == len(x)
        assert not np.isnan(member.tree_.value).any()


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_a_member_grows_again_from_its_rows(kind, bootstrap):
    x, y = classes()
    forest = kind(n_estimators=3, bootstrap=bootstrap, random_state=0).fit(x, y)
    bags = forest.rows_in_bag(x, y)
    for member, rows, bag in zip(forest.estimators_, forest.estimators_samples_, bags, strict=True):
        assert len(rows) == len(x)
        assert np.array_equal(np.unique(rows), np.flatnonzero(bag))
        again = clone(member).fit(x[rows], y[rows])
        assert np.array_equal(again.predict_proba(x[rows]), member.predict_proba(x[rows]))


def test_samples_that_follow_from_weights_are_not_drawn_again():
    x, y = classes()
    weights = np.ones(len(x))
    weights[0] = 0
    forest = RandomForestClassifier(n_estimators=2, random_state=0).fit(x, y, weights)
    with pytest.raises(UsageError, match="follow from the classes or weights") as refused:
        _ = forest.estimators_samples_
    assert "rows_in_bag" in str(refused.value.hint)
