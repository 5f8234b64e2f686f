"""`tree_`: walking the arrays is predicting, and what they count is what reached the nodes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import NotFittedError

from venire import DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, UsageError
from venire.models.tree.measures import impurity


def walked(tree, row):
    """The nodes that one row passes, by hand."""
    node, passed = 0, [0]
    while tree.children_left[node] != -1:
        seen = row[tree.feature[node]]
        left = tree.missing_go_to_left[node] if np.isnan(seen) else seen <= tree.threshold[node]
        node = int((tree.children_left if left else tree.children_right)[node])
        passed.append(node)
    return passed


def rows_with_gaps(dtype, seed=0):
    x, y = make_classification(400, 6, n_informative=4, n_classes=3, random_state=seed)
    x[np.random.default_rng(seed).random(x.shape) < 0.1] = np.nan
    return x.astype(dtype), y


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("settings", [{}, {"max_depth": 3}, {"max_leaf_nodes": 9}, {"ccp_alpha": 0.01}])
def test_walking_the_arrays_by_hand_gives_the_same_bits(dtype, settings):
    x, y = rows_with_gaps(dtype)
    model = DecisionTreeClassifier(**settings).fit(x, y)
    tree = model.tree_
    ends = [walked(tree, row)[-1] for row in x]
    assert np.array_equal(tree.value[ends, 0], model.predict_proba(x))
    assert np.array_equal(tree.apply(x), ends)
    assert np.array_equal(model.apply(x), ends)
    assert np.array_equal(tree.predict(x), model.predict_proba(x))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_nodes_count_the_rows_that_reach_them(criterion):
    x, y = rows_with_gaps(np.float64)
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = DecisionTreeClassifier(criterion=criterion, max_depth=5).fit(x, y, weights)
    tree, passing = model.tree_, model.decision_path(x).toarray().astype(bool)
    assert passing.sum(axis=0).tolist() == tree.n_node_samples.tolist()
    assert weights @ passing == pytest.approx(tree.weighted_n_node_samples)
    for node in range(tree.node_count):
        there = passing[:, node]
        assert tree.impurity[node] == pytest.approx(impurity(y[there], criterion, weights=weights[there]), abs=1e-12)
        shares = np.bincount(y[there], weights=weights[there], minlength=3) / weights[there].sum()
        assert tree.value[node, 0] == pytest.approx(shares)


@pytest.mark.parametrize("criterion", ["variance", "absolute"])
def test_trees_for_numbers(criterion):
    x, y = make_regression(300, 5, random_state=0)
    model = DecisionTreeRegressor(criterion=criterion, max_depth=4).fit(x, y)
    tree, passing = model.tree_, model.decision_path(x).toarray().astype(bool)
    assert np.array_equal(tree.predict(x)[:, 0], model.predict(x))
    assert tree.value.shape == (tree.node_count, 1, 1)
    recount = [impurity(y[passing[:, node]], criterion) for node in range(tree.node_count)]
    assert tree.impurity == pytest.approx(recount)


def test_the_path_holds_the_nodes_that_a_row_passes():
    x, y = rows_with_gaps(np.float64)
    model = DecisionTreeClassifier(max_depth=4).fit(x, y)
    passing = model.decision_path(x)
    for row in range(20):
        assert passing[row].indices.tolist() == sorted(walked(model.tree_, x[row]))
    assert (passing != model.tree_.decision_path(x)).nnz == 0


def test_sizes_and_importances_are_those_of_the_estimator():
    x, y = rows_with_gaps(np.float64)
    model = DecisionTreeClassifier().fit(x, y)
    tree = model.tree_
    assert (tree.max_depth, tree.n_leaves) == (model.get_depth(), model.get_n_leaves())
    assert tree.node_count == tree.capacity == 2 * tree.n_leaves - 1
    assert (tree.n_features, tree.n_outputs, tree.n_classes.tolist(), tree.max_n_classes) == (6, 1, [3], 3)
    assert tree.compute_feature_importances() == pytest.approx(model.feature_importances_)


def test_a_root_alone():
    tree = DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 0]).tree_
    assert (tree.node_count, tree.n_leaves, tree.feature.tolist(), tree.threshold.tolist()) == (1, 1, [-2], [-2.0])
    assert tree.apply([[3.0]]).tolist() == [0]
    assert tree.decision_path([[3.0]]).toarray().tolist() == [[1]]
    assert tree.compute_feature_importances().tolist() == [0.0]


def test_a_question_whether_a_value_is_missing():
    x = np.array([[1.0], [np.nan], [1.0], [np.nan]])
    tree = DecisionTreeClassifier().fit(x, [0, 1, 0, 1]).tree_
    assert tree.threshold[0] == np.inf
    assert np.argmax(tree.predict(x), axis=1).tolist() == [0, 1, 0, 1]


def test_arrays_cannot_be_written_to():
    tree = DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1]).tree_
    with pytest.raises(ValueError, match="read-only"):
        tree.threshold[0] = 3.0
    with pytest.raises(AttributeError, match="cannot assign"):
        tree.max_depth = 4


def test_splits_by_categories_and_combinations_are_refused_with_the_way_out():
    codes = np.array([[0.0], [1.0], [2.0], [3.0]] * 3)
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(codes, [0, 1, 0, 1] * 3)
    with pytest.raises(UsageError, match="node 0 asks about the categories of column 0") as refused:
        _ = tree.tree_
    assert "OneHotEncoder" in str(refused.value.hint)
    assert tree.decision_path(codes).shape == (12, 3)
    x, y = make_classification(100, 4, random_state=0)
    forest = RandomForestClassifier(n_estimators=2, combinations=2, random_state=0).fit(x, y)
    with pytest.raises(UsageError, match="asks about a sum of columns"):
        _ = forest.estimators_[0].tree_


def test_before_fit_there_is_no_tree():
    with pytest.raises(NotFittedError, match="not fitted"):
        _ = DecisionTreeClassifier().tree_
    assert not hasattr(DecisionTreeRegressor(), "tree_")
