"""Shapley values by sampled orders: they add up, are exact where nothing is left to chance, and come near elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tests.explain.test_shapley import brute_force
from venire.explain import sampled_shapley
from venire.explain.shapley import shap_values

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 5))
Y = X[:, 0] * X[:, 1] + X[:, 2] + 0.1 * RNG.normal(size=200)
MODEL = KNeighborsRegressor(5).fit(X, Y)


def test_they_add_up_however_few_the_orders() -> None:
    for orders in (1, 3, 50):
        found = shap_values(MODEL, X[:7], X[20:40], orders=orders)
        np.testing.assert_allclose(found.predictions, MODEL.predict(X[:7]), atol=1e-10)
        assert found.background_rows == min(orders, 20)
    assert np.isnan(shap_values(MODEL, X[:2], X[20:40], orders=1).standard_errors).all()


def test_they_come_near_shapleys_formula_and_say_how_near() -> None:
    found = shap_values(MODEL, X[:5], X[20:40], orders=400, seed=3)
    exact = brute_force(MODEL.predict, X[:5], X[20:40])
    off = np.abs(found.values - exact)
    assert off.max() < 0.1 * np.abs(exact).max()
    assert (off < 2 * found.standard_errors).mean() > 0.9
    rough = shap_values(MODEL, X[:5], X[20:40], orders=20, seed=3)
    assert np.abs(rough.values - exact).mean() > off.mean()


def test_a_sum_of_columns_is_exact_with_one_walk_from_every_background_row() -> None:
    forest = RandomForestRegressor(20, max_depth=1, random_state=0).fit(X, Y)  # stumps add up
    found = shap_values(forest, X[:5], X[20:30], orders=10)
    np.testing.assert_allclose(found.values, brute_force(forest.predict, X[:5], X[20:30]), atol=1e-10)


def test_the_same_seed_gives_the_same_bytes_whatever_is_explained_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    first = shap_values(MODEL, X[:6], X[20:40], seed=1)
    assert first.values.tobytes() == shap_values(MODEL, X[:6], X[20:40], seed=1).values.tobytes()
    np.testing.assert_array_equal(shap_values(MODEL, X[2:4], X[20:40], seed=1).values, first.values[2:4])
    monkeypatch.setattr(sampled_shapley, "_CELLS_AT_ONCE", 1)  # order after order
    np.testing.assert_array_equal(shap_values(MODEL, X[:6], X[20:40], seed=1).values, first.values)
    assert not np.array_equal(shap_values(MODEL, X[:6], X[20:40], seed=2).values, first.values)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_pipeline_is_explained_in_the_columns_it_is_given(kind: Any) -> None:
    town = RNG.choice(["a", "b", "c"], 200)
    frame = kind({"size": X[:, 0], "idle": X[:, 1], "town": town})
    y = np.where(X[:, 0] + (town == "b") > 0.5, "yes", "no")
    encode = make_column_transformer((OneHotEncoder(), ["town"]), (StandardScaler(), ["size"]))
    model = make_pipeline(encode, LogisticRegression()).fit(frame, y)
    found = shap_values(model, frame[:10], frame[50:80])
    assert (found.names, found.classes, found.unit) == (("size", "idle", "town"), ("no", "yes"), "probability")
    np.testing.assert_allclose(found.predictions, model.predict_proba(frame[:10]), atol=1e-10)
    assert np.abs(found.values[:, 1]).max() < 1e-12, "it never looks there"
    assert found.importances[0] > 0.05
    assert found.importances[2] > 0.05


def test_one_column_gets_all_of_it() -> None:
    model = KNeighborsRegressor(3).fit(X[:, :1], Y)
    found = shap_values(model, X[:4, :1], X[20:30, :1])
    np.testing.assert_allclose(found.values[:, 0], model.predict(X[:4, :1]) - found.base)
