"""Held-out predictions of the parts of a combination on some folds, and the weights that are learned from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.combine import average, residual_gram, stack_weights
from venire.combine.blend import blend_of_gram, blend_of_residuals, blend_of_shares, true_shares
from venire.data.spaced_rows import spaced_rows
from venire.metrics.predictions import Output, Predictions, decide
from venire.validation.plans.plan import Held, Trial
from venire.validation.trials.docket import Docket
from venire.verdict.candidates import STACK, VOTE, Part, Parts

Floats = NDArray[np.float64]

_MOST_ROWS = 50_000  # that a blend is learned on: more take longer and hardly change it


class HeldOutParts:
    """Some settings of some families, with what they say of held-out folds."""

    def __init__(self, docket: Docket, parts: Sequence[Part], held: tuple[Held, ...]) -> None:
        self.docket, self.parts, self.held = docket, tuple(parts), held
        self._predicted = [self.say(h) for h in held]
        self._repeats = [h.trial.repeat for h in held]
        self._learned: dict[tuple[str, int | None], Floats] = {}

    def say(self, held: Held) -> NDArray[Any]:
        """What all parts say of one fold: [part, row, output]."""
        return np.stack([shared_outputs(self.docket, part, held) for part in self.parts])

    def say_of_seen(self, trial: Trial) -> NDArray[Any] | None:
        """What all parts, each trained on a trial's training part, say of the rows of it that errors are taken on.

        None where a family does not tell: one of your own need not.
        """
        predicted = [self.docket.seen(part.family, trial, part.setting) for part in self.parts]
        known = [shares(self.docket, predictions) for predictions in predicted if predictions is not None]
        return np.stack(known) if len(known) == len(predicted) else None

    def weights(self, name: str, without: int | None = None) -> Floats:
        """The weights of a combination, learned on all folds here, or on the others of one fold's split."""
        known = self._learned.get((name, without))
        if known is None:
            known = self._learned[name, without] = self._learn(name, self._folds(without))
        return known

    def weighted(self, weights: Floats) -> Parts:
        """The parts with their weights."""
        return dict(zip(self.parts, weights.tolist(), strict=True))

    def cross_fitted(self, name: str) -> list[Predictions]:
        """What is said of each fold with weights learned on the others."""
        alone = len(self.held) == 1
        weights = [self.weights(name, without=None if alone else at) for at in range(len(self.held))]
        return [
            combined(self.docket, average(predicted, w)) for predicted, w in zip(self._predicted, weights, strict=True)
        ]

    def _folds(self, without: int | None) -> list[int]:
        """The folds to learn on: of another split they would bring in the rows of the one that is left out."""
        others = [at for at in range(len(self.held)) if at != without]
        if without is None:
            return others
        return [at for at in others if self._repeats[at] == self._repeats[without]] or others

    def _learn(self, name: str, folds: Sequence[int]) -> Floats:
        if name == VOTE or len(self.parts) == 1:
            return np.full(len(self.parts), 1.0 / len(self.parts))
        if name == STACK:
            return stack_weights(np.sum([self._grams[at] for at in folds], axis=0))
        if self.docket.classes:
            return blend_of_shares(np.concatenate([self._true_shares[at] for at in folds], axis=1))
        if self.docket.metric.name == "mae":
            return blend_of_residuals(np.concatenate([self._residuals[at] for at in folds], axis=1))
        return blend_of_gram(np.sum([self._grams[at] for at in folds], axis=0))

    @cached_property
    def _grams(self) -> list[Floats]:
        pairs = zip(self._predicted, self.held, strict=True)
        return [residual_gram(predicted, self.docket.truth(h), self.docket.classes) for predicted, h in pairs]

    @cached_property
    def _true_shares(self) -> list[Floats]:
        return [true_shares(predicted[:, at], y[at]) for predicted, y, at in self._some_rows()]

    @cached_property
    def _residuals(self) -> list[Floats]:
        return [predicted[:, at, 0] - y[at] for predicted, y, at in self._some_rows()]

    def _some_rows(self) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[np.intp]]]:
        """Of every fold the predictions, the truth, and rows at equal distances, in all as many as are needed."""
        truth = [self.docket.truth(h) for h in self.held]
        share = min(1.0, _MOST_ROWS / max(1, sum(map(len, truth))))
        rows = [spaced_rows(len(y), max(1, round(share * len(y)))) for y in truth]
        return list(zip(self._predicted, truth, rows, strict=True))


def shared_outputs(docket: Docket, part: Part, held: Held) -> NDArray[Any]:
    """A part's say on a fold in the form that can be averaged."""
    return shares(docket, docket.predicted(part.family, held, part.setting))


def combined(docket: Docket, outputs: Floats) -> Predictions:
    """Averaged outputs as predictions: the class with most behind it, or the values."""
    if not docket.classes:
        return Predictions(np.zeros(len(outputs), np.int32), outputs, Output.VALUES)
    return Predictions(decide(outputs), outputs, Output.PROBABILITIES)


def shares(docket: Docket, predicted: Predictions) -> NDArray[Any]:
    """Predictions in the form that can be averaged: probabilities, values, or one vote a row."""
    assert predicted.outputs is not None
    assert predicted.labels is not None
    if not docket.classes or predicted.output is Output.PROBABILITIES:
        return predicted.outputs
    votes = np.zeros((len(predicted.labels), docket.classes), np.float32)
    votes[np.arange(len(predicted.labels)), predicted.labels] = 1.0
    return votes
