"""The figure of all rows against scikit-learn's, and influences against a finite difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from venire.data.table import Task
from venire.metrics import metric
from venire.metrics.all_rows import all_rows
from venire.metrics.predictions import Output, Predictions, decide

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 80)
SHARE = np.clip(0.5 + 0.25 * (Y - 0.5) + 0.2 * RNG.standard_normal(80), 0.01, 0.99)
PROBABILITIES = np.column_stack([1 - SHARE, SHARE])
SAID = Predictions(decide(PROBABILITIES), PROBABILITIES, Output.PROBABILITIES)
ONE_FOLD = np.zeros(80, dtype=int)

EXPECTED = {
    "error": sk.zero_one_loss(Y, SAID.labels),
    "balanced_error": 1 - sk.balanced_accuracy_score(Y, SAID.labels),
    "log_loss": sk.log_loss(Y, SHARE),
    "brier": sk.brier_score_loss(Y, SHARE),
    "auc": 1 - sk.roc_auc_score(Y, SHARE),
    "f1": 1 - sk.f1_score(Y, SAID.labels),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_it_is_the_figure_of_all_rows(name: str) -> None:
    found = all_rows(metric(name, Task.CLASSIFICATION, positive=1), Y, SAID, ONE_FOLD)
    assert found.value == pytest.approx(EXPECTED[name], abs=1e-6)
    assert found.influence.mean() == pytest.approx(0, abs=1e-9)
    assert found.unseen[0] <= found.value <= found.unseen[1]


@pytest.mark.parametrize("name", ["error", "balanced_error", "log_loss", "brier", "f1"])
def test_influence_is_what_a_second_copy_of_a_row_does(name: str) -> None:
    measure = metric(name, Task.CLASSIFICATION, positive=1)
    whole = all_rows(measure, Y, SAID, ONE_FOLD)
    for row in (0, 7, 33):
        at = np.append(np.arange(80), row)
        again = Predictions(SAID.labels[at], PROBABILITIES[at], Output.PROBABILITIES)  # type: ignore[index]  # given
        more = all_rows(measure, Y[at], again, np.zeros(81, dtype=int))
        assert more.base - whole.base == pytest.approx(whole.influence[row] / 81, abs=4e-4)


def test_folds_without_a_positive_leave_an_area_defined() -> None:
    y = np.array([1, 0, 1, 0, 0, 0])
    outputs = np.array([0.9, 0.1, 0.2, 0.6, 0.3, 0.4])[:, None]
    said = Predictions(None, outputs, Output.SCORES)
    found = all_rows(metric("auc", Task.CLASSIFICATION), y, said, np.array([0, 0, 1, 1, 2, 2]))
    assert (found.value, found.counted) == (0.5, 2.0), "one pair of two is lost; the third fold has none"


def test_numbers() -> None:
    y, values = RNG.normal(size=50), RNG.normal(size=(50, 1))
    said, folds = Predictions(None, values, Output.VALUES), np.arange(50) % 7
    rmse, mae, r2 = (all_rows(metric(name, Task.REGRESSION), y, said, folds) for name in ("rmse", "mae", "r2"))
    assert rmse.value == pytest.approx(np.sqrt(sk.mean_squared_error(y, values[:, 0])))
    by_fold = [np.abs(y - values[:, 0])[folds == k].mean() for k in range(7)]
    assert mae.value == pytest.approx(np.mean(by_fold)), "a mean stays the mean of the folds"
    assert r2.value == pytest.approx(1 - sk.r2_score(y, values[:, 0]))
    assert rmse.unseen[1] > rmse.base


def test_what_a_model_cannot_say_is_undefined() -> None:
    labels = Predictions(SAID.labels, None, Output.LABELS)
    assert np.isnan(all_rows(metric("brier", Task.CLASSIFICATION), Y, labels, ONE_FOLD).value)


def test_a_figure_is_the_mean_of_what_its_folds_make_of_it() -> None:
    rng = np.random.default_rng(0)
    folds, y = np.arange(60) % 7, rng.integers(0, 2, 60)
    shares = np.clip(0.5 + 0.2 * (y - 0.5) + 0.2 * rng.standard_normal(60), 0.01, 0.99)
    said = Predictions((shares > 0.5).astype(np.int32), np.column_stack([1 - shares, shares]), Output.PROBABILITIES)
    for name in ("error", "balanced_error", "log_loss", "auc", "f1"):
        found = all_rows(metric(name, Task.CLASSIFICATION, positive=1), y, said, folds)
        assert found.by_fold(folds, 7).mean() == pytest.approx(found.value), name
    numbers = Predictions(None, rng.standard_normal((60, 1)), Output.VALUES)
    found = all_rows(metric("rmse", Task.REGRESSION), rng.standard_normal(60), numbers, folds)
    assert found.by_fold(folds, 7).mean() == pytest.approx(found.value)


def _scored(rng: np.random.Generator, rows: int, apart: float, steps: float | None = None) -> tuple[Any, Predictions]:
    y = np.tile([0, 1], rows // 2)
    score = rng.standard_normal(rows) + apart * y
    if steps is not None:
        score = np.round(score / steps) * steps
    return y, Predictions(None, score[:, None], Output.SCORES)


@pytest.mark.parametrize("steps", [None, 0.8])
def test_what_a_pair_makes_alone_is_known(steps: float | None) -> None:
    """Against the plain loop over all pairs, ties among them."""
    y, said = _scored(np.random.default_rng(3), 60, 1.0, steps)
    folds = np.arange(60) % 5
    assert said.outputs is not None
    score = said.outputs[:, 0]
    pairs = [(i, j) for i in np.flatnonzero(y == 1) for j in np.flatnonzero(y == 0) if folds[i] == folds[j]]
    lost = np.array([0.5 if score[i] == score[j] else float(score[i] < score[j]) for i, j in pairs])
    found = all_rows(metric("auc", Task.CLASSIFICATION), y, said, folds)
    assert found.value == pytest.approx(lost.mean())
    alone = (1 - 1 / 5) * np.square(lost - lost.mean()).sum() * (60 / len(pairs)) ** 2
    assert found.twice * np.square(found.influence).sum() == pytest.approx(alone)


@pytest.mark.parametrize(("folds", "before"), [(10, 1.3), (3, 1.05), (1, 0.9)])
def test_pairs_that_count_for_both_of_their_rows_do_not_widen_an_auc(folds: int, before: float) -> None:
    """Simulation: the squares of rows, less what pairs make twice, are the variance there is."""
    rng, values, squares, less = np.random.default_rng(5), [], [], []
    auc = metric("auc", Task.CLASSIFICATION)
    for _ in range(1500):
        found = all_rows(auc, *_scored(rng, 60, 1.5), np.arange(60) * folds // 60)
        plain = float(np.square(found.influence).sum()) / 60**2
        values.append(found.value)
        squares.append(plain)
        less.append((1 - found.twice) * plain)
    there = float(np.var(values))
    assert np.mean(squares) > before * there, "what was taken for it"
    assert np.mean(less) == pytest.approx(there, rel=0.08)
