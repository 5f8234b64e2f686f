"""Linear and logistic regression over parts: scikit-learn's optimum, and the same bytes however the rows are parted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

from tests.models.parted.here import in_pieces
from venire.errors import DataError, UsageError
from venire.models.parted.linear_over_parts import fit_logistic, fit_ridge
from venire.persist import load, save

ROWS = 20_000


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, 5)) * [1, 100, 0.01, 1, 1] + [0, 1e4, 0, 0, 7]
    return X, X[:, 0] + X[:, 1] / 100 + 50 * X[:, 2] + rng.normal(size=ROWS)


def content(model: Any, folder: Path) -> bytes:
    save(model, folder / "one.venire")
    return (folder / "one.venire").read_bytes()


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1e4])
def test_ridge(alpha: float, tmp_path: Path) -> None:
    X, y = table()
    whole = Ridge(alpha=alpha)
    fit_ridge(whole, in_pieces(X, y, 1, numeric=True))
    oracle = (Ridge(alpha=alpha, solver="svd") if alpha else LinearRegression()).fit(X, y)
    assert whole.coef_ == pytest.approx(oracle.coef_, rel=1e-9)
    assert whole.intercept_ == pytest.approx(oracle.intercept_, rel=1e-9)
    for parts in (2, 3, 7):
        model = Ridge(alpha=alpha)
        fit_ridge(model, in_pieces(X, y, parts, numeric=True))
        assert content(model, tmp_path) == content(whole, tmp_path)
    assert load(tmp_path / "one.venire").predict(X[:5]) == pytest.approx(oracle.predict(X[:5]))


def test_columns_that_say_the_same_are_no_trouble() -> None:
    X, y = table()
    X = np.column_stack([X, X[:, 0], np.ones(ROWS)])
    model = Ridge(alpha=0.0)
    fit_ridge(model, in_pieces(X, y, 3, numeric=True))
    assert model.predict(X) == pytest.approx(LinearRegression().fit(X, y).predict(X), abs=1e-6)


@pytest.mark.parametrize(("cuts", "C"), [([0.0], 1.0), ([0.0], np.inf), ([-1.0, 1.0], 1.0), ([-1.0, 1.0], 0.001)])
def test_logistic(cuts: list[float], C: float, tmp_path: Path) -> None:
    X, y = table()
    y = np.array(["a", "b", "c"])[np.digitize((y - y.mean()) / y.std(), cuts)]
    scaled = X / X.std(axis=0)  # so that scikit-learn comes near the optimum
    whole = LogisticRegression(C=C)
    fit_logistic(whole, in_pieces(scaled, y, 1, numeric=False))
    oracle = LogisticRegression(C=C, solver="newton-cg", tol=1e-10, max_iter=1000).fit(scaled, y)
    assert whole.predict_proba(scaled) == pytest.approx(oracle.predict_proba(scaled), abs=1e-6)
    assert whole.coef_ == pytest.approx(oracle.coef_, rel=1e-4, abs=1e-5)
    for parts in (2, 3, 7):
        model = LogisticRegression(C=C)
        fit_logistic(model, in_pieces(scaled, y, parts, numeric=False))
        assert content(model, tmp_path) == content(whole, tmp_path)


def test_weights() -> None:
    X, y = table()
    w = np.random.default_rng(7).exponential(size=ROWS)
    line, oracle = Ridge(alpha=3.0), Ridge(alpha=3.0, solver="svd").fit(X, y, sample_weight=w)
    fit_ridge(line, in_pieces(X, y, 3, w, numeric=True))
    assert line.coef_ == pytest.approx(oracle.coef_, rel=1e-8)
    classes, scaled = (y > y.mean()).astype(int), (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(C=0.1)
    fit_logistic(model, in_pieces(scaled, classes, 3, w, numeric=False))
    there = LogisticRegression(C=0.1, solver="newton-cg", tol=1e-10).fit(scaled, classes, sample_weight=w)
    assert model.coef_ == pytest.approx(there.coef_, rel=1e-6)


def test_a_lost_part_changes_no_byte(tmp_path: Path) -> None:
    X, y = table()
    classes = (y > y.mean()).astype(int)
    undisturbed, whole = in_pieces(X, classes, 3, numeric=False), LogisticRegression()
    fit_logistic(whole, undisturbed)
    team, model = in_pieces(X, classes, 3, numeric=False, lost=undisturbed.questions // 2), LogisticRegression()
    fit_logistic(model, team)
    assert team.renewed == 2
    assert content(model, tmp_path) == content(whole, tmp_path)


def test_what_cannot_be_fitted_is_said() -> None:
    X, y = table()
    with pytest.raises(UsageError, match="fit_intercept=False is for rows in one place"):
        fit_ridge(Ridge(fit_intercept=False), in_pieces(X, y, 2, numeric=True))
    gaps = X.copy()
    gaps[15_000, 3] = np.nan
    with pytest.raises(DataError, match="part 1: column 3 has 1 missing values, and a linear model takes none"):
        fit_ridge(Ridge(), in_pieces(gaps, y, 2, numeric=True))
    with pytest.raises(DataError, match="the target has one class alone: 'a'"):
        fit_logistic(LogisticRegression(), in_pieces(X, np.full(ROWS, "a"), 2, numeric=False))
