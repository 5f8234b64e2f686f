"""Nets as estimators: scikit-learn's contract, planted truths, gaps and categories, and what they are stored as."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from venire.errors import DataError, ModelFormatError, UsageError
from venire.models.net.base import fit_together, weight_count
from venire.models.net.estimators import NetClassifier, NetRegressor

SMALL = {"hidden_layer_sizes": (16,), "n_nets": 2, "max_epochs": 20, "random_state": 0}


def known_failures(estimator):
    """Rows are drawn into batches, and into the parts held back, by their number."""
    reason = "a row of weight 2 is in one batch, two rows may be in two"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [
        NetClassifier((16,), n_nets=2, random_state=0),
        NetClassifier((), n_nets=1, numeric_bins=0, early_stopping=None, learning_rate=0.1, random_state=0),
        NetRegressor((16,), n_nets=2, random_state=0),
        NetRegressor((8, 8), n_nets=1, schedule="waves", random_state=0),
    ],
    expected_failed_checks=known_failures,
)
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_classes_are_told_as_well_as_by_a_linear_model(load):
    """On new rows, by log loss; with a margin, since both are estimates."""
    X, y = load(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    ours = NetClassifier(random_state=0).fit(train, y_train).predict_proba(test)
    linear = make_pipeline(StandardScaler(), LogisticRegression()).fit(train, y_train).predict_proba(test)
    assert log_loss(y_test, ours) < log_loss(y_test, linear) + 0.05
    np.testing.assert_allclose(ours.sum(axis=1), 1.0, rtol=1e-12)


def test_numbers_are_told_as_well_as_by_a_linear_model():
    X, y = load_diabetes(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, random_state=1)
    ours = NetRegressor(random_state=0).fit(train, y_train).score(test, y_test)
    assert ours > Ridge(alpha=0.1).fit(train, y_train).score(test, y_test) - 0.05


def circles(rows, seed):
    """Two classes that no line parts."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    return X, ((X**2).sum(axis=1) > 1.4).astype(int)


def test_a_planted_boundary_is_found():
    X, y = circles(2000, 0)
    fresh, told = circles(1000, 1)
    assert NetClassifier(random_state=0).fit(X, y).score(fresh, told) > 0.97


def test_a_planted_curve_is_found():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (2000, 2))
    y = 1e6 + 1e4 * (np.sin(2 * X[:, 0]) + X[:, 1])
    fresh = rng.uniform(-3, 3, (500, 2))
    wanted = 1e6 + 1e4 * (np.sin(2 * fresh[:, 0]) + fresh[:, 1])
    found = NetRegressor(random_state=0).fit(X, y).predict(fresh)
    assert np.sqrt(np.mean((found - wanted) ** 2)) < 0.05 * wanted.std()


def test_no_number_beyond_those_shown_is_predicted():
    X, y = np.linspace(0, 1, 200)[:, None], np.linspace(0, 1, 200)
    found = NetRegressor(**SMALL).fit(X, y).predict([[50.0], [-50.0]])
    assert found.min() >= 0.0
    assert found.max() <= 1.0


def test_gaps_speak():
    """Whether the number is there is all that there is to know."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (rng.random(600) < 0.5).astype(int)
    X[y == 1, 1] = np.nan
    net = NetClassifier(random_state=0).fit(X[:400], y[:400])
    assert net.score(X[400:], y[400:]) == 1.0
    # A column that had no gaps while fitting takes one as its middle.
    gap = X[:3].copy()
    gap[:, 0] = np.nan
    middle = X[:3].copy()
    middle[:, 0] = np.median(X[:400, 0])
    plain = NetClassifier(numeric_bins=0, **SMALL).fit(X[:400], y[:400])
    np.testing.assert_allclose(plain.predict_proba(gap), plain.predict_proba(middle), atol=1e-6)


def test_categories_of_a_frame_are_columns():
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c", "d"], 500)
    frame = pd.DataFrame({"town": town, "noise": rng.normal(size=500)})
    y = np.isin(town, ["a", "d"]).astype(int)
    net = NetClassifier(random_state=0).fit(frame[:400], y[:400])
    assert net.score(frame[400:], y[400:]) == 1.0
    strange = pd.DataFrame({"town": ["nowhere", None], "noise": [0.0, 0.0]})
    said = net.predict_proba(strange)
    np.testing.assert_array_equal(said[0], said[1])  # neither is any of those known


def test_wide_tables_are_written_in_fewer_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5000))
    y = np.tile([0, 1], 20)
    net = NetClassifier((4,), n_nets=1, max_epochs=2, random_state=0).fit(X, y)
    assert net._columns.width == 5000
    codes = rng.integers(0, 40, (40, 1000))
    net = NetClassifier((4,), n_nets=1, max_epochs=2, categorical_features=np.ones(1000, bool), random_state=0)
    assert net.fit(codes, y)._columns.width <= 16 * 1000


def test_wild_numbers_do_no_harm():
    X, y = circles(500, 0)
    X[0] = [1e300, -1e300]
    X[1] = [np.finfo(float).max, -np.finfo(float).max]
    net = NetClassifier(random_state=0).fit(X, y)
    assert net.score(X, y) > 0.95
    assert np.isfinite(net.predict_proba([[1e308, -1e308]])).all()


def test_rows_of_no_weight_are_not_looked_at():
    X, y = circles(300, 0)
    weights = np.where(np.arange(300) < 200, 1.0, 0.0)
    other = np.where(np.arange(300) < 200, y, 1 - y)
    one = NetClassifier(**SMALL).fit(X, y, weights)
    two = NetClassifier(**SMALL).fit(X, other, weights)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    with pytest.raises(DataError, match="no row has a positive weight"):
        NetClassifier(**SMALL, class_weight={0: 0.0, 1: 0.0}).fit(X, y)


def test_weights_move_a_constant():
    """Columns that say nothing leave the share of the weights."""
    X, y = np.zeros((400, 1)), np.tile([0, 1], 200)
    weights = np.where(y == 1, 3.0, 1.0)
    net = NetClassifier((), n_nets=1, early_stopping=None, learning_rate=0.05, random_state=0).fit(X, y, weights)
    assert net.predict_proba([[0.0]])[0, 1] == pytest.approx(0.75, abs=0.02)


@pytest.mark.parametrize("estimator", [NetClassifier(**SMALL), NetRegressor(**SMALL)])
def test_threads_and_company_change_no_bit(estimator):
    X, y = circles(400, 0)
    one = estimator.fit(X, y)
    said = one.predict_proba(X) if hasattr(one, "predict_proba") else one.predict(X)
    for jobs in (2, 3):
        again = type(estimator)(**SMALL, n_jobs=jobs).fit(X, y)
        told = again.predict_proba(X) if hasattr(again, "predict_proba") else again.predict(X)
        assert told.tobytes() == said.tobytes()
    company = [type(estimator)(**{**SMALL, "hidden_layer_sizes": (40, 8)}), type(estimator)(**SMALL)]
    fit_together(company, X, y)
    assert company[1]._weights.tobytes() == one._weights.tobytes()
    assert not np.array_equal(company[0]._weights[:, :50], one._weights[:, :50])


def test_company_must_agree():
    X, y = circles(100, 0)
    with pytest.raises(UsageError, match="must agree on"):
        fit_together([NetClassifier(**SMALL), NetClassifier(**{**SMALL, "max_epochs": 3})], X, y)


def test_nets_hold_back_parts_of_their_own():
    X, y = circles(400, 0)
    net = NetClassifier((8,), n_nets=3, max_epochs=10, random_state=0).fit(X, y)
    first = [losses[0] for losses in net.validation_losses_]
    assert len(set(first)) == 3
    assert net.epochs_.tolist() == [int(np.argmin(losses)) + 1 for losses in net.validation_losses_]


def test_costs_decide():
    X, y = circles(400, 0)
    X = X + np.random.default_rng(5).normal(size=X.shape)
    plain = NetClassifier(**SMALL).fit(X, y).predict(X).mean()
    careful = NetClassifier(**SMALL, costs=[[0, 1], [20, 0]]).fit(X, y).predict(X).mean()
    assert careful > plain


def test_what_cannot_be_learned_is_said():
    X, y = circles(60, 0)
    with pytest.raises(DataError, match="has one class"):
        NetClassifier().fit(X, np.zeros(60))
    with pytest.raises(UsageError, match="hidden_layer_sizes must lie in"):
        NetClassifier((0,)).fit(X, y)
    with pytest.raises(DataError, match="grew beyond all bounds"):
        NetRegressor((8,), learning_rate=1e30, weight_decay=1e30, early_stopping=None).fit(X, y)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"_weights": np.zeros((2, 5), np.float32)}, "_weights has 5 weights a net"),
        ({"_weights": np.full((2, 243), np.nan, np.float32)}, "not finite"),
        ({"_weights": np.zeros((2, 243))}, "no array of type f4"),
        ({"_sizes": [9, 16, 2]}, "begins with 9 columns"),
        ({"_sizes": [18, 16, 3]}, "ends with 3 outputs"),
        ({"_sizes": [18]}, "has no layers"),
        ({"epochs_": np.array([1])}, "nets"),
    ],
)
def test_a_state_that_does_not_hold_together_is_refused(broken, said):
    X, y = circles(100, 0)
    net = NetClassifier((16,), n_nets=2, numeric_bins=8, max_epochs=2, random_state=0).fit(X, y)
    assert weight_count(net._sizes) == net._weights.shape[1]
    state = net.__getstate__()
    if "_weights" in broken and broken["_weights"].shape[1] == 243:
        broken = {"_weights": np.resize(broken["_weights"], net._weights.shape).astype(broken["_weights"].dtype)}
    state.update(broken)
    with pytest.raises(ModelFormatError, match=said):
        NetClassifier().__setstate__(state)


def test_a_pickle_predicts_the_same_bits():
    X, y = circles(100, 0)
    for net in (NetClassifier(**SMALL).fit(X, y), NetRegressor(**SMALL).fit(X, y)):
        again = pickle.loads(pickle.dumps(net))  # noqa: S301  # written a moment ago
        assert again.predict(X).tobytes() == net.predict(X).tobytes()
