"""Fits, and what fitted models say of some rows, gathered for all settings in the global class order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table, Target, Task
from venire.metrics.packing import completed
from venire.metrics.predictions import Output
from venire.metrics.scores import every_loss
from venire.validation.trials import returned
from venire.validation.trials.family import Outcome, PathPredictions
from venire.validation.trials.lesson import Lesson


@dataclass(frozen=True, eq=False)
class Predicted:
    """One setting's raw predictions: `outputs` [row, class of this fit] and the learner's own labels."""

    outputs: NDArray[Any]
    labels: NDArray[Any] | None


Fit = list[tuple[NDArray[Any], Predicted]]  # for each part of the rows: the classes known, and the predictions


def fit_and_predict(estimator: Any, lesson: Lesson) -> Fit:
    """Fit one estimator and predict several sets of rows with it."""
    X, y = lesson.X.copy(order="K"), lesson.y.copy()  # it may change them, and others come after
    if lesson.weights is None:
        estimator.fit(X, y)
    else:
        estimator.fit(X, y, sample_weight=lesson.weights)
    return predictions_of(estimator, lesson)


def predictions_of(estimator: Any, lesson: Lesson) -> Fit:
    """What an estimator that has been fitted says of the parts of a trial."""
    y = lesson.y
    # Class codes are whole numbers; an own classifier need not have `classes_`.
    classes = np.asarray(getattr(estimator, "classes_", np.unique(y))) if y.dtype.kind in "iu" else np.array([])
    return [(classes, predict(estimator, part, classes)) for part in lesson.parts]


def predict(estimator: Any, X: NDArray[np.float64], classes: NDArray[Any]) -> Predicted:
    """What a fitted estimator says of some rows, in the richest form it has; no classes mean numbers."""
    if not len(classes):
        return Predicted(returned.values(estimator, X), None)
    labels = returned.labels(estimator, X, classes)
    if hasattr(estimator, "predict_proba"):
        return Predicted(returned.probabilities(estimator, X, classes), labels)
    if hasattr(estimator, "decision_function"):
        return Predicted(returned.scores(estimator, X, classes), labels)
    return Predicted((labels[:, None] == classes[None, :]).astype(np.float64), labels)


def one_class(table: Table, y: NDArray[Any]) -> bool:
    """Whether there is only one class to be learned."""
    return table.target is not None and table.target.task is Task.CLASSIFICATION and bool(np.all(y == y[0]))


def constant(code: Any, settings: int, sizes: list[int]) -> Iterator[Fit]:
    """Trained on a single class there is nothing to learn: every row is of that class."""
    fit = [(np.array([code]), Predicted(np.ones((rows, 1)), np.full(rows, code))) for rows in sizes]
    return iter([fit] * settings)


def kept_as(output: Output) -> type[np.floating[Any]]:
    """Values keep their width: a target of 1e8 ± 1 would drown in float32. Class outputs do not need it."""
    return np.float64 if output is Output.VALUES else np.float32


def gather(table: Table, output: Output, settings: int, sizes: list[int], fits: Iterator[Fit]) -> list[PathPredictions]:
    """One fit after the other, put together: what is predicted for parts of these sizes."""
    assert table.target is not None
    classes = max(1, len(table.target.classes))
    parts = [
        PathPredictions(np.empty((settings, rows, classes), kept_as(output)), np.zeros((settings, rows), np.int16))
        for rows in sizes
    ]
    for s, fit in enumerate(fits):
        for part, (known, predicted) in zip(parts, fit, strict=True):
            if predicted.labels is None:
                part.outputs[s] = predicted.outputs
            else:
                codes = returned.class_codes(known, classes)
                part.outputs[s] = in_global_order(predicted.outputs, codes, classes, output)
                part.labels[s] = predicted.labels
    return parts


def outcome_of(
    table: Table,
    output: Output,
    predicted: list[PathPredictions],
    seen: list[NDArray[np.intp]],
    caught: list[str],
    seconds: float,
) -> Outcome:
    """A trial's outcome: the held-out part, and the rows it has `seen` if a second part tells of them."""
    assert table.target is not None
    held_out, *inside = (PathPredictions(completed(part.outputs, output), part.labels) for part in predicted)
    training: dict[str, NDArray[np.float64]] = {}
    for part, rows in zip(inside, seen, strict=True):
        training = training_losses(table.target, table.y[rows], part, output)
    caught_warnings = tuple(sorted(set(caught)))
    part_seen = inside[0] if inside else None
    return Outcome(output, held_out.outputs, held_out.labels, training, caught_warnings, seconds, part_seen)


def training_losses(
    target: Target, y: NDArray[Any], seen: PathPredictions, output: Output
) -> dict[str, NDArray[np.float64]]:
    """What is lost on rows trained on by every metric but cost, [setting] each: costs are the user's.

    Evidence must not depend on them. For them, and for combinations, what was `seen` is kept, too.
    """
    return every_loss(target.task, target.positive, y, seen.labels, seen.outputs, output)


def in_global_order(outputs: NDArray[Any], classes: NDArray[Any], count: int, output: Output) -> NDArray[Any]:
    """Columns for all classes; one that the training part lacked has probability 0, or a score below the others."""
    if len(classes) == count:
        return outputs
    lowest = outputs.min(axis=1, keepdims=True) - 1.0 if output is Output.SCORES else 0.0
    full = np.zeros((len(outputs), count)) + lowest
    full[:, classes.astype(np.intp)] = outputs
    return full
