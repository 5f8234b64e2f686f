"""The losses of one family, read off the evidence: for every held-out fold of every trial, all settings at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from venire.metrics.predictions import Output
from venire.validation.choice import mean_defined
from venire.validation.plans.plan import Held, Plan, Trial
from venire.validation.trials.family import Setting

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ledger:
    """What one family lost where. A loss is NaN where the fold does not define the metric."""

    family: str
    settings: tuple[Setting, ...]
    output: Output
    losses: Mapping[Held, Floats]  # [setting]
    training: Mapping[Trial, Floats]  # [setting], outer trials
    warnings: Counter[str] = field(default_factory=Counter)

    def mean(self, held: Sequence[Held]) -> Floats:
        """The mean loss of every setting over some held-out folds, leaving out the undefined."""
        return mean_defined(self.on(held))

    def on(self, held: Sequence[Held]) -> Floats:
        """The losses on some held-out folds: [held, setting]. Of none there is one line, of nothing that is known."""
        if not held:
            return np.full((1, len(self.settings)), np.nan)
        return np.stack([self.losses[h] for h in held])

    def at(self, held: Sequence[Held], setting: int) -> Floats:
        """One setting's losses on some held-out folds."""
        return np.array([self.losses[h][setting] for h in held])

    def judged(self, plan: Plan, place: tuple[int, int]) -> bool:
        """Whether all trials are in that the choice for an outer fold and its judgement hang on."""
        return all(held in self.losses for held in (plan.outer(*place), *plan.inner(*place)))
