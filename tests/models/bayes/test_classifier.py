"""Naive Bayes: the figures of the literature, scikit-learn as an oracle, batches, weights and gaps."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.models.tables import MIXED, mixed
from venire.errors import DataError, UsageError
from venire.models.bayes.classifier import NaiveBayesClassifier


@parametrize_with_checks([NaiveBayesClassifier()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_incomes_with_laplace_correction():
    income = pd.Categorical(["medium"] * 990 + ["high"] * 10, categories=["low", "medium", "high"])
    model = NaiveBayesClassifier(alpha=1.0).fit(pd.DataFrame({"income": income}), ["all"] * 1000)
    shares = model.category_shares("income")["all"]
    assert shares == {"high": 11 / 1003, "low": 1 / 1003, "medium": 991 / 1003}
    codes = np.repeat([1.0, 2.0], [990, 10])[:, None]
    model = NaiveBayesClassifier(categorical_features=[0]).fit(codes, np.zeros(1000))
    assert model.category_shares(0)[0.0][2] == 11 / 1003


def test_play_golf_by_hand(golf):
    X, y = golf
    model = NaiveBayesClassifier(alpha=0.0).fit(X, y)
    assert model.category_shares("humidity")["no"]["high"] == pytest.approx(4 / 5)
    # P(no | sunny) = P(sunny | no) P(no) / P(sunny) = 2/5 · 5/14 / (5/14)
    sunny = NaiveBayesClassifier(alpha=0.0).fit(X[["outlook"]], y).predict_proba(pd.DataFrame({"outlook": ["sunny"]}))
    assert sunny[0, list(model.classes_).index("no")] == pytest.approx(0.40)


def test_equals_gaussian_nb():
    X, y = np.random.default_rng(1).normal(size=(500, 6)) * [1, 1e3, 1e-3, 1, 1, 1] + 5, np.arange(500) % 3
    X[:, 0] += y
    ours, peer = NaiveBayesClassifier().fit(X, y), GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.theta_, peer.theta_, rtol=1e-12)
    np.testing.assert_allclose(ours.var_, peer.var_, rtol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.predict_log_proba(X), peer.predict_log_proba(X), atol=1e-9)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64, np.float32, np.uint8])
def test_equals_categorical_nb(dtype):
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 5, (400, 4)), rng.integers(0, 3, 400)
    ours = NaiveBayesClassifier(alpha=0.7, categorical_features=[True] * 4).fit(X.astype(dtype), y)
    peer = CategoricalNB(alpha=0.7).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X.astype(dtype)), peer.predict_proba(X), atol=1e-12)


def test_equals_multinomial_nb():
    rng = np.random.default_rng(3)
    X, y = rng.poisson(2.0, (300, 8)), rng.integers(0, 4, 300)
    ours = NaiveBayesClassifier(count_features=range(8)).fit(X, y, sample_weight=np.arange(300) % 4)
    peer = MultinomialNB().fit(X, y, sample_weight=np.arange(300) % 4)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-12)


def test_kinds_multiply():
    X, y = mixed()
    whole = NaiveBayesClassifier(**MIXED).fit(X, y).predict_joint_log_proba(X)
    parts = [
        NaiveBayesClassifier(var_smoothing=1e-9).fit(X[:, :2], y),
        NaiveBayesClassifier(categorical_features=[0, 1]).fit(X[:, 2:4], y),
        NaiveBayesClassifier(count_features=[0, 1]).fit(X[:, 4:], y),
    ]
    each = [model.predict_joint_log_proba(X[:, 2 * i : 2 * i + 2]) for i, model in enumerate(parts)]
    np.testing.assert_allclose(whole, sum(each) - 2 * np.log(parts[0].class_prior_), atol=1e-10)


@pytest.mark.parametrize("batches", [2, 30, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_do_not_matter(batches, weighted):
    X, y = mixed(1000)
    X[:, 0] = X[:, 0] + 1e8  # an offset must not cost digits
    weights = np.random.default_rng(4).random(1000) if weighted else np.ones(1000)
    once = NaiveBayesClassifier(**MIXED).fit(X, y, sample_weight=weights)
    often = NaiveBayesClassifier(**MIXED)
    for part in np.array_split(np.arange(1000), batches):
        often.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weights[part])
    for name in ("class_prior_", "theta_", "var_", "count_shares_"):
        np.testing.assert_allclose(getattr(often, name), getattr(once, name), rtol=1e-12)
    np.testing.assert_allclose(often.predict_proba(X), once.predict_proba(X), rtol=0, atol=1e-12)


def test_an_offset_costs_nothing():
    X, y = mixed(400)
    plain = NaiveBayesClassifier(**MIXED).fit(X, y)
    moved = X.copy()
    moved[:, 0] = np.round(X[:, 0], 3) + 2.0**30
    X[:, 0] = moved[:, 0] - 2.0**30
    plain = NaiveBayesClassifier(**MIXED).fit(X, y)
    np.testing.assert_allclose(
        NaiveBayesClassifier(**MIXED).fit(moved, y).predict_proba(moved), plain.predict_proba(X), atol=1e-12
    )


def test_a_class_may_come_late_and_a_stranger_may_not():
    X = np.arange(6.0)[:, None]
    model = NaiveBayesClassifier().partial_fit(X, [0, 0, 0, 1, 1, 1], classes=[0, 1, 2])
    assert model.predict_proba(X)[:, 2].max() < 1e-300
    assert np.isfinite(model.partial_fit(X[:2] + 9, [2, 2]).predict_proba(X)).all()
    with pytest.raises(DataError, match=r"labels \[7\] in y do not exist in the initial classes"):
        model.partial_fit(X[:1], [7])


def test_missing_is_left_out_of_the_product():
    X, y = mixed()
    model = NaiveBayesClassifier(**MIXED).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(np.full((1, 6), np.nan))[0], model.class_prior_, atol=1e-12)
    unknown = np.full((2, 6), np.nan)
    unknown[:, 2] = 99, -1  # a code never seen, and a negative one
    np.testing.assert_allclose(model.predict_proba(unknown), np.tile(model.class_prior_, (2, 1)), atol=1e-12)


def test_a_row_is_scored_the_same_in_any_company():
    X, y = mixed(2000)
    model = NaiveBayesClassifier(**MIXED).fit(X, y)
    alone = np.vstack([model.predict_joint_log_proba(row[None]) for row in X[:50]])
    np.testing.assert_array_equal(alone, model.predict_joint_log_proba(X)[:50])


def test_layout_scalars_and_threads_do_not_matter():
    X, y = mixed(40_000)
    X = np.round(X * 8) / 8  # exact in single precision
    X[:, 2:4] = np.floor(X[:, 2:4])
    first = NaiveBayesClassifier(**MIXED).fit(X, y)
    for other in (np.asfortranarray(X), X.astype(np.float32), np.repeat(X, 2, axis=1)[:, ::2]):
        model = NaiveBayesClassifier(**MIXED, n_jobs=3).fit(other, y)
        np.testing.assert_array_equal(model.theta_, first.theta_)
        np.testing.assert_array_equal(model.predict_joint_log_proba(other), first.predict_joint_log_proba(X))


def test_weights_are_repetitions():
    X, y = mixed(200)
    weights = np.random.default_rng(5).integers(0, 4, 200)
    weighted = NaiveBayesClassifier(**MIXED).fit(X, y, sample_weight=weights)
    repeated = NaiveBayesClassifier(**MIXED).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-12)


def test_weights_in_the_priors_alone():
    X, y = mixed(200)
    weights = np.where(y == 0, 5.0, 1.0)
    plain = NaiveBayesClassifier(**MIXED).fit(X, y)
    model = NaiveBayesClassifier(**MIXED, weights_in="priors").fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.theta_, plain.theta_)
    np.testing.assert_allclose(model.class_prior_, np.bincount(y, weights) / weights.sum())
    same = NaiveBayesClassifier(**MIXED, class_weight={0: 5}, weights_in="priors").fit(X, y)
    np.testing.assert_allclose(same.class_prior_, model.class_prior_)


def test_balanced_class_weights_give_equal_priors():
    X, y = mixed()
    np.testing.assert_allclose(
        NaiveBayesClassifier(**MIXED, class_weight="balanced").fit(X, y).class_prior_, [1 / 3] * 3
    )


def test_costs_move_the_decision():
    X, y = np.random.default_rng(6).normal(size=(400, 1)), np.arange(400) % 2
    X[:, 0] += y
    plain = NaiveBayesClassifier().fit(X, y)
    careful = NaiveBayesClassifier(costs=[[0, 1], [9, 0]]).fit(X, y)
    np.testing.assert_array_equal(careful.predict(X) == 1, plain.predict_proba(X)[:, 1] >= 0.1)


def test_without_correction_an_unseen_value_outweighs_all_else():
    X, y = np.array([[0.0, 0], [0, 1], [1, 1], [1, 2]]), [0, 0, 1, 1]
    model = NaiveBayesClassifier(alpha=0.0, categorical_features=[0, 1]).fit(X, y)
    # Either class is ruled out by one attribute; the other attribute decides, 1 against ½.
    np.testing.assert_allclose(model.predict_proba([[1.0, 0.0]]), [[1 / 3, 2 / 3]])
    np.testing.assert_allclose(model.predict_proba([[0.0, 1.0]]), [[1.0, 0.0]], atol=1e-300)


def test_constant_columns_and_no_smoothing():
    X, y = np.ones((6, 2)), [0, 1] * 3
    for smoothing in (0.0, 1e-9):
        shares = NaiveBayesClassifier(var_smoothing=smoothing).fit(X, y).predict_proba([[1.0, 1.0], [1e9, -1e9]])
        np.testing.assert_allclose(shares, 0.5)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames(golf, kind):
    X, y = golf
    X = X.assign(degrees=np.linspace(10.0, 30.0, 14))
    expected = NaiveBayesClassifier().fit(X, y).predict_proba(X)
    frame = {"pandas": X.astype({"outlook": "category"}), "polars": pl.from_pandas(X), "arrow": pa.table(X)}[kind]
    model = NaiveBayesClassifier().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["outlook", "temp", "humidity", "windy", "degrees"]
    np.testing.assert_allclose(model.predict_proba(frame), expected, atol=1e-14)


def test_inside_the_tools_of_scikit_learn(golf):
    X, y = golf
    search = GridSearchCV(NaiveBayesClassifier(), {"alpha": [0.1, 1.0]}, cv=2).fit(X, y)
    assert search.best_score_ > 0
    numbers, labels = np.random.default_rng(7).normal(size=(60, 3)), np.arange(60) % 2
    pipeline = make_pipeline(StandardScaler(), NaiveBayesClassifier())
    assert cross_val_score(pipeline, numbers, labels, cv=3).shape == (3,)
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        asked = make_pipeline(scaler, NaiveBayesClassifier().set_fit_request(sample_weight=True))
        weights = np.where(labels == 0, 3.0, 1.0)
        assert asked.fit(numbers, labels, sample_weight=weights)[-1].class_prior_[0] == pytest.approx(0.75)


def test_pickled_and_back(golf):
    X, y = golf
    model = NaiveBayesClassifier().fit(X, y)
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own bytes
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


def test_bad_rows(golf):
    X, y = mixed()
    model = NaiveBayesClassifier(**MIXED).fit(X, y)
    broken = X.copy()
    broken[3, 2] = 0.5
    with pytest.raises(DataError, match=r"column 2 is categorical, so it must hold codes .* found 0\.5"):
        model.predict(broken)
    with pytest.raises(UsageError, match="needs all rows at once"):
        NaiveBayesClassifier(class_weight="balanced").partial_fit(X, y)
    with pytest.raises(UsageError, match="column 0 is not categorical"):
        model.category_shares(0)
    frame, play = golf
    named = NaiveBayesClassifier().fit(frame, play)
    with pytest.raises(ValueError, match="seen at fit time, yet now missing"):
        named.predict(frame.drop(columns="windy"))
    with pytest.raises(UsageError, match="'wind', which is no column"):
        named.category_shares("wind")
