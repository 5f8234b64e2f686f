"""Bootstrap intervals of any metric: rows, or whole groups of them, are drawn with replacement from what was predicted.

No model is fitted again: the interval speaks of the models that made the predictions, on new rows like these. With
groups the new rows come from new groups, and the interval is as wide as that makes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError
from venire.inference.estimates import Estimate
from venire.inference.intervals import Interval, tail
from venire.metrics.predictions import Predictions
from venire.metrics.scores import Metric

Floats = NDArray[np.float64]


def bootstrap_interval(
    metric: Metric,
    y: ArrayLike,
    predictions: Predictions,
    rng: np.random.Generator,
    *,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    draws: int = 2000,
    level: float = 0.95,
) -> Estimate:
    """The percentile interval of a metric's loss.

    `groups` names rows that belong together and are drawn together. `folds` says which rows were predicted by the same
    model: the loss is then the mean over folds, as on the leaderboard, and scores of different models are never
    compared. Draws that leave the metric undefined (no positive row, say) are left out.

    Parameters
    ----------
    metric
        What is measured.
    y
        The true class codes or values, one per row.
    predictions
        What one model, or one model per fold, predicted of these rows.
    rng
        The random generator that the draws come from.
    groups
        The group of each row.
    folds
        The fold of each row.
    draws
        How many times rows are drawn with replacement.
    level
        The probability that the interval holds the figure.

    Returns
    -------
    Estimate
        The loss and its interval.

    Examples
    --------
    >>> from venire.data.table import Task
    >>> from venire.metrics import Output, metric
    >>> y, said = np.array([0, 0, 1, 1] * 25), np.array([0, 1, 1, 1] * 25, dtype=np.int32)
    >>> predictions = Predictions(said, None, Output.LABELS)
    >>> e = bootstrap_interval(metric("error", Task.CLASSIFICATION), y, predictions, np.random.default_rng(0))
    >>> e.value, round(e.low, 2), round(e.high, 2)
    (0.25, 0.17, 0.33)
    """
    actual = np.asarray(y)
    unit = _units(groups, len(actual))
    if draws < 100:
        raise UsageError(f"{draws} draws are too few for an interval", hint="use 1,000 or more")
    parts = _parts(actual, predictions, folds)
    units = int(unit.max()) + 1
    found = np.array([_loss(metric, parts, np.bincount(rng.integers(0, units, units), minlength=units)[unit])
                      for _ in range(draws)])  # fmt: skip
    found = found[~np.isnan(found)]
    value = _loss(metric, parts, None)
    below = tail(level)
    ends = np.quantile(found, [below, 1 - below]) if len(found) >= draws / 2 else [np.nan, np.nan]
    what = f"{units} groups of rows" if groups is not None else f"{units} rows"
    who = "of these models, averaged over folds," if folds is not None else "of this model"
    return Estimate(
        value,
        Interval(float(ends[0]), float(ends[1]), level),
        "bootstrap",
        f"the {metric.label} {who} on new {'groups' if groups is not None else 'rows'}",
        f"{len(found)} resamples of {what}",
    )


Part = tuple[NDArray[np.intp], NDArray[Any], Predictions]


def _parts(y: NDArray[Any], said: Predictions, folds: ArrayLike | None) -> list[Part]:
    if said.rows != len(y):
        raise UsageError(f"there are {said.rows} predictions for {len(y)} rows")
    fold_of = np.zeros(len(y), dtype=np.intp) if folds is None else np.asarray(folds)
    found = []
    for fold in np.unique(fold_of):
        at = np.flatnonzero(fold_of == fold)
        labels = None if said.labels is None else said.labels[at]
        outputs = None if said.outputs is None else said.outputs[at]
        found.append((at, y[at], Predictions(labels, outputs, said.output)))
    return found


def _loss(metric: Metric, parts: list[Part], counts: NDArray[np.intp] | None) -> float:
    """The mean over folds of the loss, each row counted as often as it was drawn."""
    losses = []
    for at, y, said in parts:
        losses.append(metric.loss(y, said, None if counts is None else counts[at].astype(np.float64)))
    defined = [loss for loss in losses if not np.isnan(loss)]
    return float(np.mean(defined)) if defined else float("nan")


def _units(groups: ArrayLike | None, rows: int) -> NDArray[np.intp]:
    if groups is None:
        return np.arange(rows)
    given = np.asarray(groups)
    if given.shape != (rows,):
        raise UsageError(f"the groups have the shape {given.shape}, and there are {rows} rows")
    return np.asarray(np.unique(given, return_inverse=True)[1], dtype=np.intp)
