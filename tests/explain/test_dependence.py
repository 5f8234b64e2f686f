"""Partial dependence: scikit-learn as oracle, planted curves, pairs, categories, gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.inspection import partial_dependence as theirs
from sklearn.linear_model import LinearRegression

from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.errors import DataError, UsageError
from venire.explain.dependence import partial_dependence


def test_means_and_curves_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 3)).round(1)
    model = GradientBoostingRegressor(n_estimators=20).fit(x, x[:, 0] * x[:, 1] + x[:, 2])
    found = partial_dependence(model, x, 0, points=200)
    oracle = theirs(model, x, [0], grid_resolution=200, kind="both", percentiles=(0, 1))
    np.testing.assert_allclose(found.grid[0], oracle["grid_values"][0])
    np.testing.assert_allclose(found.mean, oracle["average"][0])
    np.testing.assert_allclose(found.curves, oracle["individual"][0])
    assert found.counts[0].sum() == found.rows == 120
    assert (found.names, found.unit, found.classes) == (("x0",), "value", None)


def test_the_curve_of_a_linear_model_is_its_line() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2_000, 2))
    model = LinearRegression().fit(x, 3 * x[:, 0] - x[:, 1])
    found = partial_dependence(model, x, "x0", points=10, rows=100)
    assert found.curves.shape == (100, 10)
    np.testing.assert_allclose(np.diff(found.mean), 3 * np.diff(found.grid[0]))
    assert found.grid[0][[0, -1]].tolist() == [x[:, 0].min(), x[:, 0].max()]
    assert found.counts[0].sum() == 2_000


def test_a_pair_of_columns_has_a_surface() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    model = LinearRegression().fit(x, x[:, 0] + 2 * x[:, 2])
    found = partial_dependence(model, x, (0, 2), points=5)
    assert found.mean.shape == (5, 5)
    np.testing.assert_allclose(
        found.mean - found.mean[0, 0],
        (found.grid[0] - found.grid[0][0])[:, None] + 2 * (found.grid[1] - found.grid[1][0]),
    )


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_words_in_frames_keep_their_categories(kind: type) -> None:
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c"], 300)
    frame = kind({"town": town, "size": rng.normal(size=300)})
    model = GradientBoostingClassifier(n_estimators=30).fit(frame, town == "b")
    found = partial_dependence(model, frame, "town")
    assert found.grid[0].tolist() == ["a", "b", "c"]
    assert found.mean[1] > 0.9 > 0.1 > found.mean[[0, 2]].max()
    assert found.counts[0].tolist() == [int((town == t).sum()) for t in "abc"]
    assert found.unit == "probability"


def test_many_classes_have_a_curve_each_and_gaps_are_left_out() -> None:
    x, y = load_iris(return_X_y=True)
    x = x.copy()
    x[::7, 2] = np.nan
    model = GradientBoostingClassifier(n_estimators=5).fit(x, y)
    found = partial_dependence(model, x, 2, points=8)
    assert found.mean.shape == (8, 3)
    np.testing.assert_allclose(found.mean.sum(axis=1), 1)
    assert np.isfinite(found.grid[0]).all()
    assert found.classes == (0, 1, 2)


def test_what_has_no_curve_is_named() -> None:
    x = np.column_stack([np.arange(5.0), np.full(5, np.nan)])
    model = GradientBoostingRegressor(n_estimators=1, min_samples_leaf=1).fit(x, x[:, 0])
    with pytest.raises(DataError, match="'x1' holds no value"):
        partial_dependence(model, x, 1)
    with pytest.raises(UsageError, match="one column or of two different ones"):
        partial_dependence(model, x, (0, 0))
    with pytest.raises(UsageError, match="points must be at least 2"):
        partial_dependence(model, x, 0, points=1)
    with pytest.raises(UsageError, match="no column 9 among 2"):
        partial_dependence(model, x, 9)
