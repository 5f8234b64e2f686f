"""γ, the no-information rate of the .632+ bootstrap: the loss if attributes and target had nothing in common.

It is the loss when every target meets every prediction, of n² pairs. None of them has to be made: what counts of the
targets is how often each turns up, so that every metric has its γ from the two marginals, exactly and for any order of
the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.metrics.predictions import Output
from venire.metrics.scores import Metric
from venire.validation.trials.family import Outcome

Floats = NDArray[np.float64]


def no_information(metric: Metric, y: NDArray[Any], outcome: Outcome) -> Floats:
    """γ of every setting, for targets `y` and what was said of the same rows.

    >>> from venire.data.table import Task
    >>> from venire.metrics.scores import metric
    >>> labels = np.array([[0, 0, 1, 1]], dtype=np.int16)
    >>> each = Outcome(Output.LABELS, np.eye(2)[labels], labels, {})
    >>> no_information(metric("error", Task.CLASSIFICATION), np.array([0, 0, 0, 1]), each)
    array([0.5])
    """
    if metric.needs is Output.LABELS:
        return _of_labels(metric, y, outcome)
    if metric.needs is Output.PROBABILITIES:
        return _of_probabilities(metric, y, outcome)
    if metric.needs is Output.SCORES:  # scores of any two classes are the same scores: half of all pairs are won
        return np.where(np.isnan(outcome.outputs).any(axis=(1, 2)), np.nan, 0.5)
    values = outcome.outputs[:, :, 0].astype(np.float64)
    if metric.name == "mae":
        return np.array([_mean_distance(np.asarray(y, np.float64), each) for each in values])
    squares = y.var() + values.var(axis=1) + np.square(y.mean() - values.mean(axis=1))
    if metric.name == "r2":
        return np.asarray(squares / y.var() if np.ptp(y) else np.full(len(values), np.nan))
    return np.asarray(np.sqrt(squares))


def _of_labels(metric: Metric, y: NDArray[Any], outcome: Outcome) -> Floats:
    """Every class and every label is one row, that weighs as many pairs as there are of the two."""
    labels = outcome.labels.astype(np.int32)
    classes = 1 + int(max(y.max(), labels.max()))
    actual, predicted = np.divmod(np.arange(classes**2, dtype=np.int32), classes)
    of_class = np.bincount(y.astype(np.intp), minlength=classes)
    found = []
    for each in labels:
        pairs = (of_class[actual] * np.bincount(each, minlength=classes)[predicted]).astype(np.float64)
        found.append(metric.losses(actual, predicted[None], None, outcome.output, pairs)[0])
    return np.array(found)


def _of_probabilities(metric: Metric, y: NDArray[Any], outcome: Outcome) -> Floats:
    """A mean of what rows lose is that over the classes of what they would lose if all were of it."""
    classes, count = np.unique(y, return_counts=True)
    total = np.zeros(len(outcome.outputs))
    for code, rows in zip(classes, count, strict=True):
        total += rows * metric.losses(np.full_like(y, code), None, outcome.outputs, outcome.output)
    return total / len(y)


def _mean_distance(y: Floats, each: Floats) -> float:
    """The mean distance of all pairs, from the sums of the predictions below each target and above it."""
    centre = y.mean()  # sums of numbers far from 0 would lose what tells them apart
    targets, ordered = y - centre, np.sort(each - centre)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    below = np.searchsorted(ordered, targets)
    apart = targets * (2 * below - len(ordered)) + sums[-1] - 2 * sums[below]
    return float(apart.mean() / len(ordered))
