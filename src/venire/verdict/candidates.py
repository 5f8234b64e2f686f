"""Candidates: members and combinations of them, each with the losses on which it is chosen and those it is judged by.

For every outer fold a member picks its setting on the inner predictions, which have not seen that fold, and is
judged by the outer prediction of it. The same rule on all folds gives the setting that is handed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from venire.combine.finish import Finish
from venire.validation.choice import Rule, overall
from venire.validation.nested_choice import nested_choice
from venire.validation.plans.plan import Place
from venire.validation.trials.docket import Docket
from venire.validation.trials.ledger import Ledger
from venire.verdict.finishing import finished, one_layer_figure, setting_losses

Floats = NDArray[np.float64]

VOTE, STACK, BLEND = "vote", "stack", "blend"
_NO_SAY = 0.005  # of all weight, for the others together: such a combination is shown as one member with 1.00


class Part(NamedTuple):
    """A member of a combination: a family at one of its settings."""

    family: str
    setting: int


Parts = dict[Part, float]  # with the weight of each


@dataclass(frozen=True, eq=False)
class Candidate:
    """What may be handed over, and everything known about how good it is."""

    name: str
    kind: str  # "member" or "combination"
    setting: str  # of a member; a combination has parts
    outer: dict[Place, float]  # loss on each outer fold: what it is judged by
    inner: dict[Place, Floats]  # losses on the inner folds: what the choice for that outer fold may see
    final: Floats  # one-layer losses at the setting handed over: what the choice for all rows may see
    training: dict[Place, float] = field(default_factory=dict)  # loss on rows that the outer models have seen
    one_layer_error: float = nan  # of all rows, on the folds judged: what choosing and judging on them would report
    settings: dict[Place, int] = field(default_factory=dict)  # the member's choice for each outer fold
    final_setting: int = 0
    parts: Parts | None = None  # of a combination, with weights learned on all folds
    parts_at: dict[Place, Parts] = field(default_factory=dict)
    finish: Finish = field(default_factory=Finish)  # calibration and decision, learned on all folds
    finish_at: dict[Place, Finish] = field(default_factory=dict)
    power: int = 1  # to which losses of folds are averaged: see `Metric.power`

    @property
    def losses(self) -> Floats:
        """The two-layer losses, one an outer fold."""
        return np.array(list(self.outer.values()))

    @property
    def error(self) -> float:
        """The two-layer estimate by folds: their mean, of an RMSE that of their squares."""
        return overall(self.losses, self.power)

    @property
    def weights(self) -> dict[str, float] | None:
        """Of a combination: what each family counts, all its settings together."""
        return None if self.parts is None else by_family(self.parts)

    @property
    def settings_taken(self) -> int:
        """How many settings of families have a say in it, by weights that are shown."""
        return 1 if self.parts is None else sum(weight >= _NO_SAY for weight in self.parts.values())

    def is_one_member(self, place: Place | None = None) -> bool:
        """Whether a combination gives all its weight, for an outer fold or for all rows, to one setting of a member."""
        parts = self.parts if place is None else self.parts_at.get(place)
        return parts is not None and max(parts.values(), default=0.0) > 1.0 - _NO_SAY


def unit_of(docket: Docket, place: Place | None = None) -> float:
    """What losses are to be measured by in the choice for one outer fold, or in that for all rows."""
    return docket.unit(docket.plan.finals if place is None else docket.plan.inner(*place))


def by_family(parts: Mapping[Part, float]) -> dict[str, float]:
    """The weight of each family, all its settings together, in the order in which they come.

    >>> by_family({Part("forest", 1): 0.5, Part("boosting", 3): 0.25, Part("forest", 2): 0.25})
    {'forest': 0.75, 'boosting': 0.25}
    """
    weights: dict[str, float] = {}
    for part, weight in parts.items():
        weights[part.family] = weights.get(part.family, 0.0) + weight
    return weights


def member(docket: Docket, ledger: Ledger, rule: Rule = "best") -> Candidate:
    """A family judged in two layers; its setting is the best on the inner folds, or the simplest that is as good."""
    plan, family, power = docket.plan, ledger.family, docket.metric.power
    choice = nested_choice(docket, ledger, rule, losses=partial(setting_losses, docket, ledger), power=power)
    outer, training = dict(choice.outer), dict(choice.training)
    inner = {place: ledger.at(plan.inner(*place), setting) for place, setting in choice.settings.items()}
    finish_at = {}
    if docket.finishing:
        for place, setting in choice.settings.items():
            held, judged = plan.inner(*place), plan.outer(*place)
            taught = finished(docket, [docket.predicted(family, h, setting) for h in held], held)
            inner[place], learned = taught.losses, taught.finish
            finish_at[place] = learned
            outer[place] = docket.metric.loss(docket.truth(judged), learned(docket.predicted(family, judged, setting)))
            inside = docket.seen(family, judged.trial, setting)
            training[place] = docket.seen_loss(judged.trial, None if inside is None else learned(inside))
    final = finished(docket, [docket.predicted(family, h, choice.final) for h in plan.finals], plan.finals)
    return Candidate(
        family,
        "member",
        ledger.settings[choice.final].label,
        outer=outer,
        inner=inner,
        final=final.losses,
        training=training,
        one_layer_error=one_layer_figure(docket, final.said),
        settings=dict(choice.settings),
        final_setting=choice.final,
        finish=final.finish,
        finish_at=finish_at,
        power=power,
    )
