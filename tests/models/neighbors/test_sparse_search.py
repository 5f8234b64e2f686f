"""k nearest rows of sparse tables: those of the dense table, in the same order."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier as PeerClassifier
from sklearn.neighbors import KNeighborsRegressor as PeerRegressor

from venire import DataError, KNeighborsClassifier, KNeighborsRegressor, UsageError, VenireWarning, load, save
from venire.errors import ModelFormatError
from venire.models.neighbors import sparse_search as module
from venire.models.neighbors.sparse_search import SparseSearch

WORDS = sparse.random(200, 30, 0.2, random_state=0, format="csr")
WORDS.data = np.ceil(4 * WORDS.data)  # counts, up to 4 in each column: many rows are equally far, and scaled ones too
LABELS = np.array(["a", "b", "c"])[np.arange(200) % 3]
VALUES = np.asarray(WORDS[:, :3].sum(axis=1)).ravel()


@pytest.mark.parametrize("scale", ["none", "spread", "range"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_as_if_dense(scale, weights, monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 500)  # candidates in several parts
    settings = {"n_neighbors": 4, "scale": scale, "weights": weights}
    given = KNeighborsClassifier(**settings).fit(WORDS, LABELS)
    dense = KNeighborsClassifier(**settings).fit(WORDS.toarray(), LABELS)
    for one, other in zip(given.kneighbors(WORDS[:50]), dense.kneighbors(WORDS[:50].toarray()), strict=True):
        assert one == pytest.approx(other, abs=1e-12)
    assert given.predict_proba(WORDS) == pytest.approx(dense.predict_proba(WORDS.toarray()))
    assert given.predict_path(WORDS).tolist() == dense.predict_path(WORDS.toarray()).tolist()
    assert given.loo_predict_proba_path() == pytest.approx(dense.loo_predict_proba_path())
    assert given.predict_proba(WORDS.toarray()) == pytest.approx(dense.predict_proba(WORDS))


def test_rows_that_lie_close_together_keep_their_order():
    """Products lose the digits that tell such rows apart."""
    near = sparse.csr_matrix(np.array([[1e6, 0.0], [1e6 + 1e-3, 0.0], [1e6 + 3e-3, 0.0], [0.0, 1.0]]))
    model = KNeighborsRegressor(n_neighbors=3).fit(near, np.arange(4.0))
    distances, rows = model.kneighbors(sparse.csr_matrix([[1e6 + 2.2e-3, 0.0]]))
    assert rows.tolist() == [[2, 1, 0]]
    assert distances[0] == pytest.approx([0.8e-3, 1.2e-3, 2.2e-3], rel=1e-6)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered")
def test_rows_whose_squares_overflow_are_the_farthest():
    far = sparse.csr_matrix(np.array([[1.0, 0.0], [1e200, 0.0], [0.0, 1e300], [2.0, 0.0]]))
    model = KNeighborsRegressor(n_neighbors=2).fit(far, np.arange(4.0))
    assert model.kneighbors(sparse.csr_matrix([[1.9, 0.0]]))[1].tolist() == [[3, 0]]
    assert model.kneighbors(sparse.csr_matrix([[-1e300, 0.0]]))[1].tolist() == [[0, 1]]  # all infinitely far


def test_gaps_have_no_place_among_zeros():
    gaps = sparse.csr_matrix(np.array([[np.nan, 1.0], [0.0, 2.0]]))
    with pytest.raises(DataError, match="missing values have no place among its zeros"):
        KNeighborsRegressor(n_neighbors=1).fit(gaps, [0.0, 1.0])


def test_a_model_file_keeps_it(tmp_path):
    model = KNeighborsRegressor(n_neighbors=3, scale="range").fit(WORDS, VALUES)
    with pytest.warns(VenireWarning, match="keeps 200 training rows"):
        save(model, tmp_path / "near.venire")
    assert np.array_equal(load(tmp_path / "near.venire").predict(WORDS), model.predict(WORDS))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("start", np.array([0, 3, 2], np.int64), "start does not divide"),
        ("places", np.array([0, 9], np.int64), "places lie beyond"),
        ("scale", np.ones(5), "scale"),
    ],
)
def test_a_damaged_state_is_refused(name, value, message):
    state = SparseSearch(sparse.csr_matrix(np.eye(2)), "none").__getstate__()
    with pytest.raises(ModelFormatError, match=message):
        object.__new__(SparseSearch).__setstate__({**state, name: value})


TARGETS = np.c_[np.arange(200) % 3, np.arange(200) % 2]


@pytest.mark.parametrize("make", [sparse.csr_matrix, np.asarray])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_several_targets_are_those_of_scikit_learn(make, weights):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 4))  # no ties, whose order scikit-learn leaves open
    given, queries = make(x), make(rng.normal(size=(20, 4)))
    ours = KNeighborsClassifier(n_neighbors=4, weights=weights).fit(given, TARGETS)
    peer = PeerClassifier(n_neighbors=4, weights=weights, algorithm="brute").fit(given, TARGETS)
    for one, other in zip(ours.predict_proba(queries), peer.predict_proba(queries), strict=True):
        assert one == pytest.approx(other)
    assert ours.predict(queries).tolist() == peer.predict(queries).tolist()
    assert [part.shape for part in ours.predict_proba_path(queries)] == [(4, 20, 3), (4, 20, 2)]
    assert ours.predict_path(queries).shape == (4, 20, 2)
    assert ours.n_classes_ == [3, 2]
    numbers = np.c_[x[:, 0], x[:, 1] ** 2]
    regressor = KNeighborsRegressor(n_neighbors=4, weights=weights).fit(given, numbers)
    expected = PeerRegressor(n_neighbors=4, weights=weights, algorithm="brute").fit(given, numbers).predict(queries)
    assert regressor.predict(queries) == pytest.approx(expected)
    assert regressor.loo_predict_path([1, 2]).shape == (2, 200, 2)


def test_costs_are_for_one_target(tmp_path):
    with pytest.raises(UsageError, match="costs are for one target"):
        KNeighborsClassifier(costs=[[0, 1], [2, 0]]).fit(WORDS, TARGETS)
    model = KNeighborsClassifier().fit(WORDS, TARGETS)
    with pytest.warns(VenireWarning, match="keeps 200 training rows"):
        save(model, tmp_path / "several.venire")
    assert np.array_equal(load(tmp_path / "several.venire").predict(WORDS), model.predict(WORDS))
