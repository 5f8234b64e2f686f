"""Several targets: the joint trees of scikit-learn, which grows them by the mean of the targets' impurities."""

import pickle

import numpy as np
import pytest
import sklearn.tree

from venire import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from venire.errors import DataError, UsageError
from venire.models.tree.targets import parted

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 5)).round(1)
CLASSES = np.c_[X[:, 0] > 0, 2 * (X[:, 1] + X[:, 2] > 0), RNG.integers(0, 3, len(X))].astype(int)
NUMBERS = np.c_[3 * X[:, 0] + RNG.normal(size=len(X)), X[:, 1] ** 2]
WEIGHTS = RNG.uniform(0, 2, len(X))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_classes_as_in_scikit_learn(criterion: str, weights: np.ndarray | None) -> None:
    ours = DecisionTreeClassifier(criterion=criterion, max_depth=4).fit(X, CLASSES, weights)
    theirs = sklearn.tree.DecisionTreeClassifier(criterion=criterion, max_depth=4, random_state=0)
    theirs.fit(X, CLASSES, weights)
    for mine, other in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    np.testing.assert_allclose(sorted(ours.tree_.impurity), sorted(theirs.tree_.impurity), atol=1e-12)
    assert ours.n_outputs_ == 3
    assert ours.tree_.value.shape == (ours.tree_.node_count, 3, 3)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_numbers_as_in_scikit_learn(weights: np.ndarray | None) -> None:
    ours = DecisionTreeRegressor(max_depth=4).fit(X, NUMBERS, weights)
    theirs = sklearn.tree.DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, NUMBERS, weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)
    np.testing.assert_allclose(sorted(ours.tree_.impurity), sorted(theirs.tree_.impurity), atol=1e-9)


def test_equal_targets_give_the_tree_of_one() -> None:
    one = DecisionTreeRegressor(min_samples_leaf=5).fit(X, NUMBERS[:, 0])
    twice = DecisionTreeRegressor(min_samples_leaf=5).fit(X, NUMBERS[:, [0, 0]])
    np.testing.assert_allclose(twice.predict(X), one.predict(X)[:, None].repeat(2, axis=1))
    assert twice.get_n_leaves() == one.get_n_leaves()


def test_whole_weights_are_copies() -> None:
    weights = RNG.integers(0, 4, len(X))
    copied = np.repeat(np.arange(len(X)), weights)
    weighted = DecisionTreeRegressor(max_depth=5).fit(X, NUMBERS, weights)
    np.testing.assert_array_equal(
        weighted.predict(X), DecisionTreeRegressor(max_depth=5).fit(X[copied], NUMBERS[copied]).predict(X)
    )


def test_forests_of_classes() -> None:
    forest = RandomForestClassifier(n_estimators=60, oob_score=_share_right, random_state=0).fit(X, CLASSES)
    assert forest.oob_score_ > 0.6  # the third target is noise
    assert (forest.predict(X)[:, :2] == CLASSES[:, :2]).mean() > 0.98
    assert [part.shape for part in forest.predict_proba(X)] == [(240, 2), (240, 2), (240, 3)]
    assert [part.shape for part in forest.predict_log_proba(X)] == [(240, 2), (240, 2), (240, 3)]
    mean = np.mean([tree.predict_proba(X)[0] for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(forest.predict_proba(X)[0], mean)


def _share_right(truth: np.ndarray, predicted: np.ndarray) -> float:
    return float((truth == predicted).mean())


def test_forests_of_numbers() -> None:
    forest = RandomForestRegressor(n_estimators=60, oob_score=True, random_state=0).fit(X, NUMBERS)
    assert forest.oob_score_ > 0.6
    assert forest.oob_prediction_.shape == NUMBERS.shape
    assert forest.score(X, NUMBERS) > 0.9


@pytest.mark.parametrize("jobs", [1, 2])
def test_threads_change_nothing(jobs: int) -> None:
    one = ExtraTreesClassifier(n_estimators=9, random_state=3).fit(X, CLASSES)
    other = ExtraTreesClassifier(n_estimators=9, random_state=3, n_jobs=jobs).fit(X, CLASSES)
    np.testing.assert_array_equal(np.hstack(one.predict_proba(X)), np.hstack(other.predict_proba(X)))


def test_pickles_keep_them() -> None:
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, CLASSES)
    again = pickle.loads(pickle.dumps(forest))  # noqa: S301 - made here
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))


def test_one_target_after_several() -> None:
    tree = DecisionTreeClassifier().fit(X, CLASSES).fit(X, CLASSES[:, 0])
    assert tree.n_outputs_ == 1
    assert tree.predict(X).shape == (240,)


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (DecisionTreeClassifier(criterion="gain_ratio"), CLASSES, "criterion='gain_ratio' is for one target"),
        (DecisionTreeRegressor(criterion="absolute_error"), NUMBERS, "criterion='absolute_error' is for one target"),
        (DecisionTreeClassifier(costs=[[0, 1], [1, 0]]), CLASSES, "costs and votes are for one target"),
        (RandomForestClassifier(voting="hard"), CLASSES, "costs and votes are for one target"),
    ],
)
def test_what_one_target_needs(model: object, y: np.ndarray, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        model.fit(X, y)  # type: ignore[attr-defined]  # an estimator


def test_parted_covers_all_columns() -> None:
    parts = parted(np.arange(10.0).reshape(2, 5), [2, 3])
    np.testing.assert_array_equal(np.hstack(parts), np.arange(10.0).reshape(2, 5))


def test_poisson_as_in_scikit_learn() -> None:
    counts = RNG.poisson(np.exp(X[:, 0]))
    ours = DecisionTreeRegressor(criterion="poisson", max_depth=4).fit(X, counts)
    theirs = sklearn.tree.DecisionTreeRegressor(criterion="poisson", max_depth=4, random_state=0).fit(X, counts)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(sorted(ours.tree_.impurity), sorted(theirs.tree_.impurity))
    assert (ours.predict(X) > 0).all()
    for wrong, message in ((-counts, "negative"), (0 * counts, "not positive")):
        with pytest.raises(DataError, match=message):
            DecisionTreeRegressor(criterion="poisson").fit(X, wrong)
