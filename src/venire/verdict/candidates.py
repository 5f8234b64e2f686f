"""Candidates: members and combinations of them, each with the losses on which it is chosen and those it is judged by.

For every outer block a member picks its setting on the inner predictions, which have not seen that block, and is
judged by the outer prediction of it. The same rule on all blocks gives the setting that is handed over.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from venire.combine.finish import Finish
from venire.metrics.predictions import Predictions
from venire.validation.choice import Rule, choose
from venire.validation.choice import simplest_best as simplest_best
from venire.validation.plans.plan import Held
from venire.verdict.finishing import finished, setting_losses
from venire.verdict.ledger import Docket, Ledger, mean_defined

Floats = NDArray[np.float64]
Place = tuple[int, int]  # repeat and outer block

_NO_SAY = 0.005  # of all weight, for the others together: such a combination is shown as one member with 1.00


@dataclass(frozen=True, eq=False)
class Candidate:
    """What may be handed over, and everything known about how good it is."""

    name: str
    kind: str  # "member" or "combination"
    setting: str  # of a member; a combination has weights
    outer: dict[Place, float]  # loss on each outer block: what it is judged by
    inner: dict[Place, Floats]  # losses on the inner blocks: what the choice for that outer block may see
    final: Floats  # one-layer losses at the setting handed over: what the choice for all rows may see
    training: dict[Place, float] = field(default_factory=dict)  # loss on rows that the outer models have seen
    settings: dict[Place, int] = field(default_factory=dict)  # the member's choice for each outer block
    final_setting: int = 0
    weights: dict[str, float] | None = None  # of a combination, on all blocks
    weights_at: dict[Place, dict[str, float]] = field(default_factory=dict)
    finish: Finish = field(default_factory=Finish)  # calibration and decision, learned on all blocks
    finish_at: dict[Place, Finish] = field(default_factory=dict)

    @property
    def losses(self) -> Floats:
        """The two-layer losses, one an outer block."""
        return np.array(list(self.outer.values()))

    @property
    def error(self) -> float:
        """The two-layer estimate: the mean over outer blocks."""
        return float(mean_defined(self.losses))

    def is_one_member(self, place: Place | None = None) -> bool:
        """Whether a combination gives all its weight, for an outer block or for all rows, to one member."""
        weights = self.weights if place is None else self.weights_at.get(place)
        return weights is not None and max(weights.values(), default=0.0) > 1.0 - _NO_SAY

    @property
    def one_layer_error(self) -> float:
        """What one layer would have reported: the mean of the losses that chose the setting, on the blocks judged.

        In time order the choice sees one block that two layers cannot judge, and it comes first.
        """
        return float(mean_defined(self.final[-len(self.outer) :]))

    @property
    def training_error(self) -> float:
        """The mean loss on rows trained on, finished as what is judged is."""
        return float(mean_defined(np.array(list(self.training.values())))) if self.training else float("nan")


def places(docket: Docket) -> list[Place]:
    """Every outer block of every repeat."""
    return [(r, i) for r in range(docket.plan.repeats) for i in docket.plan.outer_blocks()]


def all_final(docket: Docket) -> tuple[Held, ...]:
    """The one-layer predictions of all repeats."""
    return tuple(held for r in range(docket.plan.repeats) for held in docket.plan.final(r))


def unit_of(docket: Docket, place: Place | None = None) -> float:
    """What losses are to be measured by in the choice for one outer block, or in that for all rows."""
    return docket.unit(all_final(docket) if place is None else docket.plan.inner(*place))


def member(docket: Docket, ledger: Ledger, rule: Rule = "best") -> Candidate:
    """A family judged in two layers; its setting is the best on the inner blocks, or the simplest that is as good."""
    plan = docket.plan
    outer, inner, training, chosen, finish_at = {}, {}, {}, {}, {}
    for place in places(docket):
        held, judged = plan.inner(*place), plan.outer(*place)
        setting = choose(setting_losses(docket, ledger, held), rule, unit=unit_of(docket, place))
        chosen[place] = setting
        if docket.finishing:
            finish, inner[place] = finished(docket, _said(docket, ledger, held, setting), held)
            finish_at[place] = finish
            own = docket.said(ledger.family, judged, setting)
            outer[place] = docket.metric.loss(docket.truth(judged), finish(own))
            inside = docket.seen(ledger.family, judged.trial, setting)
            training[place] = docket.seen_loss(judged.trial, None if inside is None else finish(inside))
        else:
            inner[place] = ledger.at(held, setting)
            outer[place] = float(ledger.losses[judged][setting])
            training[place] = float(ledger.training[judged.trial][setting])
    held = all_final(docket)
    setting = choose(setting_losses(docket, ledger, held), rule, plan.repeats, unit_of(docket))
    final, finish = ledger.at(held, setting), Finish()
    if docket.finishing:
        finish, final = finished(docket, _said(docket, ledger, held, setting), held)
    return Candidate(
        ledger.family,
        "member",
        ledger.settings[setting].label,
        outer,
        inner,
        final,
        training,
        chosen,
        setting,
        finish=finish,
        finish_at=finish_at,
    )


def _said(docket: Docket, ledger: Ledger, held: tuple[Held, ...], setting: int) -> list[Predictions]:
    return [docket.said(ledger.family, h, setting) for h in held]
