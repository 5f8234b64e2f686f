"""Vote and stack, drawn from the same evidence as their members.

For outer fold i the members' predictions without {i, j} on fold j are the rows the weights are learned on, and their
predictions without {i} on fold i are combined with those weights: fold i has no part in it. What the same models say
of a fold that they have seen, combined with the same weights, gives the training error. The score by which a
combination competes inside is cross-fitted over j. It is still a little too good, because a member's prediction of
one inner fold comes from a model that saw the others, so the procedure asks more of a combination than of a member
(see `procedure`); the outer estimate is honest either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.combine import Finish, average, residual_gram, stack_weights
from venire.metrics.predictions import Output, Predictions, decide
from venire.validation.choice import mean_defined
from venire.validation.plans.plan import Held, Place, Trial
from venire.validation.trials.docket import Docket
from venire.verdict.candidates import Candidate
from venire.verdict.finishing import finished
from venire.verdict.simplicity import BASELINE

Floats = NDArray[np.float64]


def combinations(docket: Docket, members: Sequence[Candidate], names: Sequence[str]) -> list[Candidate]:
    """The combinations of these names over these members; none when fewer than two members have anything to say."""
    voters = [m for m in members if m.name != BASELINE]
    if len(voters) < 2 or not names:
        return []
    outer: dict[str, dict[Place, float]] = {name: {} for name in names}
    inner: dict[str, dict[Place, Floats]] = {name: {} for name in names}
    weights_at: dict[str, dict[Place, dict[str, float]]] = {name: {} for name in names}
    finish_at: dict[str, dict[Place, Finish]] = {name: {} for name in names}
    training: dict[str, dict[Place, float]] = {name: {} for name in names}
    for place in docket.plan.places:
        scores = {m.name: float(mean_defined(m.inner[place])) for m in members}
        settings = {m.name: m.settings[place] for m in members}
        room = _Room(docket, _better_than_guessing(scores), settings, docket.plan.inner(*place))
        judged = docket.plan.outer(*place)
        predicted, inside = room.say(judged), room.say_of_seen(judged.trial)
        for name in names:
            weights = room.weights(name)
            finish, inner[name][place] = finished(docket, room.cross_fitted(name), room.held)
            together = finish(combined(docket, average(predicted, weights)))
            outer[name][place] = docket.metric.loss(docket.truth(judged), together)
            together_inside = None if inside is None else finish(combined(docket, average(inside, weights)))
            training[name][place] = docket.seen_loss(judged.trial, together_inside)
            finish_at[name][place] = finish
            weights_at[name][place] = room.named(weights)
    scores = {m.name: float(mean_defined(m.final)) for m in members}
    settings = {m.name: m.final_setting for m in members}
    room = _Room(docket, _better_than_guessing(scores), settings, docket.plan.finals)
    found = []
    for name in names:
        learned = room.named(room.weights(name))
        finish, final = finished(docket, room.cross_fitted(name), room.held)
        found.append(
            Candidate(
                name,
                "combination",
                "",
                outer[name],
                inner[name],
                final,
                training[name],
                weights=learned,
                weights_at=weights_at[name],
                finish=finish,
                finish_at=finish_at[name],
            )
        )
    return found


def shared_outputs(docket: Docket, member: str, held: Held, setting: int) -> NDArray[Any]:
    """A member's say on a fold in the form that can be averaged: probabilities, values, or one vote a row."""
    return _shares(docket, docket.predicted(member, held, setting))


def _shares(docket: Docket, predicted: Predictions) -> NDArray[Any]:
    assert predicted.outputs is not None
    assert predicted.labels is not None
    if not docket.classes or predicted.output is Output.PROBABILITIES:
        return predicted.outputs
    votes = np.zeros((len(predicted.labels), docket.classes), np.float32)
    votes[np.arange(len(predicted.labels)), predicted.labels] = 1.0
    return votes


def combined(docket: Docket, outputs: Floats) -> Predictions:
    """Averaged outputs as predictions: the class with most behind it, or the values."""
    if not docket.classes:
        return Predictions(np.zeros(len(outputs), np.int32), outputs, Output.VALUES)
    return Predictions(decide(outputs), outputs, Output.PROBABILITIES)


def _better_than_guessing(scores: dict[str, float]) -> list[str]:
    """The members that did better inside than the baseline; all but the baseline when none did."""
    limit = scores.get(BASELINE, np.inf)
    voters = [name for name in scores if name != BASELINE]
    defined = [name for name in voters if not np.isnan(scores[name])]  # none, where no inner fold defines the metric
    return [name for name in defined if scores[name] < limit] or defined or voters


class _Room:
    """The members' held-out predictions on some folds, and what can be learned from them."""

    def __init__(self, docket: Docket, members: list[str], settings: dict[str, int], held: tuple[Held, ...]) -> None:
        self.docket, self.members, self.settings, self.held = docket, members, settings, held
        self.predicted = [self.say(h) for h in held]
        self.grams = [
            residual_gram(p, docket.truth(h), docket.classes) for p, h in zip(self.predicted, held, strict=True)
        ]

    def say(self, held: Held) -> NDArray[Any]:
        """What all members say of one fold: [member, row, output]."""
        return np.stack([shared_outputs(self.docket, m, held, self.settings[m]) for m in self.members])

    def say_of_seen(self, trial: Trial) -> NDArray[Any] | None:
        """What all members, each trained on a trial's training part, say of the rows of it that errors are taken on.

        None where a member does not tell: a family of your own need not.
        """
        predicted = [self.docket.seen(m, trial, self.settings[m]) for m in self.members]
        shares = [_shares(self.docket, predictions) for predictions in predicted if predictions is not None]
        return np.stack(shares) if len(shares) == len(predicted) else None

    def weights(self, name: str, without: int | None = None) -> Floats:
        """The combination's weights, learned on all folds here, or on the others of one fold's split."""
        if name == "vote":
            return np.full(len(self.members), 1.0 / len(self.members))
        kept = self.grams
        if without is not None:  # another split would bring in the fold's own rows
            repeats = [h.trial.repeat for h in self.held]
            same = [at for at in range(len(repeats)) if at != without and repeats[at] == repeats[without]]
            kept = [self.grams[at] for at in same or range(len(repeats)) if at != without]
        return stack_weights(np.sum(kept, axis=0))

    def named(self, weights: Floats) -> dict[str, float]:
        """Weights by member."""
        return dict(zip(self.members, weights.tolist(), strict=True))

    def cross_fitted(self, name: str) -> list[Predictions]:
        """What is said of each fold with weights learned on the others."""
        alone = len(self.held) == 1
        weights = [self.weights(name, without=None if alone else at) for at in range(len(self.held))]
        return [
            combined(self.docket, average(predicted, w)) for predicted, w in zip(self.predicted, weights, strict=True)
        ]
