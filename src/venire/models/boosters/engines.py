"""What the three boosting libraries want and give, behind one small face. Nothing here is imported before it is used.

Every engine trains on one thread with the seed it is given, so that equal input gives equal bytes; takes columns of
category codes as categories and gaps as gaps; and says what a model said after any number of its rounds, so that one
fit serves a whole path over them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from venire.errors import UsageError

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be learned: class codes 0, 1, … of so many classes, or numbers where there are none."""

    y: NDArray[Any]
    classes: int
    weights: Floats | None
    rounds: int
    learning_rate: float
    least_rows: int | None  # of a leaf, where the library counts rows
    seed: int
    more: dict[str, Any]  # parameters in the library's own names


class Engine(Protocol):
    """One library."""

    def train(self, X: Floats, categorical: Mask, task: Task) -> Any:
        """A model of the library's own kind."""

    def rows(self, X: Floats, categorical: Mask) -> Any:
        """Rows in the form it predicts from, made once for all numbers of rounds."""

    def outputs(self, model: Any, rows: Any, rounds: int) -> NDArray[Any]:
        """What the first `rounds` rounds say: a number a row, or of more than two classes one a class."""


class LightGBM:
    """`lightgbm.train`; a gap is NaN, categories are column numbers."""

    def train(self, X: Floats, categorical: Mask, task: Task) -> Any:
        """A model of so many rounds."""
        lightgbm = import_module("lightgbm")
        goal = {0: "regression", 2: "binary"}.get(task.classes, "multiclass")
        settings = {
            "objective": goal,
            "learning_rate": task.learning_rate,
            "seed": task.seed,
            "num_threads": 1,
            "deterministic": True,
            "force_col_wise": True,  # the choice by a stopwatch would be another one tomorrow
            "verbosity": -1,
            **({"num_class": task.classes} if goal == "multiclass" else {}),
            **({} if task.least_rows is None else {"min_data_in_leaf": task.least_rows}),
            **task.more,
        }
        codes = np.flatnonzero(categorical).tolist()
        data = lightgbm.Dataset(X, task.y, weight=task.weights, categorical_feature=codes, params=settings)
        return lightgbm.train(settings, data, num_boost_round=task.rounds)

    def rows(self, X: Floats, categorical: Mask) -> Any:
        """The rows, and what was said of them so far."""
        return _Asked(X)

    def outputs(self, model: Any, rows: Any, rounds: int) -> NDArray[Any]:
        """Values, or probabilities: the sum of the rounds, ten at a time, and what the objective makes of it."""
        link = _LINKS.get(model.params["objective"])
        if link is None or {"boosting", "sigmoid"} & set(model.params):  # somebody's own wish, with a link of its own
            return np.asarray(model.predict(rows.X, num_iteration=rounds, num_threads=1))
        if rows.done > rounds:
            rows.done, rows.total = 0, 0.0

        def some(first: int, count: int) -> NDArray[Any]:
            predicted = model.predict(rows.X, start_iteration=first, num_iteration=count, raw_score=True, num_threads=1)
            return np.asarray(predicted)

        # Whatever was asked before, a sum has the same order, and so the same bits.
        while rows.done + _AT_ONCE <= rounds:
            rows.total = rows.total + some(rows.done, _AT_ONCE)
            rows.done += _AT_ONCE
        rest = rounds - rows.done
        return np.asarray(link(rows.total + some(rows.done, rest) if rest else rows.total))


@dataclass(eq=False)
class _Asked:
    """Rows that LightGBM is asked about, and the sum of its first rounds, a multiple of ten of them."""

    X: Floats
    done: int = 0
    total: Any = 0.0


_AT_ONCE = 10
_LINKS: dict[str, Callable[[Floats], Floats]] = {
    "regression": lambda total: total,
    "binary": expit,
    "multiclass": partial(softmax, axis=1),
}


class XGBoost:
    """`xgboost.train` on histograms; values are rounded to float32, as the library does."""

    def train(self, X: Floats, categorical: Mask, task: Task) -> Any:
        """A model of so many rounds."""
        xgboost = import_module("xgboost")
        goal = {0: "reg:squarederror", 2: "binary:logistic"}.get(task.classes, "multi:softprob")
        settings = {
            "objective": goal,
            "eta": task.learning_rate,
            "seed": task.seed,
            "nthread": 1,
            "tree_method": "hist",
            "verbosity": 0,
            **({"num_class": task.classes} if goal == "multi:softprob" else {}),
            **task.more,
        }
        data = self._matrix(X, categorical, label=task.y, weight=task.weights)
        return xgboost.train(settings, data, num_boost_round=task.rounds)

    def rows(self, X: Floats, categorical: Mask) -> Any:
        """Rows as the library reads them."""
        return self._matrix(X, categorical)

    def outputs(self, model: Any, rows: Any, rounds: int) -> NDArray[Any]:
        """Values, or probabilities."""
        return np.asarray(model.predict(rows, iteration_range=(0, rounds)))

    def _matrix(self, X: Floats, categorical: Mask, **target: Any) -> Any:
        kinds = np.where(categorical, "c", "q").tolist()
        return import_module("xgboost").DMatrix(X, feature_types=kinds, enable_categorical=True, nthread=1, **target)


class CatBoost:
    """`catboost.CatBoost`, whose categories are whole numbers: a gap among them is a category of its own, −1."""

    def train(self, X: Floats, categorical: Mask, task: Task) -> Any:
        """A model of so many rounds."""
        settings = {
            "loss_function": {0: "RMSE", 2: "Logloss"}.get(task.classes, "MultiClass"),
            "iterations": task.rounds,
            "learning_rate": task.learning_rate,  # its own choice depends on the number of rounds, as would
            "boosting_type": "Plain",  # this: the rounds of a short run would not be the first of a long one
            "random_seed": task.seed,
            "thread_count": 1,
            "logging_level": "Silent",
            "allow_writing_files": False,
            **task.more,
        }
        model = import_module("catboost").CatBoost(settings)
        return model.fit(self._pool(X, categorical, label=task.y, weight=task.weights))

    def rows(self, X: Floats, categorical: Mask) -> Any:
        """Rows as the library reads them."""
        return self._pool(X, categorical)

    def outputs(self, model: Any, rows: Any, rounds: int) -> NDArray[Any]:
        """Values, or probabilities."""
        kind = "RawFormulaVal" if model.get_param("loss_function") == "RMSE" else "Probability"
        predicted = np.asarray(model.predict(rows, prediction_type=kind, ntree_end=rounds, thread_count=1))
        return predicted[:, 1] if predicted.ndim == 2 and predicted.shape[1] == 2 else predicted

    def _pool(self, X: Floats, categorical: Mask, **target: Any) -> Any:
        codes = np.flatnonzero(categorical)
        table: Any = X
        if len(codes):
            whole = {j: np.where(np.isnan(X[:, j]), -1.0, X[:, j]).astype(np.int64) for j in codes.tolist()}
            columns = {j: whole[j] if j in whole else X[:, j] for j in range(X.shape[1])}
            table = import_module("pandas").DataFrame(columns)  # which the library itself is built on
        return import_module("catboost").Pool(table, cat_features=codes.tolist(), thread_count=1, **target)


ENGINES: dict[str, Engine] = {"lightgbm": LightGBM(), "xgboost": XGBoost(), "catboost": CatBoost()}
EXTRA = "venire[boosters]"


def refuse_missing(library: str) -> None:
    """One clear error where the library is not installed."""
    if find_spec(library) is None:
        raise UsageError(
            f"{library} is not installed, and venire does not bring it along",
            code="missing_library",
            hint=f"install it with pip install '{EXTRA}', or with pip install {library}",
        )
