"""Two-layer cross-validation as everybody writes it: scikit-learn's grid search inside a loop over the folds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from threadpoolctl import threadpool_limits

from venire.data.table import Table
from venire.validation.plans.plan import Plan
from venire.validation.trials.generic import GenericFamily

Loss = Callable[[NDArray[Any], NDArray[Any]], float]
Average = Callable[[list[float]], float]


def error_rate(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    return float(np.mean(y != predicted))


def rmse(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    return float(np.sqrt(np.mean((predicted - y) ** 2)))


def mean(losses: list[float]) -> float:
    return sum(losses) / len(losses)


def root_mean_square(losses: list[float]) -> float:
    """Of root mean squares: their squares are averaged, so that all rows count alike."""
    return math.sqrt(sum(loss * loss for loss in losses) / len(losses))


@dataclass(frozen=True)
class Plain:
    """What the plain loops find."""

    losses: list[float]  # of each outer fold
    settings: list[int]  # chosen for each outer fold
    one_layer_losses: list[float]  # of each fold, at the setting chosen on all of them
    final_setting: int


def nested(family: GenericFamily, table: Table, plan: Plan, loss: Loss, average: Average = mean) -> Plain:
    """Choose on the other folds, judge on this one; and once more on all folds for the one-layer figure."""
    with threadpool_limits(1):  # as inside a trial: another number of threads may sum in another order
        return _nested(family, table, plan, loss, average)


def _nested(family: GenericFamily, table: Table, plan: Plan, loss: Loss, average: Average) -> Plain:
    fold_of, y = plan.fold_of[0], table.y
    losses, settings = [], []
    for i in range(plan.folds):
        inside, outside = np.flatnonzero(fold_of != i), np.flatnonzero(fold_of == i)
        search = _search(family, table, fold_of, inside, loss, average)
        settings.append(int(search.best_index_))
        losses.append(loss(y[outside], search.predict(table.X[outside])))
    search = _search(family, table, fold_of, np.arange(table.rows), loss, average)
    best, tried = int(search.best_index_), search.cv_results_
    one_layer = [-float(tried[f"split{i}_test_score"][best]) for i in range(plan.folds)]
    return Plain(losses, settings, one_layer, best)


def _search(
    family: GenericFamily, table: Table, fold_of: NDArray[Any], rows: NDArray[Any], loss: Loss, average: Average
) -> GridSearchCV:
    settings = family.path(table)
    pipeline = family.pipeline(table, settings[0], seed=0)
    step = pipeline.steps[-1][0]
    grid = [{f"{step}__{name}": [value] for name, value in setting.params.items()} for setting in settings]

    def score(fitted: Any, X: NDArray[Any], y: NDArray[Any]) -> float:
        return -loss(y, fitted.predict(X))

    def best(tried: Any) -> int:
        folds = [tried[f"split{i}_test_score"] for i in range(len(np.unique(fold_of[rows])))]
        return int(np.argmin([average([-float(fold[s]) for fold in folds]) for s in range(len(settings))]))

    split = PredefinedSplit(fold_of[rows])
    search = GridSearchCV(pipeline, grid, cv=split, scoring=score, refit=best, error_score="raise")
    return search.fit(table.X[rows], table.y[rows])
