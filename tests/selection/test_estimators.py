"""Forward and backward selection as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from venire import BackwardSelection, DataError, ForwardSelection, NaiveBayesClassifier, UsageError
from venire.data.encode import OneHotScaled
from venire.selection.plain import PlainEngine

BOTH = (ForwardSelection, BackwardSelection)


@pytest.mark.filterwarnings("ignore:class .* has one row only:venire.errors.VenireWarning")
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@parametrize_with_checks(
    [
        ForwardSelection(GaussianNB(), cv=3),
        BackwardSelection(Ridge(), cv=3),
    ]
)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def planted(rows: int = 300, columns: int = 8, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns 1, 4 and 6 carry the target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, 3 * X[:, 1] - 2 * X[:, 4] + X[:, 6] + 0.5 * rng.standard_normal(rows)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("naive", [False, True])
def test_planted_attributes_are_found(kind: Any, naive: bool) -> None:
    X, y = planted()
    # A subclass is not recognised as least squares, and takes the plain loop.
    estimator = type("Own", (LinearRegression,), {})() if naive else LinearRegression()
    selection = kind(estimator, cv=KFold(5)).fit(X, y)
    assert {"x1", "x4", "x6"} <= set(selection.attributes_)
    assert selection.get_support(indices=True).tolist() == [int(name[1:]) for name in selection.attributes_]
    assert selection.score(X, y) > 0.9


def test_the_forward_path_starts_with_the_strongest() -> None:
    X, y = planted()
    path = ForwardSelection(LinearRegression()).fit(X, y).path_
    assert [step.changed for step in path[:4]] == [None, "x1", "x4", "x6"]
    assert path[0].attributes == ()
    assert path[0].training_error == pytest.approx(y.std())


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("estimator", [LinearRegression(), KNeighborsClassifier()], ids=["fast", "plain"])
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_no_more_subsets_than_promised(kind: Any, estimator: Any, columns: int) -> None:
    X, y = load_iris(return_X_y=True)
    whole = kind(estimator, cv=3, whole_path=True).fit(X[:, :columns], y)
    assert whole.n_subsets_ == 1 + columns * (columns + 1) // 2
    assert len(whole.path_) == columns + 1
    assert sum(step.chosen for step in whole.path_) == 1
    assert kind(estimator, cv=3).fit(X[:, :columns], y).n_subsets_ <= whole.n_subsets_


@pytest.mark.parametrize("kind", BOTH)
def test_it_stops_where_nothing_improves(kind: Any) -> None:
    X, y = load_diabetes(return_X_y=True)
    stopped = kind(LinearRegression(), cv=10).fit(X, y).path_
    whole = kind(LinearRegression(), cv=10, whole_path=True).fit(X, y).path_
    errors = [step.error for step in stopped]
    assert errors[:-1] == sorted(errors[:-1], reverse=True)
    assert errors[-1] >= errors[-2]  # the step that did not help is shown,
    assert stopped[-2].chosen  # and not chosen
    assert [(step.changed, step.error) for step in stopped] == [(s.changed, s.error) for s in whole[: len(stopped)]]


def test_forward_does_not_take_what_does_not_help_and_backward_gives_it_up() -> None:
    X, y = planted(columns=7)
    X = np.column_stack([X, X[:, 1]])  # a copy neither helps nor hurts
    assert "x7" not in ForwardSelection(LinearRegression()).fit(X, y).attributes_
    chosen = BackwardSelection(LinearRegression()).fit(X, y).attributes_
    assert ("x1" in chosen) != ("x7" in chosen)


def test_a_wanted_number() -> None:
    X, y = planted()
    for kind in BOTH:
        assert len(kind(LinearRegression(), n_attributes=2).fit(X, y).attributes_) == 2
    with pytest.raises(UsageError, match="9 columns cannot be chosen of 8"):
        ForwardSelection(LinearRegression(), n_attributes=9).fit(X, y)


def test_no_attribute_helps() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((60, 2)), np.tile([0, 1], 30)
    selection = ForwardSelection(LogisticRegression(), metric="log_loss").fit(X, y)
    assert selection.attributes_ == ()
    assert selection.predict_proba(X).tolist() == [[0.5, 0.5]] * 60
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selection.transform(X).shape == (60, 0)


def test_columns_of_one_attribute_move_together() -> None:
    X, y = planted()
    labels = ["a", "b", "a", "c", "b", "c", "d", "d"]
    selection = ForwardSelection(LinearRegression(), attributes=labels, whole_path=True).fit(X, y)
    assert [step.changed for step in selection.path_][:3] == [None, "b", "d"]
    assert selection.n_subsets_ == 1 + 4 * 5 // 2
    assert set(selection.get_support(indices=True)) == {
        j for j, label in enumerate(labels) if label in selection.attributes_
    }
    with pytest.raises(UsageError, match="attributes has 2 labels, and X has 8 columns"):
        ForwardSelection(LinearRegression(), attributes=["a", "b"]).fit(X, y)


def test_an_encoder_is_fitted_inside_and_its_columns_move_together() -> None:
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 4, 200).astype(float)
    noise = rng.standard_normal(200)
    noise[:20] = np.nan
    y = np.array([0.0, 3.0, -2.0, 5.0])[colour.astype(int)] + 0.1 * rng.standard_normal(200)
    X = np.column_stack([noise, colour])
    selection = ForwardSelection(LinearRegression(), encoder=OneHotScaled(categorical=[False, True])).fit(X, y)
    assert selection.attributes_ == ("x1",)
    assert selection.path_[1].error < 0.12
    assert selection.predict(X) == pytest.approx(y, abs=0.5)


def test_a_mask_of_categorical_columns_is_cut_along() -> None:
    rng = np.random.default_rng(0)
    code = rng.integers(0, 3, 300).astype(float)
    X = np.column_stack([rng.standard_normal((300, 2)), code])
    y = np.isin(code, [0, 2]).astype(int)
    bayes = NaiveBayesClassifier(categorical_features=np.array([False, False, True]))
    assert ForwardSelection(bayes).fit(X, y).attributes_ == ("x2",)
    with pytest.raises(UsageError, match="must be a mask where attributes are selected"):
        ForwardSelection(NaiveBayesClassifier(categorical_features=[2])).fit(X, y)


def test_costs_move_the_choice_and_the_decision() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    careful = ForwardSelection(GaussianNB(), costs=[[0, 1], [20, 0]]).fit(X, y)
    plain = ForwardSelection(GaussianNB()).fit(X, y)
    assert (careful.predict(X) == 2).sum() > (plain.predict(X) == 2).sum()
    with pytest.raises(UsageError, match="the costs have shape 3 × 3"):
        ForwardSelection(GaussianNB(), costs=np.zeros((3, 3))).fit(X, y)


def test_it_works_with_frames_pipelines_and_searches() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    selection = ForwardSelection(GaussianNB()).fit(X, y)
    assert list(selection.get_feature_names_out()) == list(selection.attributes_)
    assert isinstance(selection.set_output(transform="pandas").transform(X), pd.DataFrame)
    pipeline = make_pipeline(StandardScaler(), BackwardSelection(RidgeClassifier(), cv=3))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    grid = GridSearchCV(ForwardSelection(RidgeClassifier(), cv=3), {"estimator__alpha": [0.1, 10.0]}, cv=3).fit(X, y)
    assert grid.best_score_ > 0.7
    again = clone(selection).fit(X, y)
    assert again.path_ == selection.path_


def test_workers_change_nothing() -> None:
    X, y = load_iris(return_X_y=True)
    with parallel_config("threading"):
        one, two = (ForwardSelection(GaussianNB(), cv=3, n_jobs=jobs).fit(X, y).path_ for jobs in (1, 2))
    assert one == two


def test_what_cannot_be_done_is_said() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(UsageError, match="StandardScaler is neither a classifier nor a regressor"):
        ForwardSelection(StandardScaler()).fit(X, y)
    with pytest.raises(UsageError, match="RidgeClassifier gives scores, and log_loss needs probabilities"):
        ForwardSelection(RidgeClassifier(), metric="log_loss").fit(X, y)
    with pytest.raises(UsageError, match="there is no metric 'rmse' for classification"):
        ForwardSelection(GaussianNB(), metric="rmse").fit(X, y)
    with pytest.raises(UsageError, match="does not support sample weights"):
        ForwardSelection(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(150))
    with pytest.raises(UsageError, match="whole_path"):
        ForwardSelection(GaussianNB(), whole_path="yes").fit(X, y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        BackwardSelection(LinearRegression()).fit(np.where(X > 7, np.nan, X), y.astype(float))
    with pytest.raises(DataError, match="is not defined on any part"):
        ForwardSelection(GaussianNB(), cv=KFold(3), metric="auc").fit(X, y)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_frame_of_numbers_is_searched_like_an_array(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one subset is fitted alone: least squares has a faster way, and a frame is no reason to leave it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = X[:, 1] - X[:, 3] + 0.1 * rng.normal(size=80)
    plain = ForwardSelection(LinearRegression(), cv=4).fit(X, y)
    monkeypatch.setattr(PlainEngine, "tried", None)
    frame = library({name: X[:, at] for at, name in enumerate("abcde")})
    found = ForwardSelection(LinearRegression(), cv=4).fit(frame, y)
    assert [step.error for step in found.path_] == pytest.approx([step.error for step in plain.path_], rel=1e-12)
    assert np.array_equal(found.support_, plain.support_)
    assert {"b", "d"} <= set(found.attributes_)
