"""The last step from a candidate's outputs to what it says: calibrate them, then decide by what mistakes cost.

Both are learned on held-out predictions only, and what they are worth is told by predictions of blocks that had no
part in learning them. Under costs there are two ways to decide: take the class of least expected cost, which needs
nothing but probabilities that mean what they say, or (two classes) say the second from a threshold on that cost least.
The first stands unless the second costs less on blocks it was not learned on.
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
    >>> said = Predictions(None, np.array([[0.8, 0.2], [0.4, 0.6]]), Output.PROBABILITIES)
    >>> Finish(costs=((0, 1), (9, 0)))(said).labels
    array([1, 1], dtype=int32)
    """

    calibration: Calibration | None = None
    costs: tuple[tuple[float, ...], ...] | None = None  # [actual][predicted]
    threshold: float | None = None  # of two classes: the score from which class 1 is said

    def __call__(self, said: Predictions) -> Predictions:
        """The finished predictions."""
        if said.outputs is None:
            return said
        if self.calibration is not None:
            outputs = self.calibration(said.outputs)
            said = Predictions(decide(outputs), outputs, said.output)
        if self.threshold is not None:
            return replace(said, labels=np.asarray(score_of(said) >= self.threshold, dtype=np.int32))
        if self.costs is not None and said.output is Output.PROBABILITIES:
            return replace(said, labels=cheapest(np.asarray(said.outputs), np.asarray(self.costs)))
        return said


@dataclass(frozen=True, eq=False, slots=True)
class Finished:
    """A finish, and what it gives for each block when learned on the others."""

    finish: Finish
    crossed: Predictions


def learn_finish(
    said: Predictions,
    y: NDArray[Any],
    block: NDArray[Any],
    costs: tuple[tuple[float, ...], ...] | None = None,
    dealing: NDArray[Any] | None = None,
) -> Finished:
    """Learn how to finish held-out predictions: whether and how to calibrate them, and where to decide.

    Parameters
    ----------
    said
        The predictions.
    y
        The class codes that came true.
    block
        The fold of each row.
    costs
        A matrix `[actual][predicted]`.
    dealing
        Where rows were split into folds more than once: the repeat of each row.

    Returns
    -------
    Finished
        The `finish`, and `crossed`: what it gives for each fold when learned on the others.

    Examples
    --------
    >>> truth = np.arange(40) % 2
    >>> scores = np.where(truth, 0.7, 0.4)[:, None]
    >>> said = Predictions(decide(scores), scores, Output.SCORES)
    >>> learn_finish(said, truth, np.arange(40) % 4, costs=((0, 1), (9, 0))).crossed.labels[:4]
    array([0, 1, 0, 1], dtype=int32)
    """
    finish, crossed = Finish(), said
    if said.output is Output.PROBABILITIES and said.outputs is not None:
        calibration, outputs = choose_calibration(said.outputs, y, block, dealing)
        if calibration is not None:
            finish, crossed = Finish(calibration), Predictions(decide(outputs), outputs, said.output)
    if costs is None:
        return Finished(finish, crossed)
    return _with_decision(finish, crossed, y, block, costs, dealing)


def score_of(said: Predictions) -> Floats:
    """What speaks for class 1 of two: its probability, or its score (over that of class 0)."""
    assert said.outputs is not None
    outputs = np.asarray(said.outputs, dtype=np.float64)
    if outputs.shape[1] == 1:
        return outputs[:, 0]
    return outputs[:, 1] if said.output is Output.PROBABILITIES else outputs[:, 1] - outputs[:, 0]


def crossed_at_thresholds(
    said: Predictions, y: NDArray[Any], block: NDArray[Any], costs: Floats, dealing: NDArray[Any] | None = None
) -> NDArray[np.int32]:
    """The decisions for each block at the threshold that cost least on the others."""
    score = score_of(said)
    found = threshold_without(y, score, block, costs, dealing)
    limits = np.array([found[b] for b in block.tolist()])
    return np.asarray(score >= limits, dtype=np.int32)


def has_threshold(said: Predictions, costs: tuple[tuple[float, ...], ...]) -> bool:
    """Whether a threshold can be set: two classes, and something that can be above or below it."""
    return len(costs) == 2 and said.outputs is not None and said.output in (Output.PROBABILITIES, Output.SCORES)


def _with_decision(
    finish: Finish,
    crossed: Predictions,
    y: NDArray[Any],
    block: NDArray[Any],
    costs: tuple[tuple[float, ...], ...],
    dealing: NDArray[Any] | None,
) -> Finished:
    matrix = np.asarray(costs)
    by_cost = replace(finish, costs=costs)
    plain = Finish(costs=costs)(crossed)
    if not has_threshold(crossed, costs):
        return Finished(by_cost, plain)
    labels = crossed_at_thresholds(crossed, y, block, matrix, dealing)
    assert plain.labels is not None
    if not _mean_cost(labels, y, block, matrix) < _mean_cost(plain.labels, y, block, matrix):
        return Finished(by_cost, plain)
    threshold = cost_curve(y, score_of(crossed), matrix).threshold
    return Finished(replace(by_cost, threshold=threshold), replace(crossed, labels=labels))


def _mean_cost(labels: NDArray[Any], y: NDArray[Any], block: NDArray[Any], costs: Floats) -> float:
    """The mean over blocks of the mean cost of a row."""
    paid = costs[y, labels]
    return float(np.mean([paid[block == held].mean() for held in np.unique(block)]))
