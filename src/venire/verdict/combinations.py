"""Vote, stack and blend, drawn from the same evidence as their members.

For outer fold i the members' predictions without {i, j} on fold j are the rows the weights are learned on, and their
predictions without {i} on fold i are combined with those weights: fold i has no part in it. What the same models say
of a fold that they have seen, combined with the same weights, gives the training error. The score by which a
combination competes inside is cross-fitted over j. It is still a little too good, because a member's prediction of
one inner fold comes from a model that saw the others; the outer estimate is honest either way.

A vote and a stack take every family at the setting it chose itself. A blend takes some settings of every family: what
is best on its own is not always what is best together with others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from venire.combine import Finish, average
from venire.validation.choice import overall, together
from venire.validation.plans.plan import Held, Place
from venire.validation.trials.docket import Docket
from venire.validation.trials.ledger import Ledger
from venire.verdict.candidates import BLEND, Candidate, Part, Parts
from venire.verdict.finishing import finished, one_layer_figure
from venire.verdict.learned_weights import HeldOutParts, combined
from venire.verdict.simplicity import BASELINE

Floats = NDArray[np.float64]

_SETTINGS_EACH = 3  # of every family, that a blend may take


def combinations(
    docket: Docket, ledgers: Mapping[str, Ledger], members: Sequence[Candidate], names: Sequence[str]
) -> list[Candidate]:
    """The combinations of these names over these members; none when fewer than two members have anything to say."""
    voters = [m for m in members if m.name != BASELINE]
    if len(voters) < 2 or not names:
        return []
    plan, found = docket.plan, [_Found(name) for name in names]
    for place in plan.places:
        scores = {m.name: overall(m.inner[place], m.power) for m in members}
        own = {m.name: m.settings[place] for m in members}
        taken = _taken(docket, ledgers, _better_than_guessing(scores), own, plan.inner(*place), names)
        for each in found:
            each.judge(docket, taken[each.name], place)
    scores = {m.name: overall(m.final, m.power) for m in members}
    own = {m.name: m.final_setting for m in members}
    taken = _taken(docket, ledgers, _better_than_guessing(scores), own, plan.finals, names)
    return [each.candidate(docket, taken[each.name]) for each in found]


@dataclass(frozen=True, eq=False)
class _Found:
    """What is known about a combination, outer fold by outer fold."""

    name: str
    outer: dict[Place, float] = field(default_factory=dict)
    inner: dict[Place, Floats] = field(default_factory=dict)
    training: dict[Place, float] = field(default_factory=dict)
    parts_at: dict[Place, Parts] = field(default_factory=dict)
    finish_at: dict[Place, Finish] = field(default_factory=dict)

    def judge(self, docket: Docket, taken: HeldOutParts, place: Place) -> None:
        """Learn the weights for an outer fold from its inner folds, and judge them on it."""
        judged = docket.plan.outer(*place)
        weights = taken.weights(self.name)
        learned = finished(docket, taken.cross_fitted(self.name), taken.held)
        finish, self.inner[place] = learned.finish, learned.losses
        predicted = finish(combined(docket, average(taken.say(judged), weights)))
        self.outer[place] = docket.metric.loss(docket.truth(judged), predicted)
        seen = taken.say_of_seen(judged.trial)
        inside = None if seen is None else finish(combined(docket, average(seen, weights)))
        self.training[place] = docket.seen_loss(judged.trial, inside)
        self.finish_at[place], self.parts_at[place] = finish, taken.weighted(weights)

    def candidate(self, docket: Docket, taken: HeldOutParts) -> Candidate:
        """The combination with weights learned on all folds."""
        learned = finished(docket, taken.cross_fitted(self.name), taken.held)
        return Candidate(
            self.name,
            "combination",
            "",
            self.outer,
            self.inner,
            learned.losses,
            self.training,
            one_layer_error=one_layer_figure(docket, learned.said),
            parts=taken.weighted(taken.weights(self.name)),
            parts_at=self.parts_at,
            finish=learned.finish,
            finish_at=self.finish_at,
            power=docket.metric.power,
        )


def _taken(
    docket: Docket,
    ledgers: Mapping[str, Ledger],
    families: Sequence[str],
    own: Mapping[str, int],
    held: tuple[Held, ...],
    names: Sequence[str],
) -> dict[str, HeldOutParts]:
    """What each combination may take, by its name; those that take the same share it."""
    found: dict[str, HeldOutParts] = {}
    if any(name != BLEND for name in names):
        one_each = HeldOutParts(docket, [Part(name, own[name]) for name in families], held)
        found = {name: one_each for name in names if name != BLEND}
    if BLEND in names:
        power = docket.metric.power
        some = [Part(name, s) for name in families for s in _best_settings(ledgers[name], own[name], held, power)]
        found[BLEND] = HeldOutParts(docket, some, held)
    return found


def _best_settings(ledger: Ledger, own: int, held: Sequence[Held], power: int) -> list[int]:
    """The setting a family chose itself, and the best of the others, as many as a blend may take."""
    means = together(ledger.on(held), power)
    order = np.argsort(np.where(np.isnan(means), np.inf, means), kind="stable").tolist()
    return [own, *(s for s in order if s != own)][:_SETTINGS_EACH]


def _better_than_guessing(scores: dict[str, float]) -> list[str]:
    """The members that did better inside than the baseline; all but the baseline when none did."""
    limit = scores.get(BASELINE, np.inf)
    voters = [name for name in scores if name != BASELINE]
    defined = [name for name in voters if not np.isnan(scores[name])]  # none, where no inner fold defines the metric
    return [name for name in defined if scores[name] < limit] or defined or voters
