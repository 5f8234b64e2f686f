"""AdaBoost's trees from the compiled core against the same trees fitted one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from venire._core import AdaRounds, Bins
from venire.ensembles.adaboost import AdaBoostClassifier
from venire.ensembles.adaboost_native import native_trees
from venire.models.tree import DecisionTreeClassifier


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


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100_000, 6))
    labels = (x[:, 0] + x[:, 1] > rng.normal(size=len(x))).astype(np.uint8)
    bins = Bins.of(x, np.zeros(6, dtype=bool), None, max_bins=255, threads=1)
    weights = rng.random(len(x))
    kept = []
    for threads in (1, 2, 3, 8):
        rounds = AdaRounds.of(bins, labels, max_depth=3, max_leaf_nodes=8, min_samples_leaf=5.0, threads=threads)
        tree, wrong = rounds.round(weights)
        kept.append((np.asarray(tree.to_arrays()["values"]).tobytes(), wrong.tobytes()))
    assert all(one == kept[0] for one in kept[1:])


def test_weights_of_another_length_are_refused() -> None:
    bins = Bins.of(np.zeros((3, 1)), np.zeros(1, dtype=bool), None, max_bins=255, threads=1)
    rounds = AdaRounds.of(
        bins, np.zeros(3, dtype=np.uint8), max_depth=1, max_leaf_nodes=2, min_samples_leaf=1.0, threads=1
    )
    with pytest.raises(ValueError, match="differ in length"):
        rounds.round(np.ones(2))
    with pytest.raises(ValueError, match="weight 0"):
        rounds.round(np.zeros(3))
