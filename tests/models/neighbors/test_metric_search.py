"""k nearest rows by other distances: those of scikit-learn, dense and sparse."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier as PeerClassifier
from sklearn.neighbors import KNeighborsRegressor as PeerRegressor

from venire import DataError, KNeighborsClassifier, KNeighborsRegressor, UsageError, VenireWarning, load, save

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
NEW = RNG.normal(size=(30, 4))
Y = np.array(["a", "b", "c"])[RNG.integers(0, 3, 120)]
VALUES = X[:, 0] + RNG.normal(size=120)
WORDS = sparse.random(120, 30, 0.3, random_state=0, format="csr")


def farthest(a, b):
    """A distance of one's own."""
    return float(np.abs(a - b).max())


DISTANCES = [
    {"p": 1},
    {"p": 3},
    {"p": np.inf},
    {"metric": "manhattan"},
    {"metric": "cosine"},
    {"metric": "canberra"},
    {"metric": "minkowski", "p": 3, "metric_params": {"w": [1.0, 2.0, 0.5, 0.0]}},
    {"metric": "seuclidean", "metric_params": {"V": [1.0, 2.0, 0.5, 3.0]}},
    pytest.param({"metric": farthest}, id="a function"),
]


@pytest.mark.parametrize("how", DISTANCES, ids=str)
def test_neighbours_are_scikit_learns(how):
    ours, theirs = (kind(4, weights="distance", **how).fit(X, Y) for kind in (KNeighborsClassifier, PeerClassifier))
    for one, other in zip(ours.kneighbors(NEW), theirs.kneighbors(NEW), strict=True):
        assert one == pytest.approx(other)
    assert ours.predict_proba(NEW) == pytest.approx(theirs.predict_proba(NEW))
    others = KNeighborsRegressor(3, **how).fit(X, VALUES), PeerRegressor(3, **how).fit(X, VALUES)
    assert others[0].predict(NEW) == pytest.approx(others[1].predict(NEW))
    assert others[0].loo_predict_path([3])[0] == pytest.approx(VALUES[theirs.kneighbors(None, 3)[1]].mean(axis=1))


@pytest.mark.parametrize("metric", ["cosine", "manhattan", "l2"])
def test_sparse_tables_too(metric, tmp_path):
    ours, theirs = (kind(3, metric=metric).fit(WORDS, Y) for kind in (KNeighborsClassifier, PeerClassifier))
    assert ours.predict_proba(WORDS) == pytest.approx(theirs.predict_proba(WORDS))
    assert ours.predict_proba(WORDS.toarray()) == pytest.approx(theirs.predict_proba(WORDS))
    with pytest.warns(VenireWarning, match="keeps 120 training rows"):
        save(ours, tmp_path / "near.venire")
    assert np.array_equal(load(tmp_path / "near.venire").predict_proba(WORDS), ours.predict_proba(WORDS))


@pytest.mark.parametrize("how", [{}, {"p": 1}], ids=str)
def test_neighbours_of_the_training_rows_and_their_graph(how):
    ours, theirs = (kind(3, **how).fit(X, Y) for kind in (KNeighborsClassifier, PeerClassifier))
    assert (ours.kneighbors(return_distance=False) == theirs.kneighbors(return_distance=False)).all()
    for mode in ("connectivity", "distance"):
        found, wanted = ours.kneighbors_graph(NEW, mode=mode), theirs.kneighbors_graph(NEW, mode=mode)
        assert found.shape == wanted.shape
        assert found.toarray() == pytest.approx(wanted.toarray())
    assert (ours.effective_metric_, ours.effective_metric_params_) == (
        theirs.effective_metric_,
        theirs.effective_metric_params_ if how else {},
    )
    with pytest.raises(UsageError, match="mode='near' is not known"):
        ours.kneighbors_graph(NEW, mode="near")
    with pytest.raises(UsageError, match="Expected n_neighbors <= n_samples_fit, but n_neighbors = 120"):
        ours.kneighbors(None, 120)


def test_a_model_file_and_a_pickle_keep_the_distance(tmp_path):
    weighted = KNeighborsRegressor(3, p=3, metric_params={"w": [1.0, 2.0, 0.5, 0.0]}, scale="spread").fit(X, VALUES)
    with pytest.warns(VenireWarning, match="keeps 120 training rows"):
        save(weighted, tmp_path / "near.venire")
    for again in (load(tmp_path / "near.venire"), pickle.loads(pickle.dumps(weighted))):  # noqa: S301  # our own bytes
        assert np.array_equal(again.predict(NEW), weighted.predict(NEW))
    by_hand = KNeighborsRegressor(3, metric=_widest).fit(X, VALUES)
    again = pickle.loads(pickle.dumps(by_hand))  # noqa: S301  # our own bytes
    assert np.array_equal(again.predict(NEW), by_hand.predict(NEW))


def _widest(one, other):
    return float(np.abs(one - other).max())


def test_what_a_distance_cannot_take_is_refused():
    gaps = X.copy()
    gaps[3, 1] = np.nan
    with pytest.raises(DataError, match="metric='cosine' has no place for missing values"):
        KNeighborsClassifier(metric="cosine").fit(gaps, Y)
    assert KNeighborsClassifier(metric="nan_euclidean").fit(gaps, Y).predict(gaps).shape == (120,)
    with pytest.raises(UsageError, match="there are categorical columns"):
        KNeighborsClassifier(p=1, categorical_features=[0]).fit(np.round(np.abs(X)), Y)
    with pytest.raises(UsageError, match="metric='mahalanobis' needs the spread of the columns"):
        KNeighborsClassifier(metric="mahalanobis").fit(X, Y)
    with pytest.raises(ValueError, match="'metric' parameter"):
        KNeighborsClassifier(metric="precomputed").fit(X, Y)
    with pytest.raises(DataError, match="metric='haversine'"):
        KNeighborsClassifier(metric="haversine").fit(X, Y).predict(NEW)
