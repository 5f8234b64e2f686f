from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from venire.errors import DataError, UsageError
from venire.reductions import Resampled
from venire.reductions.resampling import corrected, resampled_rows

TEN = np.array([0, 0, 0, 0, 0, 1, 0, 1, 0, 0])  # rows 6 and 8, counted from one, are rare


def rare(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """One in ten is of class 1; the logistic model is the true one."""
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.1).astype(int)
    return rng.normal(1.5 * y[:, None], 1.0, (rows, 2)), y


@pytest.mark.parametrize(("ratio", "each"), [(1.0, 8), (0.0, 2), (0.5, 5)])
def test_ten_rows(ratio: float, each: int) -> None:
    rows = resampled_rows(TEN, ratio, np.random.default_rng(0))
    assert len(rows) == 2 * each
    assert np.bincount(TEN[rows]).tolist() == [each, each]
    copies = np.bincount(rows, minlength=10)
    assert copies[TEN == 0].max() == 1  # no row of the common class twice
    assert np.ptp(copies[TEN == 1]) <= 1  # rows of the rare class equally often


@given(st.lists(st.integers(0, 4), min_size=2, max_size=60), st.floats(0, 1))
def test_every_class_gets_the_same_size(labels: list[int], ratio: float) -> None:
    y = np.array(labels)
    counts = np.bincount(y)[np.unique(y)]
    rows = resampled_rows(y, ratio, np.random.default_rng(0))
    after = np.bincount(y[rows])[np.unique(y)]
    assert len(set(after)) == 1
    assert counts.min() <= after[0] <= counts.max()
    copies = np.bincount(rows, minlength=len(y))
    assert all(np.ptp(copies[y == label]) <= 1 for label in np.unique(y))


@pytest.mark.parametrize("strategy", ["under", "over", 0.3])
def test_the_model_is_fitted_on_the_resampled_rows(strategy: object) -> None:
    x, y = rare(300, 0)
    model = Resampled(GaussianNB(), strategy, random_state=0).fit(x, y)
    assert model.counts_ == {0: int((y == 0).sum()), 1: int((y == 1).sum())}
    assert model.resampled_counts_[0] == model.resampled_counts_[1]
    assert np.allclose(model.estimator_.class_prior_, 0.5)
    again = clone(model).fit(x, y)
    assert (again.predict_proba(x) == model.predict_proba(x)).all()


@pytest.mark.parametrize("strategy", ["under", "over", 0.5])
def test_probabilities_speak_of_the_shares_as_they_were(strategy: object) -> None:
    x, y = rare(5000, 0)
    x_new, y_new = rare(5000, 1)
    model = Resampled(LogisticRegression(), strategy, random_state=0).fit(x, y)
    plain = LogisticRegression().fit(x, y).predict_proba(x_new)[:, 1]
    assert abs(model.predict_proba(x_new)[:, 1].mean() - y_new.mean()) < 0.02
    assert np.abs(model.predict_proba(x_new)[:, 1] - plain).mean() < 0.02
    raw = Resampled(LogisticRegression(), strategy, correct=False, random_state=0).fit(x, y)
    assert raw.predict_proba(x_new)[:, 1].mean() > 0.2
    assert (raw.predict(x_new) == model.predict(x_new)).all()
    assert (model.predict(x_new) == 1).mean() > 0.15  # the decision is that of equal shares


def test_correction_is_bayes_rule() -> None:
    was, became = np.array([0.7, 0.2, 0.1]), np.array([0.2, 0.5, 0.3])
    likelihood = np.random.default_rng(0).random((20, 3))
    learned = likelihood * became / (likelihood * became).sum(axis=1, keepdims=True)
    truth = likelihood * was / (likelihood * was).sum(axis=1, keepdims=True)
    assert np.allclose(corrected(learned, was, became), truth)
    assert np.allclose(corrected(np.array([[0.0, 0.0, 1.0]]), was, np.array([0.5, 0.5, 0.0])), was)


def test_by_weights_for_a_learner_that_takes_none() -> None:
    x, y = rare(1000, 0)
    weights = np.where(y == 1, 9.0, 1.0)
    model = Resampled(KNeighborsClassifier(), "weights", random_state=0).fit(x, y, sample_weight=weights)
    assert sum(model.resampled_counts_.values()) == 1000
    assert abs(model.resampled_counts_[1] - 500) < 60
    balanced = Resampled(KNeighborsClassifier(), "weights", class_weight="balanced", random_state=0).fit(x, y)
    assert abs(balanced.resampled_counts_[1] - 500) < 60
    with pytest.raises(UsageError, match="strategy='weights' draws rows by their weights, and there are none"):
        Resampled(KNeighborsClassifier(), "weights").fit(x, y)


def test_weights_follow_their_rows() -> None:
    x, y = rare(400, 0)
    weights = np.random.default_rng(0).random(400)
    model = Resampled(GaussianNB(), "under", random_state=0).fit(x, y, sample_weight=weights)
    shares = np.bincount(y, weights=weights) / weights.sum()
    assert np.allclose(model._was, shares)
    assert np.allclose(model._became, model.estimator_.class_prior_)


class Doubling:
    """A sampler as imbalanced-learn's are: it makes rows that were not there."""

    def fit_resample(self, X: pd.DataFrame, y: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
        extra = X[y == 1] + 0.01
        return pd.concat([X, extra]), np.r_[y, np.ones(len(extra), dtype=int)]


class Renaming:
    """A sampler gone wrong."""

    def fit_resample(self, X: pd.DataFrame, y: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
        return X, y + 10


def test_a_sampler() -> None:
    x, y = rare(200, 0)
    frame = pd.DataFrame(x, columns=["a", "b"])
    model = Resampled(GaussianNB(), Doubling()).fit(frame, y)
    assert model.resampled_counts_[1] == 2 * model.counts_[1]
    assert list(model.estimator_.feature_names_in_) == ["a", "b"]
    with pytest.raises(DataError, match="Renaming gave back other classes"):
        Resampled(GaussianNB(), Renaming()).fit(frame, y)
    with pytest.raises(UsageError, match="a sampler makes new rows, which have no sample_weight"):
        Resampled(GaussianNB(), Doubling()).fit(frame, y, sample_weight=np.ones(200))


def test_held_out_rows_stay_as_they_are() -> None:
    x, y = rare(300, 0)
    said = cross_val_predict(Resampled(GaussianNB(), "over", random_state=0), x, y, cv=5)
    assert said.shape == y.shape
    assert (said == 1).mean() > 0.1


def test_costs_and_learners_without_probabilities() -> None:
    x, y = rare(500, 0)
    careful = Resampled(GaussianNB(), "under", costs=[[0, 1], [4, 0]], random_state=0).fit(x, y)
    assert (careful.predict(x) == (careful.predict_proba(x)[:, 1] > 0.2)).all()
    labels = Resampled(LinearSVC(), "under", random_state=0).fit(x, y)
    assert not hasattr(labels, "predict_proba")
    assert (labels.predict(x) == 1).mean() > 0.1


@pytest.mark.parametrize("strategy", ["sideways", 1.5, -0.1, None])
def test_strategies_that_are_none(strategy: object) -> None:
    with pytest.raises(UsageError, match="'strategy' parameter of Resampled must be"):
        Resampled(GaussianNB(), strategy).fit(*rare(50, 0))
