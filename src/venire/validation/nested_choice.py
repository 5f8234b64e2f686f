"""The nested choice: for every outer fold a setting is chosen on its inner folds, and judged on the outer one.

Nothing that is judged has had a part in the choice. The same rule on all folds gives the setting one would use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire.validation.choice import Rule, choose
from venire.validation.plans.plan import Held, Place
from venire.validation.trials.docket import Docket
from venire.validation.trials.ledger import Ledger

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NestedChoice:
    """The setting of every outer fold with what it loses there, and the setting chosen on all folds."""

    settings: Mapping[Place, int]
    outer: Mapping[Place, float]  # the loss on the outer fold
    training: Mapping[Place, float]  # on rows that the outer model has seen
    final: int


def nested_choice(
    docket: Docket,
    ledger: Ledger,
    rule: Rule,
    *,
    places: Sequence[Place] | None = None,
    losses: Callable[[Sequence[Held]], Floats] | None = None,
    repeats: int | None = None,
    power: int = 1,
) -> NestedChoice:
    """Choose among the settings of a family for some outer folds (all), and for all rows.

    `losses` gives what a choice looks at, [fold, setting]: the ledger's, if it is not said. `repeats` is how often
    rows are tested, if not as often as they were split; the mean is of the `power`-th powers of losses.
    """
    plan, looked_at = docket.plan, losses or ledger.on
    settings, outer, training = {}, {}, {}
    for place in plan.places if places is None else places:
        held, judged = plan.inner(*place), plan.outer(*place)
        s = choose(looked_at(held) ** power, rule, unit=docket.unit(held) ** power)
        settings[place] = s
        outer[place] = float(ledger.losses[judged][s])
        training[place] = float(ledger.training[judged.trial][s])
    held = tuple(h for h in plan.finals if h in ledger.losses)
    times = plan.repeats if repeats is None else repeats
    final = choose(looked_at(held) ** power, rule, times, docket.unit(held) ** power)
    return NestedChoice(settings, outer, training, final)
