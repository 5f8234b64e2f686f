"""The procedure: what venire would hand you, judged as a whole, with every choice made inside.

For each outer fold the best candidate is chosen on the inner losses alone and judged on the outer fold. Of members,
the lowest inner mean wins, of equals the earlier in the bucket. A combination has to beat the best member by more than
one standard error of the difference: its inner score is slightly too good, and a member is simpler. One that gives all
its weight to one member is that member, and takes part as the member only. Repeats split the same rows again: they
steady the mean, but the standard error is that of one split, so that the rule that hands over is as strict as the one
that was judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire.validation.choice import mean_defined, simplest_best
from venire.validation.plans.plan import Place
from venire.verdict.candidates import Candidate

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Procedure:
    """The choice on all rows, and the error of choosing like that."""

    chosen: Candidate
    picks: dict[Place, Candidate]
    one_layer_error: float  # of the choice on all rows: what choosing and judging on the same folds would report

    @property
    def losses(self) -> Floats:
        """The loss on each outer fold of what was picked for it."""
        return np.array([candidate.outer[place] for place, candidate in self.picks.items()])

    @property
    def error(self) -> float:
        """The two-layer estimate of the whole procedure."""
        return float(mean_defined(self.losses))

    @property
    def training_error(self) -> float:
        """The mean training loss of what was picked."""
        return float(mean_defined(np.array([c.training.get(place, np.nan) for place, c in self.picks.items()])))


def procedure(
    candidates: Sequence[Candidate], repeats: int = 1, unit: Callable[[Place | None], float] = lambda _: 1.0
) -> Procedure:
    """Choose for every outer fold, and for all rows; `unit` is what losses are measured by there (`unit_of`)."""
    picks = {}
    for place in candidates[0].outer:
        eligible = [c for c in candidates if not c.is_one_member(place)]
        picks[place] = eligible[_pick(eligible, [c.inner[place] for c in eligible], unit=unit(place))]
    eligible = [c for c in candidates if not c.is_one_member()]
    chosen = eligible[_pick(eligible, [c.final for c in eligible], repeats, unit(None))]
    return Procedure(chosen, picks, chosen.one_layer_error)


def _pick(candidates: Sequence[Candidate], losses: Sequence[Floats], repeats: int = 1, unit: float = 1.0) -> int:
    means = np.array([mean_defined(values) for values in losses])
    members = [at for at, c in enumerate(candidates) if c.kind == "member"]
    best = members[simplest_best(means[members], unit)]
    winner = best
    for at, candidate in enumerate(candidates):
        if candidate.kind != "member" and means[at] < means[winner] and _clearly(losses[at], losses[best], repeats):
            winner = at
    return winner


def _clearly(challenger: Floats, holder: Floats, repeats: int) -> bool:
    """Whether the mean difference exceeds the standard error of one split."""
    gap = holder - challenger
    gap = gap[~np.isnan(gap)]
    if len(gap) < 2:
        return False
    return bool(gap.mean() > gap.std(ddof=1) / np.sqrt(len(gap) / repeats))
