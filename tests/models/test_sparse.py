"""Sparse matrices give the models of the same matrices made dense, to the bit, in either way of keeping their codes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from venire import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from venire._core import Bins
from venire.errors import DataError, UsageError
from venire.models import sparse as module

X = sparse.random(300, 40, 0.15, random_state=0, format="csr")
X.data -= 0.3  # both signs, so that zero lies between bins
CLASSES = np.asarray(X[:, :4].sum(axis=1) > 0).ravel().astype(int)
THREE = CLASSES + (np.arange(300) % 3 == 0)
NUMBERS = np.asarray(X[:, :4].sum(axis=1)).ravel()
WEIGHTS = np.arange(300.0) % 4  # some rows do not count
MODELS = [
    (DecisionTreeClassifier(random_state=0), CLASSES),
    (DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=9, min_samples_leaf=3), THREE),
    (DecisionTreeClassifier(splitter="random", max_features="sqrt", random_state=0), np.c_[CLASSES, THREE]),
    (DecisionTreeRegressor(random_state=0), NUMBERS),
    (DecisionTreeRegressor(criterion="absolute_error", max_depth=4), NUMBERS),
    (RandomForestClassifier(n_estimators=5, random_state=0), CLASSES),
    (RandomForestClassifier(n_estimators=3, constant_columns="skip", random_state=0), THREE),
    (RandomForestRegressor(n_estimators=5, random_state=0), NUMBERS),
    (ExtraTreesClassifier(n_estimators=5, random_state=0), CLASSES),
    (GradientBoostingClassifier(n_estimators=5, random_state=0), CLASSES),
    (GradientBoostingClassifier(n_estimators=3, subsample=0.6, colsample=0.5, random_state=0), THREE),
    (GradientBoostingRegressor(n_estimators=5, random_state=0), NUMBERS),
    (GradientBoostingRegressor(n_estimators=5, max_features=0.3, min_samples_leaf=2, random_state=0), NUMBERS),
    (GradientBoostingRegressor(n_estimators=9, loss="absolute_error", early_stopping=2, random_state=0), NUMBERS),
    (AdaBoostClassifier(n_estimators=5, random_state=0), CLASSES),
    (AdaBoostClassifier(n_estimators=5, random_state=0), THREE),
    (AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=4, random_state=0), CLASSES),
    (BaggingClassifier(n_estimators=3, random_state=0), CLASSES),
]
NAMES = [f"{type(model).__name__}-{place}" for place, (model, _) in enumerate(MODELS)]
AS_LISTS, AS_TABLE = 1.0, 0.0


def said(model, rows):
    found = (model.predict_proba if hasattr(model, "predict_proba") else model.predict)(rows)
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize(
    ("layout", "share"),
    [(sparse.csr_matrix, AS_LISTS), (sparse.coo_array, AS_LISTS), (sparse.csc_matrix, AS_TABLE)],
)
@pytest.mark.parametrize(("model", "y"), MODELS, ids=NAMES)
def test_as_if_dense(model, y, layout, share, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_BYTES", 7 * len(y) * 8)  # several blocks of columns
    monkeypatch.setattr(module, "DENSE_SHARE", share)
    on_dense = clone(model).fit(X.toarray(), y)
    on_sparse = clone(model).fit(layout(X), y)
    for one, other in zip(said(on_sparse, layout(X)), said(on_dense, X.toarray()), strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(said(on_dense, layout(X)), said(on_sparse, X.toarray()), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("max_bins", [255, 16, 3])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_columns_are_cut_as_those_of_the_dense_table(max_bins, weights):
    x = X.astype(np.float32).tolil()
    x[::7, 3] = np.nan
    x[:, 5] = 2.0  # no zero at all
    x[:, 6] = 0.0  # nothing else
    x[WEIGHTS > 0, 7] = np.nan  # no value that counts
    x = x.tocsc()
    x.data[:2] = 0.0  # stored, and still a zero
    start, rows = x.indptr.astype(np.int64), x.indices.astype(np.uint32)
    lists = Bins.of_sparse(300, start, rows, x.data.astype(float), weights, max_bins=max_bins, threads=2)
    table = Bins.of(np.asfortranarray(x.toarray()), np.zeros(40, bool), weights, max_bins=max_bins, threads=1)
    assert lists.is_sparse
    assert not table.is_sparse
    for j in range(40):
        assert lists.edges(j) == table.edges(j)
    known = [j for j in range(40) if table.bin_count(j)]
    np.testing.assert_array_equal(lists.codes[known], table.codes[known])
    np.testing.assert_array_equal(lists.dense(threads=1).codes, lists.codes)


def test_threads_and_large_nodes_change_nothing():
    """Enough rows for subtrees grown apart, for histograms that are kept, and for columns shared among threads."""
    x = sparse.random(40_000, 30, 0.05, random_state=1, format="csr")
    y = np.asarray(x[:, :5].sum(axis=1)).ravel() > 0.1
    for model in (
        DecisionTreeClassifier(max_depth=12),
        RandomForestClassifier(n_estimators=2, max_depth=12, random_state=0),
        GradientBoostingClassifier(n_estimators=3, min_samples_leaf=1),
    ):
        dense = clone(model).fit(x.toarray(), y).predict_proba(x.toarray())
        for jobs in (1, 2):
            given = clone(model).set_params(n_jobs=jobs).fit(x, y).predict_proba(x)
            np.testing.assert_array_equal(given, dense)


def test_rows_without_weight_and_gaps_count_as_in_a_dense_table():
    x = X.copy()
    x.data[::9] = np.nan
    for model in (RandomForestClassifier(n_estimators=4, random_state=0), GradientBoostingClassifier(n_estimators=5)):
        dense = clone(model).fit(x.toarray(), THREE, WEIGHTS)
        given = clone(model).fit(x, THREE, WEIGHTS)
        np.testing.assert_array_equal(given.predict_proba(x), dense.predict_proba(x.toarray()))
    forest = RandomForestClassifier(n_estimators=40, max_depth=3, oob_score=True, random_state=0)
    assert clone(forest).fit(x, THREE).oob_score_ == clone(forest).fit(x.toarray(), THREE).oob_score_


def test_leaves_and_paths():
    tree = DecisionTreeClassifier().fit(X, CLASSES)
    np.testing.assert_array_equal(tree.apply(X), tree.apply(X.toarray()))
    assert (tree.decision_path(X) != tree.decision_path(X.toarray())).nnz == 0
    np.testing.assert_array_equal(tree.predict_path(X), tree.predict_path(X.toarray()))


def test_rows_go_down_deep_trees_by_their_cells():
    wide = sparse.random(900, 400, 0.01, random_state=1, format="csr")
    wide.data -= 0.4
    wide.data[::11] = np.nan
    dense = wide.toarray()
    y = np.arange(900) % 3
    for kind in (RandomForestClassifier, ExtraTreesClassifier):
        forest = kind(n_estimators=6, max_features=20, random_state=0).fit(wide, y)
        # A row of nothing but zeros takes more than four steps for each cell of another row.
        steps = forest.decision_path(np.zeros((1, 400)))[0].sum() / 6
        assert steps > 4 * wide.nnz / 900
        for rows in (slice(None), slice(5), [7]):
            assert np.array_equal(forest.predict_proba(wide[rows]), forest.predict_proba(dense[rows]))
            assert np.array_equal(forest.apply(wide[rows]), forest.apply(dense[rows]))
        hard = kind(n_estimators=6, max_features=20, voting="hard", random_state=0).fit(wide, y)
        assert np.array_equal(hard.predict_proba(wide), hard.predict_proba(dense))
        assert np.array_equal(forest.predict_proba(0 * wide), forest.predict_proba(0 * dense))


def test_a_table_far_too_large_for_codes_costs_its_cells():
    wide = sparse.csr_matrix(([1.0, 2.0], ([5, 70_000], [3, 49_999])), shape=(100_000, 50_000))  # 5 GB as codes
    y = np.zeros(100_000)
    y[70_000] = 1.0
    tree = DecisionTreeRegressor().fit(wide, y)
    assert tree.predict(wide).tolist() == y.tolist()
    boosted = GradientBoostingRegressor(n_estimators=2, min_samples_leaf=1, learning_rate=1.0).fit(wide, y)
    assert boosted.predict(wide) == pytest.approx(y, abs=1e-6)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (DecisionTreeClassifier(categorical_features=[0]), UsageError, "categorical_features are codes"),
        (RandomForestClassifier(combinations=2), DataError, "combinations are of dense columns"),
    ],
)
def test_what_needs_dense_columns(model, error, message):
    with pytest.raises(error, match=message):
        model.fit(X, CLASSES)


@pytest.mark.parametrize(
    ("start", "rows", "message"),
    [
        ([0, 2, 1], [0, 1], "do not follow each other"),
        ([0, 1, 3], [0, 1], "do not follow each other"),
        ([0, 2, 2], [1, 0], "must ascend"),
        ([0, 1, 2], [0, 9], "must ascend, and be rows"),
        ([0], [], "has 1 to"),
    ],
)
def test_the_core_refuses_lists_that_are_no_matrix(start, rows, message):
    with pytest.raises(ValueError, match=message):
        Bins.of_sparse(
            2,
            np.array(start, np.int64),
            np.array(rows, np.uint32),
            np.ones(len(rows)),
            None,
            max_bins=255,
            threads=1,
        )
