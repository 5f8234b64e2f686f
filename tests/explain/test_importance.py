"""Permutation importance: planted columns, intervals that cover, groups of rows and of columns, any metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from venire.errors import DataError, UsageError
from venire.explain.importance import Importances, permutation_importance


class FirstColumn(BaseEstimator):  # type: ignore[misc]  # base without types
    """Predicts the first column."""

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(X)[:, 0]


def planted(rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 2))
    return x, x[:, 0] + rng.normal(size=rows)


def test_a_column_the_model_ignores_has_importance_0_and_no_doubt() -> None:
    found = permutation_importance(FirstColumn(), *planted(200, 0), "mae")
    assert isinstance(found, Importances)
    assert (found.values[1], found.intervals[1].low, found.intervals[1].high) == (0, 0, 0)
    assert found.order.tolist() == [0, 1]
    assert found.repeats.shape == (2, 5)
    assert (found.metric, found.rows) == ("mae", 200)


def test_intervals_cover_the_importance_on_endless_rows() -> None:
    # |x' − y| of a shuffled x' against |x − y|: y − x is N(0, 1) and y − x' is N(0, 3).
    truth = np.sqrt(2 / np.pi) * (np.sqrt(3) - 1)
    found = [permutation_importance(FirstColumn(), *planted(150, seed), "mae", columns=[0]) for seed in range(200)]
    covered = np.mean([one.intervals[0].low <= truth <= one.intervals[0].high for one in found])
    assert covered >= 0.93
    assert np.mean([one.values[0] for one in found]) == pytest.approx(truth, abs=0.02)


@pytest.mark.parametrize("metric", ["error", "balanced_error", "log_loss", "brier", "auc", "f1"])
def test_every_metric_finds_the_column_that_decides(metric: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = np.where(x[:, 1] > 0.3, "yes", "no")
    found = permutation_importance(LogisticRegression().fit(x, y), x, y, metric, repeats=3)
    assert found.order[0] == 1
    assert found.intervals[1].low > 0


def test_rows_of_one_group_stay_together() -> None:
    x, y = planted(60, 1)
    x, y = np.repeat(x, 10, axis=0), np.repeat(y, 10)
    apart = permutation_importance(FirstColumn(), x, y, "mae", repeats=20)
    together = permutation_importance(FirstColumn(), x, y, "mae", repeats=20, groups=np.repeat(np.arange(60), 10))
    assert together.intervals[0].width > 1.5 * apart.intervals[0].width


def test_columns_can_be_shuffled_as_one_and_by_name() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"], index=np.arange(200)[::-1])
    y = (frame["a"] - frame["b"] > 0).to_numpy()
    model = LogisticRegression().fit(frame, y)
    found = permutation_importance(model, frame, y, "log_loss", columns={"both": ["a", "b"], "rest": ["c"]})
    assert found.names == ("both", "rest")
    assert found.values[0] > 10 * abs(found.values[1])
    assert permutation_importance(model, frame, y, columns=["c"]).names == ("c",)


def test_the_same_seed_gives_the_same_figures() -> None:
    first, again, other = (permutation_importance(FirstColumn(), *planted(50, 0), seed=s).values for s in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_what_cannot_be_measured_is_named() -> None:
    x, y = planted(40, 0)
    labels = y > 0
    with pytest.raises(UsageError, match="at least 2"):
        permutation_importance(FirstColumn(), x, y, repeats=1)
    with pytest.raises(UsageError, match="no column 'z' among 2"):
        permutation_importance(FirstColumn(), x, y, columns=["z"])
    with pytest.raises(UsageError, match="needs probabilities, and the model gives scores"):
        permutation_importance(LinearSVC().fit(x, labels), x, labels, "log_loss")
    with pytest.raises(DataError, match="X has 40 rows and y has 39"):
        permutation_importance(FirstColumn(), x, y[1:])
    with pytest.raises(DataError, match="a class the model does not know"):
        permutation_importance(LogisticRegression().fit(x, labels), x, np.full(40, 7))
    with pytest.raises(DataError, match="all belong to one"):
        permutation_importance(FirstColumn(), x, y, groups=np.zeros(40))
    with pytest.raises(UsageError, match="it has 1 dimensions"):
        permutation_importance(FirstColumn(), x[:, 0], y)
