"""AdaBoost's trees from the compiled core against the same trees fitted one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from venire._core import AdaBoosting, AdaMembers, Bins
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.adaboost.native import native_trees
from venire.ensembles.adaboost.rounds import boost
from venire.models.tree.estimators import DecisionTreeClassifier
from venire.models.tree.growth import Growth, Problem


class OneByOne(DecisionTreeClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """The same tree, but not the class that the core knows."""


def table(rows: int = 400, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 5)).round(1)
    x[rng.random(x.shape) < 0.1] = np.nan
    hit = np.nan_to_num(x[:, 0]) * np.nan_to_num(x[:, 1]) + x[:, 2].clip(-1, 1) + 0.3 * rng.normal(size=rows) > 0.1
    return x, np.where(hit, "yes", "no")


@pytest.mark.parametrize("settings", [{"max_depth": 1}, {"max_depth": 3, "min_samples_leaf": 7}, {"max_leaf_nodes": 5}])
def test_both_ways_give_the_same_rounds(settings: dict[str, Any]) -> None:
    x, y = table()
    given = np.random.default_rng(1).integers(0, 4, size=len(y)).astype(float)
    native = AdaBoostClassifier(DecisionTreeClassifier(**settings), n_estimators=12).fit(x, y, sample_weight=given)
    plain = AdaBoostClassifier(OneByOne(**settings), n_estimators=12).fit(x, y, sample_weight=given)
    np.testing.assert_allclose(native.rounds_.errors, plain.rounds_.errors, atol=1e-6)
    np.testing.assert_array_equal(native.predict(x), plain.predict(x))
    np.testing.assert_allclose(native.estimators_[0].predict_proba(x), plain.estimators_[0].predict_proba(x), atol=1e-6)


def test_members_are_whole_trees() -> None:
    x, y = table()
    boost = AdaBoostClassifier(n_estimators=3).fit(x, y)
    tree = boost.estimators_[0]
    assert "class: yes" in tree.export_text()
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    assert tree.nodes_[0].rows == len(y)


@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": 2, "criterion": "entropy"},
        {"max_depth": 2, "min_samples_leaf": 0.1},
        {"max_depth": 2, "categorical_features": [0]},
        {"max_depth": 2, "max_features": 2},
    ],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_other_settings_and_more_classes_share_bins_too(settings: dict[str, Any], classes: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, size=(200, 3)).astype(float)
    y = (x.sum(axis=1) + rng.integers(0, 3, size=200)).astype(int) % classes
    native = AdaBoostClassifier(DecisionTreeClassifier(**settings), n_estimators=6, random_state=0).fit(x, y)
    plain = AdaBoostClassifier(OneByOne(**settings), n_estimators=6, random_state=0).fit(x, y)
    np.testing.assert_array_equal(native.rounds_.errors, plain.rounds_.errors)
    np.testing.assert_array_equal(native.predict_proba(x), plain.predict_proba(x))


@pytest.mark.parametrize("member", [OneByOne(max_depth=1), DecisionTreeClassifier(class_weight="balanced")])
def test_others_are_fitted_by_themselves(member: Any) -> None:
    x = np.random.default_rng(0).integers(0, 3, size=(50, 3)).astype(float)
    assert native_trees(member, x, x[:, 0] > 1, np.ones(50)) is None


def test_votes_of_one_walk_are_the_staged_votes() -> None:
    x, y = table()
    boost = AdaBoostClassifier(n_estimators=9).fit(x, y)
    *_, last = boost.staged_decision_function(x)
    np.testing.assert_array_equal(boost.decision_function(x), last)


def two_classes(bins: Bins, labels: NDArray[np.int32], *, threads: int = 1, **settings: Any) -> AdaMembers:
    rules = {"max_depth": 1, "max_leaf_nodes": 2, "min_samples_leaf": 1.0} | settings
    return AdaMembers.two_classes(bins, labels, **rules, threads=threads)


def many_classes(rows: int, seed: int = 0) -> tuple[Bins, NDArray[np.int32]]:
    """Columns of many values, of few, of nearly always the same one (which share a lane), and with gaps."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 9))
    x[:, 3:6] = rng.integers(0, 4, size=(rows, 3))
    x[:, 6:] = np.eye(3)[rng.integers(0, 3, size=rows)] * rng.integers(0, 3, size=(rows, 1))
    labels = (np.digitize(x[:, 0] + x[:, 3], [0, 1, 2, 3]) + (x[:, 6] > 0)).astype(np.int32) % 5
    x[rng.random(x.shape) < 0.05] = np.nan
    return Bins.of(x, np.zeros(9, dtype=bool), None, max_bins=255, threads=1), labels


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100_000, 6))
    labels = (x[:, 0] + x[:, 1] > rng.normal(size=len(x))).astype(np.int32)
    bins = Bins.of(x, np.zeros(6, dtype=bool), None, max_bins=255, threads=1)
    weights = rng.random(len(x))
    kept = []
    for threads in (1, 2, 3, 8):
        trees = two_classes(bins, labels, max_depth=3, max_leaf_nodes=8, min_samples_leaf=5.0, threads=threads)
        stumps = AdaMembers.stumps(bins, labels, classes=3, threads=threads)
        found = [members.grow(weights) for members in (trees, stumps)]
        kept.append([(np.asarray(tree.to_arrays()["values"]).tobytes(), wrong.tobytes()) for tree, wrong in found])
    assert all(one == kept[0] for one in kept[1:])


@pytest.mark.parametrize("kind", ["ones", "whole", "any", "some zero", "one class"])
def test_stumps_of_many_classes_are_those_of_the_tree_core(kind: str) -> None:
    bins, labels = many_classes(700)
    rng = np.random.default_rng(1)
    weights = {
        "ones": np.ones(700),
        "whole": rng.integers(0, 9, size=700).astype(float),
        "any": rng.random(700),
        "some zero": np.where(rng.random(700) < 0.3, 0.0, rng.random(700)),
        "one class": (labels == 2).astype(float),
    }[kind]
    tree, wrong = AdaMembers.stumps(bins, labels, classes=5, threads=1).grow(weights)
    plain = Growth("gini", max_depth=1).grow(bins, None, Problem(5, labels, None, weights))
    for name, array in plain.to_arrays().items():
        np.testing.assert_array_equal(tree.to_arrays()[name], array)
    shares = plain.average_coded(bins, np.arange(700), [1], votes=False, threads=1)[0]
    np.testing.assert_array_equal(wrong, shares.argmax(axis=1) != labels)


@pytest.mark.parametrize("when_weak", ["stop", "reset", "invert"])
@pytest.mark.parametrize("algorithm", ["M1", "SAMME"])
@pytest.mark.parametrize("classes", [2, 5])
def test_rounds_in_the_core_are_those_in_python_to_the_bit(classes: int, algorithm: str, when_weak: str) -> None:
    bins, labels = many_classes(300, seed=2)
    labels = labels % classes
    rows = np.flatnonzero(np.random.default_rng(3).random(300) < 0.7)
    given = np.random.default_rng(4).integers(0, 3, size=len(rows)).astype(float)
    total, everywhere = float(given.sum()), np.zeros(300)
    stumps = AdaMembers.stumps(bins, labels, classes=5, threads=1)
    members = stumps if classes == 5 else two_classes(bins, labels)

    def grow(_: int, weights: NDArray[np.float64]) -> tuple[Any, NDArray[np.bool_]]:
        everywhere[rows] = weights * total
        tree, wrong = members.grow(everywhere)
        return tree, wrong[rows]

    slow = boost(given / total, 40, grow, classes, algorithm=algorithm, when_weak=when_weak)
    quick = AdaBoosting.of(members, rows, given / total, total=total, samme=algorithm == "SAMME", when_weak=when_weak)
    while len(quick.errors) < 40 and quick.advance(7 if len(quick.errors) < 35 else 40 - len(quick.errors)):
        pass
    assert quick.errors == slow.rounds.errors.tolist()
    assert quick.alphas == slow.alphas.tolist()
    assert quick.alone == slow.alone
    assert quick.forest().trees == len(slow.members)
    for name, array in slow.members[-1].to_arrays().items():
        if name == "nodes":
            np.testing.assert_array_equal(quick.forest().to_arrays()[name][-len(array) :], array)


def test_a_class_that_is_pure_ends_the_rounds() -> None:
    bins = Bins.of(np.array([[0.0], [1.0], [2.0]]), np.zeros(1, dtype=bool), None, max_bins=255, threads=1)
    members = two_classes(bins, np.array([0, 0, 1], dtype=np.int32))
    boosting = AdaBoosting.of(members, np.arange(3), np.full(3, 1 / 3), total=3.0, samme=True, when_weak="stop")
    assert not boosting.advance(5)
    assert boosting.errors == [0.0]
    assert not boosting.alone


def test_what_does_not_fit_is_refused() -> None:
    bins = Bins.of(np.zeros((3, 1)), np.zeros(1, dtype=bool), None, max_bins=255, threads=1)
    labels = np.zeros(3, dtype=np.int32)
    for members in (two_classes(bins, labels), AdaMembers.stumps(bins, labels, classes=3, threads=1)):
        with pytest.raises(ValueError, match="differ in length"):
            members.grow(np.ones(2))
        with pytest.raises(ValueError, match="weight 0"):
            members.grow(np.zeros(3))
        with pytest.raises(ValueError, match="no such row"):
            AdaBoosting.of(members, np.array([3]), np.ones(1), total=1.0, samme=True, when_weak="stop")
        with pytest.raises(ValueError, match="stop, reset or invert"):
            AdaBoosting.of(members, np.array([0]), np.ones(1), total=1.0, samme=True, when_weak="never")
    with pytest.raises(ValueError, match="not in 0"):
        AdaMembers.stumps(bins, labels + 3, classes=3, threads=1)
    coded = Bins.of(np.zeros((3, 1)), np.ones(1, dtype=bool), None, max_bins=254, threads=1)
    with pytest.raises(ValueError, match="numeric columns only"):
        AdaMembers.stumps(coded, labels, classes=3, threads=1)
