"""Permutation importance with intervals: how much worse a model gets when a column loses its link to the rows.

The rows should be ones the model has not seen: on its training rows a column also counts for what was learned by
heart. The interval speaks of one fixed model on new rows like these. It adds two variances: over rows, by the
jackknife (the figure again without each of up to twenty parts of the rows), and over repeats of the shuffling. The
first holds a little of the second already, so the interval is rather too wide than too narrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.data.table import Task
from venire.errors import DataError, UsageError
from venire.explain.cross_fitted import CrossFitted
from venire.explain.exchange import (
    as_rows,
    borrowed,
    class_places,
    column_names,
    column_number,
    predictions_of,
    task_of,
)
from venire.inference.intervals import Interval, Student
from venire.metrics.predictions import Predictions
from venire.metrics.scores import Metric, default_metric
from venire.metrics.scores import metric as metric_of

Floats = NDArray[np.float64]
MOST_PARTS = 20
Columns = Sequence[str | int] | Mapping[str, Sequence[str | int]]


@dataclass(frozen=True, eq=False, slots=True)
class Importances:
    """How much the loss rises when each column (or group of columns) is shuffled, with intervals.

    Attributes
    ----------
    names
        Of the columns, or groups of columns.
    values
        The mean rise over the repeats.
    intervals
        Of the rise on new rows.
    repeats
        `[column, repeat]`.
    metric
        The name of the loss.
    loss
        Of the untouched rows.
    rows
        On how many rows all this was measured.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.arange(20.0).reshape(10, 2)
    >>> found = permutation_importance(LinearRegression().fit(X[:, :1], X[:, 0]), X[:, :1], X[:, 0])
    >>> found.names, found.rows, found.metric
    (('x0',), 10, 'rmse')
    """

    names: tuple[str, ...]
    values: Floats
    intervals: tuple[Interval, ...]
    repeats: Floats
    metric: str
    loss: float
    rows: int

    @property
    def order(self) -> NDArray[np.intp]:
        """Column numbers from the most important to the least."""
        return np.argsort(-self.values, kind="stable")


def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    metric: str | Metric | None = None,
    repeats: int = 5,
    groups: ArrayLike | None = None,
    *,
    columns: Columns | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Importances:
    """Shuffle column after column of (X, y), rows the model has not seen, and see how much its loss rises.

    Parameters
    ----------
    model
        A fitted classifier or regressor.
    X, y
        Rows the model has not seen, and their targets.
    metric
        A name such as `"error"`, `"log_loss"`, `"auc"` or `"rmse"`, by default that of the task. Importances are
        rises of the loss, so more is more important under every metric.
    repeats
        How many times each column is shuffled.
    groups
        Which rows belong together (the patient of each visit): they stay together in the jackknife.
    columns
        Which columns, by default all; a mapping from a name to columns shuffles these together, as one.
    level
        The probability that the interval holds the figure.
    seed
        Of the shuffling.

    Returns
    -------
    Importances
        The rise of the loss by column, with intervals.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = 3 * X[:, 0] + X[:, 1] + rng.normal(size=400)
    >>> model = LinearRegression().fit(X[:200], y[:200])
    >>> found = permutation_importance(model, X[200:], y[200:], "rmse")
    >>> found.values.round(1), [found.names[j] for j in found.order]
    (array([3.3, 0.7, 0. ]), ['x0', 'x1', 'x2'])
    """
    X = as_rows(X)
    measure = _Measure.of(model, X, y, metric)
    return _importances(measure, X, columns, groups, repeats=repeats, level=level, seed=seed)


def held_out_importance(
    models: CrossFitted,
    X: NDArray[np.float64],
    y: NDArray[Any],
    metric: Metric,
    folds: NDArray[Any],
    *,
    groups: ArrayLike | None = None,
    columns: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
) -> Importances:
    """The same of models of several folds, each asked about rows it has not seen; `folds` says which fold a row is of.

    The loss is the mean of those of the folds, each counting by its rows: scores of different models are not ranked
    together. The interval is of these models on new rows like these.
    """
    measure = _Measure(models, metric, y, folds)
    return _importances(measure, X, columns, groups, repeats=repeats, level=0.95, seed=seed)


def _importances(
    measure: _Measure,
    X: Any,
    columns: Columns | None,
    groups: ArrayLike | None,
    *,
    repeats: int,
    level: float,
    seed: int,
) -> Importances:
    if repeats < 2:
        raise UsageError(f"repeats is {repeats}; an interval over repeats needs at least 2")
    chosen = _chosen(columns, column_names(measure.model, X))
    rng = np.random.default_rng(seed)
    parts = _parts(len(measure.y), groups, rng)
    before = measure.losses(X, parts)
    values, intervals, single = [], [], []
    for numbers in chosen.values():
        rises = (
            np.array(
                [
                    measure.losses(borrowed(X, numbers, X, rng.permutation(len(measure.y))), parts)
                    for _ in range(repeats)
                ]
            )
            - before
        )
        values.append(rises[:, 0].mean())
        intervals.append(_posterior(rises).interval(level))
        single.append(rises[:, 0])
    return Importances(
        tuple(chosen),
        np.array(values),
        tuple(intervals),
        np.array(single),
        measure.metric.name,
        float(before[0]),
        len(measure.y),
    )


@dataclass(frozen=True)
class _Measure:
    model: Any
    metric: Metric
    y: NDArray[Any]
    folds: NDArray[Any] | None = None  # whose losses are taken apart

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, metric: str | Metric | None) -> _Measure:
        task = task_of(model)
        if not isinstance(metric, Metric):
            metric = metric_of(default_metric(task) if metric is None else metric, task)
        target = np.asarray(y)
        if len(target) != len(X):
            raise DataError(f"X has {len(X)} rows and y has {len(target)}", code="lengths")
        if task is Task.CLASSIFICATION:
            places = class_places(model, target)
            if (places < 0).any():
                raise DataError(
                    f"y holds {target[places < 0][0]!r}, a class the model does not know",
                    code="unknown_class",
                    hint="leave these rows out",
                )
            target = places
        return cls(model, metric, target)

    def losses(self, X: Any, parts: list[NDArray[np.intp]]) -> Floats:
        """The loss on all rows, and on all but each of the parts."""
        predicted = predictions_of(self.model, X)
        if not self.metric.accepts(predicted.output):
            raise UsageError(
                f"metric {self.metric.name!r} needs {self.metric.needs.value}, "
                f"and the model gives {predicted.output.value}"
            )
        return np.array(
            [self._loss(predicted, np.arange(len(self.y))), *(self._loss(predicted, rows) for rows in parts)]
        )

    def _loss(self, predicted: Predictions, rows: NDArray[np.intp]) -> float:
        """On these rows; the mean over folds that define it, each counting by its rows."""
        if self.folds is None:
            return self.metric.loss(self.y[rows], _rows_of(predicted, rows))
        each = [rows[self.folds[rows] == fold] for fold in np.unique(self.folds[rows])]
        losses = np.array([self.metric.loss(self.y[some], _rows_of(predicted, some)) for some in each])
        defined = ~np.isnan(losses)
        sizes = np.array([len(some) for some in each])
        return float(np.average(losses[defined], weights=sizes[defined])) if defined.any() else np.nan


def _rows_of(predicted: Predictions, rows: NDArray[np.intp]) -> Predictions:
    labels = None if predicted.labels is None else predicted.labels[rows]
    return Predictions(labels, None if predicted.outputs is None else predicted.outputs[rows], predicted.output)


def _chosen(columns: Columns | None, names: tuple[str, ...]) -> dict[str, list[int]]:
    if columns is None:
        return {name: [j] for j, name in enumerate(names)}
    if isinstance(columns, Mapping):
        return {name: [column_number(one, names) for one in together] for name, together in columns.items()}
    return {names[j]: [j] for j in (column_number(one, names) for one in columns)}


def _parts(rows: int, groups: ArrayLike | None, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """The rows that stay when each part is left out."""
    member = np.arange(rows) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    if len(member) != rows:
        raise DataError(f"X has {rows} rows and groups has {len(member)}", code="lengths")
    count = int(member.max()) + 1
    if count < 2:
        raise DataError("an interval needs rows of at least two groups; all belong to one", code="one_group")
    part = rng.permutation(np.arange(count) % min(MOST_PARTS, count))[member]
    return [np.flatnonzero(part != one) for one in range(min(MOST_PARTS, count))]


def _posterior(rises: Floats) -> Student:
    """From rises [repeat, all rows and without each part]."""
    means = rises.mean(axis=0)
    parts = len(means) - 1
    over_rows = (parts - 1) / parts * np.square(means[1:] - means[1:].mean()).sum()
    over_repeats = rises[:, 0].var(ddof=1) / len(rises)
    return Student(float(means[0]), sqrt(over_rows + over_repeats), parts - 1)
