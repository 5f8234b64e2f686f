"""A fixed model on one test set: the interval of any metric, for the model as it is on new rows like these.

A share of rows has the interval of a share. An area under a ROC curve has DeLong's. A mean over rows has the spread of
its rows. Metrics of labels depend on the counts of the confusion matrix alone, and R² on three means: there the spread
is that of their derivatives by each row (the infinitesimal jackknife), which takes no drawing and no time.
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.inference.areas import areas
from venire.inference.estimates import Estimate
from venire.inference.intervals import Interval, Student, accuracy_interval
from venire.metrics.formulas import LOG_LOSS_FLOOR
from venire.metrics.predictions import Output, Predictions
from venire.metrics.scores import Metric

Floats = NDArray[np.float64]
_STEP = 1e-4  # of a row's weight, for a derivative
_ROUNDING = 1e-12  # a spread below this is none


def fixed_model_interval(metric: Metric, y: NDArray[Any], predictions: Predictions, level: float = 0.95) -> Estimate:
    """The loss of one fixed model on a test set, and its interval.

    Parameters
    ----------
    metric
        What is measured.
    y
        The true class codes or values, one per row.
    predictions
        What the model predicted of these rows, without having seen them.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Estimate
        The loss and its interval; undefined where the rows show no spread.

    Examples
    --------
    >>> from venire.data.table import Task
    >>> from venire.metrics import metric
    >>> y, said = np.array([0, 0, 1, 1] * 25), np.array([0, 1, 1, 1] * 25, dtype=np.int32)
    >>> found = fixed_model_interval(metric("error", Task.CLASSIFICATION), y, Predictions(said, None, Output.LABELS))
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (0.25, 0.17, 0.34)
    """
    value = metric.loss(y, predictions)
    ends, method = _ends(metric, y, predictions, value, level)
    whom = f"the {metric.label} of this model on new rows"
    return Estimate(value, ends, method, whom, f"{len(y):,} test rows")


def _ends(metric: Metric, y: NDArray[Any], said: Predictions, value: float, level: float) -> tuple[Interval, str]:
    if np.isnan(value) or len(y) < 2:
        return Interval(nan, nan, level), "none"
    if metric.name == "error":
        right = round((1 - value) * len(y))
        found = accuracy_interval(right, len(y), level)
        return Interval(min(1 - found.high, value), max(1 - found.low, value), level), "jeffreys"
    if metric.name == "auc":
        return _normal(value, _area_error(y, said), metric, level), "delong"
    if metric.name == "rmse":
        squares = np.square(y - said.values)
        ends = _mean(squares, level).within(0.0, inf)
        return Interval(sqrt(ends.low), sqrt(ends.high), level) if ends.defined else ends, "t"
    if metric.name == "r2":
        centred = np.square(y - y.mean())
        moves = (np.square(y - said.values) - value * centred) / centred.mean()
        return _normal(value, float(moves.std(ddof=1)) / sqrt(len(y)), metric, level), "jackknife"
    rows = _row_losses(metric, y, said)
    if rows is not None:
        return _mean(rows, level).within(*metric.bounds), "t"
    return _normal(value, _label_error(metric, y, said), metric, level), "jackknife"


def _mean(rows: Floats, level: float) -> Interval:
    spread = float(rows.std(ddof=1)) / sqrt(len(rows))
    return Student(float(rows.mean()), spread if spread > _ROUNDING else nan, len(rows) - 1).interval(level)


def _normal(value: float, error: float, metric: Metric, level: float) -> Interval:
    return Student(value, error if error > _ROUNDING else nan, inf).interval(level).within(*metric.bounds)


def _row_losses(metric: Metric, y: NDArray[Any], said: Predictions) -> Floats | None:
    """The loss of every row, of a metric that is their mean."""
    if metric.name == "mae":
        return np.asarray(np.abs(y - said.values))
    if metric.name == "cost" and said.labels is not None:
        return np.asarray(np.asarray(metric.costs, dtype=np.float64)[y, said.labels])
    if metric.name not in ("log_loss", "brier") or said.outputs is None:
        return None
    shares, at = np.asarray(said.outputs, dtype=np.float64), np.arange(len(y))
    if metric.name == "log_loss":
        clipped = np.clip(shares, LOG_LOSS_FLOOR, 1.0)
        return np.asarray(-np.log(clipped[at, y] / clipped.sum(axis=1)))
    truth = np.zeros_like(shares)
    truth[at, y] = 1.0
    return np.asarray(np.square(shares - truth).sum(axis=1) / (2 if shares.shape[1] == 2 else 1))


def _area_error(y: NDArray[Any], said: Predictions) -> float:
    """The standard error of an area; of a mean of several at most the mean of theirs."""
    outputs = np.asarray(said.outputs, dtype=np.float64)
    if outputs.shape[1] <= 2:
        both = outputs.shape[1] == 2 and said.output is Output.SCORES
        scores = outputs[:, 1] - outputs[:, 0] if both else outputs[:, -1]
        return _one_area(y == 1, scores)
    there = [code for code in range(outputs.shape[1]) if 0 < (y == code).sum() < len(y)]
    found = [_one_area(y == code, outputs[:, code]) for code in there]
    return float(np.mean(found)) if found else nan


def _one_area(positive: NDArray[np.bool_], scores: Floats) -> float:
    return sqrt(max(float(areas(positive, scores).covariance[0, 0]), 0.0))


def _label_error(metric: Metric, y: NDArray[Any], said: Predictions) -> float:
    """The standard error of a metric of labels, from what one more row in each cell of the confusion matrix changes."""
    assert said.labels is not None
    pairs, counts = np.unique(np.column_stack([y, said.labels]), axis=0, return_counts=True)
    truth, labels = pairs[:, 0], pairs[:, 1].astype(np.int32)
    weights, rows = counts.astype(np.float64), len(y)

    def loss(weights: Floats) -> float:
        return metric.loss(truth, Predictions(labels, None, Output.LABELS), weights)

    here = loss(weights)
    moves = np.array([(loss(weights + _STEP * unit) - here) / _STEP for unit in np.eye(len(weights))])
    return sqrt(float((weights * np.square(moves)).sum()) * rows / (rows - 1))
