"""k nearest neighbours against plain loops and scikit-learn: mixed columns, gaps, weights, every k, leave-one-out."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.metrics import DistanceMetric
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier as PeerClassifier
from sklearn.neighbors import KNeighborsRegressor as PeerRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from venire.errors import DataError, UsageError
from venire.models.neighbors.estimators import KNeighborsClassifier, KNeighborsRegressor
from venire.models.neighbors.search import TREE_ROWS, Search

REPEATED = "a row of weight 2 is one neighbour with two votes, two rows are two neighbours"


def known_failures(estimator):
    # scikit-learn's own neighbours take no example weights at all, so this check never meets them.
    return {f"check_sample_weight_equivalence_on_{kind}_data": REPEATED for kind in ("dense", "sparse")}


@parametrize_with_checks([KNeighborsClassifier(), KNeighborsRegressor()], expected_failed_checks=known_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def plain_search(points, queries, categorical, skip_self=False):
    """All distances by loops, and the order by (distance, row number)."""
    distances = np.empty((len(queries), len(points)))
    for q, query in enumerate(queries):
        for i, point in enumerate(points):
            both = ~np.isnan(query) & ~np.isnan(point)
            parts = np.where(categorical, query != point, np.square(query - point))[both]
            distances[q, i] = np.sqrt(parts.sum() * (len(point) / both.sum())) if both.any() else np.inf
        if skip_self:
            distances[q, q] = np.nan
    order = np.argsort(distances, axis=1, kind="stable")
    return order, np.take_along_axis(distances, order, axis=1)


@pytest.mark.parametrize("skip_self", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("columns", [1, 6])
def test_search_equals_plain_loops(skip_self, gaps, columns):
    rng = np.random.default_rng(columns)
    points = rng.integers(0, 4, (300, columns)).astype(float)  # few values: many ties
    points[rng.random(points.shape) < gaps] = np.nan
    queries = points if skip_self else points[rng.permutation(300)[:60]] + rng.integers(0, 2, (60, columns))
    categorical = np.arange(columns) % 2 == 1
    search = Search(points, categorical, "none")
    found = search.nearest_others(9, 2) if skip_self else search.nearest(queries, 9, 2)
    rows, distances = plain_search(points, queries, categorical, skip_self)
    np.testing.assert_array_equal(found.rows, rows[:, :9])
    np.testing.assert_allclose(found.distances, distances[:, :9], atol=1e-12)


@pytest.mark.parametrize("skip_self", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_the_tree_finds_what_looking_at_all_rows_finds(skip_self, ties):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(TREE_ROWS + 500, 3))
    points = np.round(points, 1) if ties else points
    search = Search(points, np.zeros(3, dtype=bool), "none")
    assert search._tree is not None
    queries = points if skip_self else points[:400] + 0.1
    by_tree = search.nearest_others(7, 1) if skip_self else search.nearest(queries, 7, 1)
    by_eye = search._look_at_all(queries, 7, 1, skip_self=skip_self)
    np.testing.assert_allclose(by_tree.distances, by_eye.distances, atol=1e-12)
    if not ties:  # tied distances may differ in the last bit between the two sums
        np.testing.assert_array_equal(by_tree.rows, by_eye.rows)
    else:
        whole = Search(np.round(points * 10), np.zeros(3, dtype=bool), "none")  # whole numbers: no rounding at all
        queries = whole.points if skip_self else whole.points[:400]
        by_tree = whole.nearest_others(7, 1) if skip_self else whole.nearest(queries, 7, 1)
        by_eye = whole._look_at_all(queries, 7, 1, skip_self=skip_self)
        np.testing.assert_array_equal(by_tree.rows, by_eye.rows)


def test_distance_is_nan_euclidean_without_categories():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    model = KNeighborsClassifier(40).fit(X, np.arange(40) % 2)
    distances, rows = model.kneighbors(X[:5])
    expected = np.nan_to_num(nan_euclidean_distances(X[:5], X), nan=np.inf)
    np.testing.assert_allclose(distances, np.take_along_axis(expected, rows, axis=1), atol=1e-7)
    assert (distances[:, 1:] >= distances[:, :-1]).all()


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
@pytest.mark.parametrize("columns", [3, 12])
def test_equals_scikit_learn(weights, columns):
    rng = np.random.default_rng(2)
    X, fresh = rng.normal(size=(2, 400, columns))
    fresh[:20] = X[:20]  # rows that lie exactly there
    y, values = rng.integers(0, 3, 400), rng.normal(size=400)
    for k in (1, 8):
        ours = KNeighborsClassifier(k, weights=weights).fit(X, y).predict_proba(fresh)
        np.testing.assert_allclose(ours, PeerClassifier(k, weights=weights).fit(X, y).predict_proba(fresh), atol=1e-12)
        mean = KNeighborsRegressor(k, weights=weights).fit(X, values).predict(fresh)
        np.testing.assert_allclose(mean, PeerRegressor(k, weights=weights).fit(X, values).predict(fresh), atol=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_every_k_from_one_search(weights):
    rng = np.random.default_rng(3)
    X, y, values = rng.normal(size=(80, 3)), rng.integers(0, 3, 80), rng.normal(size=80)
    votes = rng.random(80)
    paths = KNeighborsClassifier(12, weights=weights).fit(X, y, sample_weight=votes)
    means = KNeighborsRegressor(12, weights=weights).fit(X, values, sample_weight=votes).predict_path(X)
    shares, labels = paths.predict_proba_path(X), paths.predict_path(X)
    assert shares.shape == (12, 80, 3)
    for k in range(1, 13):
        single = KNeighborsClassifier(k, weights=weights).fit(X, y, sample_weight=votes)
        np.testing.assert_allclose(shares[k - 1], single.predict_proba(X), atol=1e-14)
        np.testing.assert_array_equal(labels[k - 1], single.predict(X))
        one = KNeighborsRegressor(k, weights=weights).fit(X, values, sample_weight=votes)
        np.testing.assert_allclose(means[k - 1], one.predict(X), atol=1e-12)
    np.testing.assert_array_equal(paths.predict_path(X, [7, 2]), labels[[6, 1]])


def test_leaving_one_out_for_free():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 5, (60, 2)).astype(float)
    y, values = rng.integers(0, 2, 60), rng.normal(size=60)
    classes = KNeighborsClassifier(6, scale="none").fit(X, y)
    numbers = KNeighborsRegressor(6, scale="none").fit(X, values)
    others = [np.delete(np.arange(60), i) for i in range(60)]
    for k in (1, 6):
        refitted = [KNeighborsClassifier(k).fit(X[o], y[o]).predict_proba(X[[i]])[0] for i, o in enumerate(others)]
        np.testing.assert_allclose(classes.loo_predict_proba_path([k])[0], refitted, atol=1e-14)
        refitted = [KNeighborsRegressor(k).fit(X[o], values[o]).predict(X[[i]])[0] for i, o in enumerate(others)]
        np.testing.assert_allclose(numbers.loo_predict_path([k])[0], refitted, atol=1e-12)
    np.testing.assert_array_equal(classes.loo_predict_path()[3], classes.loo_predict_proba_path([4])[0].argmax(axis=1))


def test_votes_weigh():
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "b"]
    assert KNeighborsClassifier(3).fit(X, y).predict([[0.0]]).tolist() == ["b"]
    assert KNeighborsClassifier(3).fit(X, y, sample_weight=[3, 1, 1]).predict([[0.0]]).tolist() == ["a"]
    assert KNeighborsClassifier(3, class_weight={"a": 3}).fit(X, y).predict([[0.0]]).tolist() == ["a"]
    balanced = KNeighborsClassifier(3, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.predict_proba([[0.0]]), [[0.5, 0.5]])
    mean = KNeighborsRegressor(3).fit(X, [0.0, 3.0, 6.0], sample_weight=[2, 1, 1])
    assert mean.predict([[0.0]]).tolist() == [2.25]


def test_rows_without_weight_are_no_neighbours():
    model = KNeighborsClassifier(1).fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[0, 1, 1])
    assert model.predict([[0.0]]).tolist() == [1]
    assert model.kneighbors([[0.0]])[1].tolist() == [[1]]


def test_costs_move_the_decision():
    X, y = np.arange(10.0)[:, None], [0] * 7 + [1] * 3
    careful = KNeighborsClassifier(5, costs=[[0, 1], [9, 0]]).fit(X, y)
    assert careful.predict([[5.0]]).tolist() == [1]
    assert KNeighborsClassifier(5).fit(X, y).predict([[5.0]]).tolist() == [0]
    assert careful.predict_path([[5.0]]).ravel().tolist() == [
        0,
        0,
        0,
        0,
        1,
    ]  # of 3 and 7, equally far, the earlier row first


def test_a_weight_function_that_silences_all_neighbours():
    model = KNeighborsClassifier(2, weights=lambda d: np.where(d > 1, 0.0, 1.0)).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[9.0], [0.4]]), [[0, 1], [0.5, 0.5]])


def test_mixed_columns_use_the_range():
    X = pd.DataFrame({"age": [20.0, 40.0, 60.0], "town": ["x", "y", "y"]})
    model = KNeighborsClassifier(3).fit(X, ["young", "middle", "old"])
    distances, rows = model.kneighbors(pd.DataFrame({"age": [30.0], "town": ["y"]}))
    assert rows.tolist() == [[1, 2, 0]]
    np.testing.assert_allclose(distances, np.sqrt([[1 / 16, 9 / 16, 1 / 16 + 1]]))
    away = model.kneighbors(pd.DataFrame({"age": [30.0], "town": ["z"]}))  # a town never seen counts as missing
    np.testing.assert_allclose(away[0], np.sqrt(2) * np.array([[0.25, 0.25, 0.75]]))
    empty = pd.DataFrame({"age": [np.nan], "town": [None]}, dtype=object).astype({"age": float})
    assert np.isinf(model.kneighbors(empty)[0]).all()
    np.testing.assert_allclose(
        KNeighborsClassifier(3, weights="distance").fit(X, [0, 1, 1]).predict_proba(empty), [[1 / 3, 2 / 3]]
    )


@pytest.mark.parametrize(("scale", "width"), [("none", 1.0), ("spread", np.std([0, 2, 7])), ("range", 7.0)])
def test_scales(scale, width):
    model = KNeighborsRegressor(1, scale=scale).fit([[0.0, 1], [2.0, 1], [7.0, 1]], [0.0, 1.0, 2.0])
    assert model.kneighbors([[10.0, 1]])[0][0, 0] == pytest.approx(3 / width)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames(golf, kind):
    X, y = golf
    X = X.assign(degrees=np.linspace(10, 30, 14))
    expected = KNeighborsClassifier(3).fit(X, y).predict_proba(X)
    given = {"pandas": X.astype({"outlook": "category"}), "polars": pl.from_pandas(X), "arrow": pa.table(X)}[kind]
    np.testing.assert_allclose(KNeighborsClassifier(3).fit(given, y).predict_proba(given), expected)


def test_threads_do_not_matter():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(500, 10)), rng.integers(0, 2, 500)
    one, three = (KNeighborsClassifier(5, weights="distance", n_jobs=jobs).fit(X, y) for jobs in (1, 3))
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))


def test_euclidean_to_the_last_bit():
    rng = np.random.default_rng(6)
    X, fresh = rng.normal(size=(300, 7)), rng.normal(size=(20, 7))
    distances, rows = KNeighborsRegressor(5).fit(X, np.zeros(300)).kneighbors(fresh)
    expected = DistanceMetric.get_metric("euclidean").pairwise(fresh, X)
    np.testing.assert_array_equal(distances, np.take_along_axis(expected, rows, axis=1))


def test_inside_the_tools_of_scikit_learn():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KNeighborsClassifier()), {"kneighborsclassifier__n_neighbors": [1, 5]}
    )
    model = search.fit(X, y)
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own bytes
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    with config_context(enable_metadata_routing=True):
        asked = KNeighborsClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        GridSearchCV(asked, {"n_neighbors": [1, 3]}).fit(X, y, sample_weight=np.ones(60))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m, X, y: m.set_params(n_neighbors=0).fit(X, y), ValueError, "'n_neighbors' parameter"),
        (
            lambda m, X, y: m.set_params(n_neighbors=99).fit(X, y),
            UsageError,
            "n_neighbors = 99, n_samples = 12",
        ),
        (lambda m, X, y: m.set_params(scale="mad").fit(X, y), ValueError, "'scale' parameter"),
        (lambda m, X, y: m.fit(X, y).predict_path(X, [0, 3]), UsageError, r"every k must lie in 1\.\.12; got \[0, 3\]"),
        (lambda m, X, y: m.fit(X, y).loo_predict_path([12]), UsageError, r"every k must lie in 1\.\.11"),
        (
            lambda m, X, y: m.set_params(weights=lambda d: 1 / (d * 0 + 1) - 2).fit(X, y).predict(X),
            UsageError,
            "non-negative",
        ),
        (lambda m, X, y: m.set_params(categorical_features=[0]).fit(X + 0.5, y), DataError, "must hold codes"),
        (
            lambda m, X, y: m.set_params(categorical_features=[0]).fit(X, y).predict(X + 0.5),
            DataError,
            "must hold codes",
        ),
        (
            lambda m, X, y: m.set_params(n_neighbors=1).fit(X[:1], y[:1]).loo_predict_path(),
            UsageError,
            "at least two rows",
        ),
    ],
)
def test_bad_input(call, error, message):
    X, y = np.arange(12.0).reshape(12, 1), np.arange(12) % 2
    with pytest.raises(error, match=message):
        call(KNeighborsClassifier(3), X, y)
