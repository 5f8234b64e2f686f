"""The last step from a candidate's outputs to what it says: calibrate them, then decide by what mistakes cost.

Both are learned on held-out predictions only, and what they are worth is measured on predictions of folds that had no
part in learning them. Under costs there are two ways to decide: take the class of least expected cost, which needs
nothing but probabilities that mean what they say, or (two classes) say the second from a threshold on that cost least.
The first stands unless the second costs less on folds it was not learned on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.combine.calibrate import Calibration, choose_calibration
from venire.combine.threshold import cost_curve, threshold_without
from venire.metrics.predictions import Output, Predictions, cheapest, decide

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Finish:
    """What is done to outputs before they are handed over; nothing at all by default.

    Attributes
    ----------
    calibration
        Applied first, to probabilities.
    costs
        A matrix `[actual][predicted]`: the class of least expected cost is predicted.
    threshold
        Of two classes: the score from which on class 1 is predicted.

    Examples
    --------
    >>> predicted = Predictions(None, np.array([[0.8, 0.2], [0.4, 0.6]]), Output.PROBABILITIES)
    >>> Finish(costs=((0, 1), (9, 0)))(predicted).labels
    array([1, 1], dtype=int32)
    """

    calibration: Calibration | None = None
    costs: tuple[tuple[float, ...], ...] | None = None  # [actual][predicted]
    threshold: float | None = None  # of two classes: the score from which class 1 is said

    def serves(self, classes: int) -> bool:
        """Whether it can finish what is said of so many classes."""
        maps = None if self.calibration is None else len(self.calibration.maps)
        widths = None if self.costs is None else {len(self.costs), *map(len, self.costs)}
        of_two = self.threshold is None or classes == 2
        return of_two and maps in (None, 1 if classes == 2 else classes) and widths in (None, {classes})

    def __call__(self, predicted: Predictions) -> Predictions:
        """The finished predictions."""
        if predicted.outputs is None:
            return predicted
        if self.calibration is not None:
            outputs = self.calibration(predicted.outputs)
            predicted = Predictions(decide(outputs), outputs, predicted.output)
        if self.threshold is not None:
            return replace(predicted, labels=np.asarray(score_of(predicted) >= self.threshold, dtype=np.int32))
        if self.costs is not None and predicted.output is Output.PROBABILITIES:
            return replace(predicted, labels=cheapest(np.asarray(predicted.outputs), np.asarray(self.costs)))
        return predicted


@dataclass(frozen=True, eq=False, slots=True)
class Finished:
    """A finish, and what it gives for each fold when learned on the others."""

    finish: Finish
    crossed: Predictions


def learn_finish(
    predicted: Predictions,
    y: NDArray[Any],
    fold: NDArray[Any],
    costs: tuple[tuple[float, ...], ...] | None = None,
    repeat_of: NDArray[Any] | None = None,
) -> Finished:
    """Learn how to finish held-out predictions: whether and how to calibrate them, and where to decide.

    Parameters
    ----------
    predicted
        The predictions.
    y
        The class codes that came true.
    fold
        The fold of each row.
    costs
        A matrix `[actual][predicted]`.
    repeat_of
        Where rows were split into folds more than once: the repeat of each row.

    Returns
    -------
    Finished
        The `finish`, and `crossed`: what it gives for each fold when learned on the others.

    Examples
    --------
    >>> truth = np.arange(40) % 2
    >>> scores = np.where(truth, 0.7, 0.4)[:, None]
    >>> predicted = Predictions(decide(scores), scores, Output.SCORES)
    >>> learn_finish(predicted, truth, np.arange(40) % 4, costs=((0, 1), (9, 0))).crossed.labels[:4]
    array([0, 1, 0, 1], dtype=int32)
    """
    finish, crossed = Finish(), predicted
    if predicted.output is Output.PROBABILITIES and predicted.outputs is not None:
        calibration, outputs = choose_calibration(predicted.outputs, y, fold, repeat_of)
        if calibration is not None:
            finish, crossed = Finish(calibration), Predictions(decide(outputs), outputs, predicted.output)
    if costs is None:
        return Finished(finish, crossed)
    return _with_decision(finish, crossed, y, fold, costs, repeat_of)


def score_of(predicted: Predictions) -> Floats:
    """What speaks for class 1 of two: its probability, or its score (over that of class 0)."""
    assert predicted.outputs is not None
    outputs = np.asarray(predicted.outputs, dtype=np.float64)
    if outputs.shape[1] == 1:
        return outputs[:, 0]
    return outputs[:, 1] if predicted.output is Output.PROBABILITIES else outputs[:, 1] - outputs[:, 0]


def crossed_at_thresholds(
    predicted: Predictions, y: NDArray[Any], fold: NDArray[Any], costs: Floats, repeat_of: NDArray[Any] | None = None
) -> NDArray[np.int32]:
    """The decisions for each fold at the threshold that cost least on the others."""
    score = score_of(predicted)
    found = threshold_without(y, score, fold, costs, repeat_of)
    limits = np.array([found[b] for b in fold.tolist()])
    return np.asarray(score >= limits, dtype=np.int32)


def has_threshold(predicted: Predictions, costs: tuple[tuple[float, ...], ...]) -> bool:
    """Whether a threshold can be set: two classes, and something that can be above or below it."""
    return (
        len(costs) == 2 and predicted.outputs is not None and predicted.output in (Output.PROBABILITIES, Output.SCORES)
    )


def _with_decision(
    finish: Finish,
    crossed: Predictions,
    y: NDArray[Any],
    fold: NDArray[Any],
    costs: tuple[tuple[float, ...], ...],
    repeat_of: NDArray[Any] | None,
) -> Finished:
    matrix = np.asarray(costs)
    by_cost = replace(finish, costs=costs)
    plain = Finish(costs=costs)(crossed)
    if not has_threshold(crossed, costs):
        return Finished(by_cost, plain)
    labels = crossed_at_thresholds(crossed, y, fold, matrix, repeat_of)
    assert plain.labels is not None
    if not _mean_cost(labels, y, fold, matrix) < _mean_cost(plain.labels, y, fold, matrix):
        return Finished(by_cost, plain)
    threshold = cost_curve(y, score_of(crossed), matrix).threshold
    return Finished(replace(by_cost, threshold=threshold), replace(crossed, labels=labels))


def _mean_cost(labels: NDArray[Any], y: NDArray[Any], fold: NDArray[Any], costs: Floats) -> float:
    """The mean over folds of the mean cost of a row."""
    paid = costs[y, labels]
    return float(np.mean([paid[fold == held].mean() for held in np.unique(fold)]))
