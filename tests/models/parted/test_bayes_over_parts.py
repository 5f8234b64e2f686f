"""Naive Bayes over parts: the bytes of the model that is fitted to all rows in one place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.parted.here import in_pieces
from venire.errors import DataError, UsageError
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.parted.bayes_over_parts import fit_bayes
from venire.persist import save

ROWS = 30_000


def table(dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(6)
    y = rng.choice(["x", "y", "z"], p=[0.6, 0.3995, 0.0005], size=ROWS)
    X = rng.normal(size=(ROWS, 6)) * [1, 100, 1e-3, 1, 1, 1] + [1e6, 0, 0, 0, 0, 0]
    X[:, 0] += y == "x"
    X[rng.random(X.shape) < 0.05] = np.nan
    X[y == "z", 2] = np.nan
    X[:9_000, 1] = np.nan
    X[:, 3] = rng.integers(0, 7, size=ROWS)
    X[:, 4] = rng.poisson(3, size=ROWS)
    return X.astype(dtype), y


def content(model: Any, folder: Path) -> bytes:
    save(model, folder / "one.venire")
    return (folder / "one.venire").read_bytes()


@pytest.mark.parametrize("more", [{}, {"categorical_features": [3], "count_features": [4]}, {"min_categories": 9}])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parts_give_the_model_of_the_whole(more: dict[str, Any], dtype: Any, tmp_path: Path) -> None:
    X, y = table(dtype)
    whole = content(NaiveBayesClassifier(**more).fit(X, y), tmp_path)
    for parts in (1, 2, 3, 7):
        model = NaiveBayesClassifier(**more)
        fit_bayes(model, in_pieces(X, y, parts, numeric=False))
        assert content(model, tmp_path) == whole, parts


def test_whole_weights_count(tmp_path: Path) -> None:
    X, y = table()
    w = np.random.default_rng(7).integers(0, 3, ROWS).astype(float)
    more: dict[str, Any] = {"categorical_features": [3], "count_features": [4]}
    whole = content(NaiveBayesClassifier(**more).fit(X, y, sample_weight=w), tmp_path)
    model = NaiveBayesClassifier(**more)
    fit_bayes(model, in_pieces(X, y, 3, w, numeric=False))
    assert content(model, tmp_path) == whole
    with pytest.raises(DataError, match="the weights are not whole numbers"):
        fit_bayes(model, in_pieces(X, y, 3, w / 2, numeric=False))


def test_moments_are_right() -> None:
    X, y = table()
    model = NaiveBayesClassifier(var_smoothing=0.0)
    fit_bayes(model, in_pieces(X, y, 3, numeric=False))
    for c, label in enumerate(model.classes_):
        rows = X[y == label]
        there = ~np.isnan(rows).all(axis=0)
        assert model.theta_[c, there] == pytest.approx(np.nanmean(rows[:, there], axis=0), rel=1e-12)
        assert model.var_[c, there] == pytest.approx(np.nanvar(rows[:, there], axis=0), rel=1e-9)


def test_what_needs_all_rows_is_refused() -> None:
    X, y = table()
    with pytest.raises(UsageError, match="class_weight='balanced' is for rows in one place"):
        fit_bayes(NaiveBayesClassifier(class_weight="balanced"), in_pieces(X, y, 2, numeric=False))
    X[:, 4] += 0.5
    with pytest.raises(DataError, match="count_features hold numbers that are not whole"):
        fit_bayes(NaiveBayesClassifier(count_features=[4]), in_pieces(X, y, 2, numeric=False))
