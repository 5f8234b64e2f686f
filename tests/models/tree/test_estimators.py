"""Decision trees: scikit-learn's contract, known trees, and scikit-learn's own trees as an oracle."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import tree as sk
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.models.tables import table
from venire.errors import UsageError
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.models.tree.measures import impurity

CLASS_CRITERIA = ["gini", "entropy", "gain_ratio", "error"]
NUMBER_CRITERIA = ["variance", "absolute"]


@parametrize_with_checks(
    [
        DecisionTreeClassifier(),
        DecisionTreeClassifier(criterion="gain_ratio", splitter=3),
        DecisionTreeRegressor(),
        DecisionTreeRegressor(criterion="absolute", splitter="random"),
    ]
)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def impurity_of_leaves(leaves: NDArray[Any], y: NDArray[Any], criterion: str) -> float:
    return float(sum((leaves == leaf).mean() * impurity(y[leaves == leaf], criterion) for leaf in np.unique(leaves)))


# ---- planted truths


def test_a_planted_tree_is_found_again() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 10, size=(500, 4)).astype(float)
    y = np.where(x[:, 2] <= 4, np.where(x[:, 0] <= 2, "a", "b"), np.where(x[:, 3] <= 6, "c", "d"))
    tree = DecisionTreeClassifier(criterion="entropy").fit(x, y)
    assert tree.get_n_leaves() == 4
    assert tree.score(x, y) == 1.0
    assert str(tree.rules()[0]).startswith("if x2 <= 4.50 and x0 <= 2.50 then a")


def test_exclusive_or_needs_a_split_without_gain() -> None:
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    tree = DecisionTreeClassifier().fit(x, [0, 1, 1, 0])
    assert tree.score(x, [0, 1, 1, 0]) == 1.0


@pytest.mark.parametrize("distinct", [255, 256, 257])
def test_around_the_number_of_bins(distinct: int) -> None:
    x = np.arange(distinct, dtype=float).reshape(-1, 1)
    y = (x[:, 0] >= 100).astype(int)
    tree = DecisionTreeClassifier().fit(x, y)
    assert tree.score(x, y) == 1.0
    assert tree.get_n_leaves() == 2


def test_offsets_of_a_hundred_million() -> None:
    x, _ = table()
    y = x[:, 0] * 2
    near, far = (DecisionTreeRegressor(max_depth=4).fit(x, y + shift) for shift in (0.0, 1e8))
    assert np.array_equal(near.apply(x), far.apply(x))
    assert np.allclose(far.predict(x) - 1e8, near.predict(x), atol=1e-6)
    moved = DecisionTreeRegressor(max_depth=4).fit(x + 1e8, y)
    assert np.allclose(moved.predict(x + 1e8), near.predict(x), atol=0.3)


def test_one_row_one_class_one_value() -> None:
    assert DecisionTreeClassifier().fit([[1.0]], ["a"]).predict([[5.0]]).tolist() == ["a"]
    assert DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).get_n_leaves() == 1
    assert DecisionTreeRegressor().fit([[1.0], [1.0]], [2.0, 4.0]).predict([[1.0]]).tolist() == [3.0]
    assert DecisionTreeClassifier().fit([[np.nan], [np.nan]], [0, 1]).predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]


# ---- scikit-learn as an oracle: bins are exact below 256 rows


def rows_of_nodes(tree: Any, x: NDArray[Any]) -> dict[int, NDArray[np.bool_]]:
    """Which rows pass through each node of a tree of numeric questions."""
    rows = {0: np.ones(len(x), dtype=bool)}
    for node in tree.nodes_:
        for condition, child in node.branches:
            values = x[:, int(condition.feature[1:])]
            below = values <= condition.bound
            rows[child] = rows[node.number] & (below if condition.operator == "<=" else ~below)
    return rows


@pytest.mark.parametrize("criterion", ["gini", "entropy", "variance", "absolute"])
def test_every_split_is_as_good_as_scikit_learns(criterion: str) -> None:
    # Node by node, because deep nodes have many equally good splits, and scikit-learn takes any of them.
    x, y = table(rows=250)
    if criterion in NUMBER_CRITERIA:
        y = x[:, 0] - x[:, 1] ** 2
        tree = DecisionTreeRegressor(criterion=criterion).fit(x, y)
        name = {"variance": "squared_error", "absolute": "absolute_error"}[criterion]
        stump = sk.DecisionTreeRegressor(criterion=name, max_depth=1, random_state=0)
    else:
        tree = DecisionTreeClassifier(criterion=criterion).fit(x, y)
        stump = sk.DecisionTreeClassifier(criterion=criterion, max_depth=1, random_state=0)
    nodes, rows = tree.nodes_, rows_of_nodes(tree, x)
    inner = [node for node in nodes if not node.is_leaf]
    assert len(inner) > 30
    for node in inner:
        inside = rows[node.number]
        assert inside.sum() == node.rows
        best = stump.fit(x[inside], y[inside]).tree_
        theirs = np.sum(best.impurity[1:] * best.weighted_n_node_samples[1:])
        ours = sum(nodes[child].impurity * nodes[child].weight for _, child in node.branches)
        assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("depth", [1, 2])
def test_the_same_tree_as_scikit_learn(criterion: str, depth: int) -> None:
    x, y = table(rows=250)
    ours = DecisionTreeClassifier(criterion=criterion, max_depth=depth).fit(x, y)
    theirs = sk.DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0).fit(x, y)
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x))
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_)


@pytest.mark.parametrize(("ours", "theirs"), [("variance", "squared_error"), ("absolute", "absolute_error")])
def test_the_same_numbers_as_scikit_learn(ours: str, theirs: str) -> None:
    x, _ = table(rows=240)
    y = x[:, 0] - x[:, 1] ** 2
    weight = np.random.default_rng(3).integers(1, 4, size=240)
    a = DecisionTreeRegressor(criterion=ours, max_depth=3).fit(x, y, sample_weight=weight)
    b = sk.DecisionTreeRegressor(criterion=theirs, max_depth=3, random_state=0).fit(x, y, sample_weight=weight)
    assert np.allclose(a.predict(x), b.predict(x), atol=1e-9)
    assert a.nodes_[0].impurity == pytest.approx(b.tree_.impurity[0])


@pytest.mark.parametrize(
    "limits",
    [
        {"min_samples_leaf": 15},
        {"min_samples_split": 40},
        {"max_leaf_nodes": 6},
        {"min_impurity_decrease": 0.01},
        {"min_weight_fraction_leaf": 0.1},
        {"min_samples_leaf": 0.05, "max_depth": 5},
    ],
)
def test_the_same_limits_as_scikit_learn(limits: dict[str, Any]) -> None:
    x, y = table(rows=250, seed=2)
    ours = DecisionTreeClassifier(**limits).fit(x, y)
    theirs = sk.DecisionTreeClassifier(**limits, random_state=0).fit(x, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert np.allclose(ours.predict_proba(x), theirs.predict_proba(x))


def test_where_ties_differ_the_impurity_is_the_same() -> None:
    x, y = load_iris(return_X_y=True)
    for depth in (1, 2, 3):
        ours = DecisionTreeClassifier(max_depth=depth).fit(x, y)
        theirs = sk.DecisionTreeClassifier(max_depth=depth, random_state=0).fit(x, y)
        mine = impurity_of_leaves(ours.apply(x), y, "gini")
        assert mine == pytest.approx(impurity_of_leaves(theirs.apply(x), y, "gini"))


# ---- weights


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_a_weight_counts_like_copies(criterion: str) -> None:
    x, y = table(rows=600)
    copies = np.random.default_rng(4).integers(0, 4, size=600)
    weighted = DecisionTreeClassifier(criterion=criterion).fit(x, y, sample_weight=copies)
    repeated = DecisionTreeClassifier(criterion=criterion).fit(np.repeat(x, copies, axis=0), np.repeat(y, copies))
    third = DecisionTreeClassifier(criterion=criterion).fit(x, y, sample_weight=copies / 4)
    assert np.array_equal(weighted.predict_proba(x), repeated.predict_proba(x))
    assert np.array_equal(weighted.predict_proba(x), third.predict_proba(x))


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
def test_a_weight_counts_like_copies_for_numbers(criterion: str) -> None:
    x, _ = table(rows=400)
    y = np.round(x[:, 0] + x[:, 1], 2)
    copies = np.random.default_rng(5).integers(0, 4, size=400)
    weighted = DecisionTreeRegressor(criterion=criterion).fit(x, y, sample_weight=copies)
    repeated = DecisionTreeRegressor(criterion=criterion).fit(np.repeat(x, copies, axis=0), np.repeat(y, copies))
    assert np.allclose(weighted.predict(x), repeated.predict(x), atol=1e-12)


def test_class_weights_are_weights() -> None:
    x, y = table()
    by_class = DecisionTreeClassifier(max_depth=3, class_weight={0: 1, 1: 4, 2: 2}).fit(x, y)
    by_row = DecisionTreeClassifier(max_depth=3).fit(x, y, sample_weight=np.array([1, 4, 2])[y])
    assert np.array_equal(by_class.predict_proba(x), by_row.predict_proba(x))


def test_weights_must_be_worth_something() -> None:
    with pytest.raises(ValueError, match="weight"):
        DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1], sample_weight=[0, 0])
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1], sample_weight=[1, -1])


# ---- missing values


def test_missing_values_learn_their_way() -> None:
    x = np.array([[1.0], [2.0], [8.0], [9.0], [np.nan], [np.nan]])
    left = DecisionTreeClassifier(max_depth=1).fit(x, [0, 0, 1, 1, 0, 0])
    right = DecisionTreeClassifier(max_depth=1).fit(x, [0, 0, 1, 1, 1, 1])
    alone = DecisionTreeClassifier(max_depth=1).fit(x, [0, 0, 0, 0, 1, 1])
    assert left.predict([[np.nan], [1.0], [9.0]]).tolist() == [0, 0, 1]
    assert right.predict([[np.nan], [1.0], [9.0]]).tolist() == [1, 0, 1]
    assert alone.predict([[np.nan], [1.0], [9.0]]).tolist() == [1, 0, 0]
    assert "missing" in alone.export_text()


def test_missing_values_not_seen_before_follow_the_heavier_side() -> None:
    x = np.arange(10.0).reshape(-1, 1)
    y = [0] * 7 + [1] * 3
    assert DecisionTreeClassifier().fit(x, y).predict([[np.nan]]).tolist() == [0]
    assert DecisionTreeClassifier().fit(-x, y).predict([[np.nan]]).tolist() == [0]


# ---- categories


def test_subsets_find_the_best_of_all_partitions() -> None:
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 6, size=400)
    y = (rng.random(400) < np.array([0.1, 0.9, 0.3, 0.8, 0.2, 0.6])[codes]).astype(int)
    tree = DecisionTreeClassifier(max_depth=1, categorical_features=[0]).fit(codes.reshape(-1, 1), y)
    leaves = tree.apply(codes.reshape(-1, 1))
    best = min(impurity_of_leaves(np.array([part >> c & 1 for c in codes]), y, "gini") for part in range(1, 2**6 - 1))
    assert impurity_of_leaves(leaves, y, "gini") == pytest.approx(best)


def test_many_way_splits_have_a_branch_a_category() -> None:
    codes = np.array([[0], [1], [2], [0], [1], [2], [np.nan]])
    y = ["a", "b", "c", "a", "b", "c", "d"]
    tree = DecisionTreeClassifier(categorical="multiway", categorical_features=[True]).fit(codes, y)
    assert (tree.get_n_leaves(), tree.get_depth()) == (4, 1)
    assert tree.predict([[1], [np.nan]]).tolist() == ["b", "d"]
    # A code that was never seen is missing, and missing has a branch of its own here.
    assert tree.predict([[7]]).tolist() == ["d"]


def test_a_category_without_a_branch_gets_the_shares_of_the_node() -> None:
    codes = np.array([[0], [0], [1], [1], [1], [1]], dtype=float)
    tree = DecisionTreeClassifier(categorical="multiway", categorical_features=[0]).fit(codes, [0, 0, 1, 1, 1, 1])
    assert tree.predict_proba([[9]]).tolist() == [[pytest.approx(1 / 3), pytest.approx(2 / 3)]]


@pytest.mark.parametrize("categorical", ["subset", "multiway"])
@pytest.mark.parametrize("splitter", ["best", "random", 4])
@pytest.mark.parametrize("criterion", ["gini", "variance", "absolute"])
def test_categories_in_every_kind_of_tree(categorical: str, splitter: str | int, criterion: str) -> None:
    rng = np.random.default_rng(7)
    x = np.column_stack([rng.integers(0, 30, size=500), rng.normal(size=500)])
    x[::17, 0] = np.nan
    y = (np.nan_to_num(x[:, 0]) % 3 == 0) + (x[:, 1] > 0)
    kind = DecisionTreeClassifier if criterion == "gini" else DecisionTreeRegressor
    tree = kind(
        criterion=criterion, categorical=categorical, splitter=splitter, categorical_features=[0], random_state=0
    ).fit(x, y)
    assert tree.score(x, y) == pytest.approx(1.0)


# ---- randomised splits


def test_the_pick_among_the_best_varies_and_is_repeatable() -> None:
    x, y = table()
    roots = {
        DecisionTreeClassifier(splitter=40, max_depth=1, random_state=seed).fit(x, y).export_text()
        for seed in range(12)
    }
    assert len(roots) > 3
    again = [DecisionTreeClassifier(splitter=40, random_state=1).fit(x, y).export_text() for _ in range(2)]
    assert again[0] == again[1]
    best = [DecisionTreeClassifier(splitter=s, max_depth=2).fit(x, y).export_text() for s in ("best", 1)]
    assert best[0] == best[1]


# ---- looking


def test_importances() -> None:
    x, y = table(rows=500)
    tree = DecisionTreeClassifier(max_depth=5).fit(x, y)
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    assert tree.feature_importances_.argmin() == 4
    by_shuffling = tree.permutation_importances(x, y, n_repeats=3)
    assert by_shuffling.shape == (5, 3)
    assert by_shuffling.mean(axis=1).argmin() == 4


def test_pickles_and_clones() -> None:
    x, y = table()
    tree = DecisionTreeClassifier(categorical="multiway", max_depth=4).fit(x, y)
    again = pickle.loads(pickle.dumps(tree))  # noqa: S301  # our own bytes
    assert np.array_equal(again.predict_proba(x), tree.predict_proba(x))
    assert again.export_text() == tree.export_text()


def test_bad_settings_are_named() -> None:
    with pytest.raises(ValueError, match="The 'criterion' parameter of DecisionTreeClassifier"):
        DecisionTreeClassifier(criterion="variance").fit([[1.0]], [0])
    with pytest.raises(UsageError, match="n_jobs is 0"):
        DecisionTreeClassifier(n_jobs=0).fit([[1.0]], [0])
