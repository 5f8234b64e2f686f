"""The procedure: what venire would hand you, judged as a whole, with every choice made inside.

For each outer fold one candidate is chosen on the inner losses alone and judged on the outer fold. Of members, the
lowest inner mean wins, of equals the earlier in the bucket. The blend is taken, or where there is none the combination
with the lowest inner mean, unless the best member beats it by two standard errors of the difference: the least of many
inner means is too good, because chance had a part in which one it is, and the weights of a combination are
cross-fitted. On the tables this was chosen on and on others, taking a member, or another combination, more readily
costs more than it saves (decision 37). A combination that gives all its weight to one member is that member, and takes
part as the member only. Repeats split the same rows again: they steady the mean, but the standard error is that of one
split, so that the rule that hands over is as strict as the one that was judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire.validation.choice import SAME, mean_defined, overall, simplest_best
from venire.validation.plans.plan import Place
from venire.verdict.candidates import BLEND, Candidate

Floats = NDArray[np.float64]

_CLEARLY = 2.0  # standard errors


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
        return overall(self.losses, self.chosen.power)


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
    power = candidates[0].power
    losses, unit = [values**power for values in losses], unit**power  # root mean squares are averaged as squares
    means = np.array([mean_defined(values) for values in losses])
    members = [at for at, c in enumerate(candidates) if c.kind == "member"]
    best = members[simplest_best(means[members], unit)]
    together = [at for at, c in enumerate(candidates) if c.kind != "member" and not np.isnan(means[at])]
    if not together:
        return best
    blends = [at for at in together if candidates[at].name == BLEND]
    challenger = (blends or together)[0 if blends else simplest_best(means[together], unit)]
    return best if _clearly(losses[best], losses[challenger], repeats, unit) else challenger


def _clearly(one: Floats, other: Floats, repeats: int, unit: float) -> bool:
    """Whether one loses less than the other by two standard errors of one split, or both, up to rounding, the same.

    Where fewer than two folds can tell, there is nothing to weigh, and the first is the simpler.
    """
    gap = other - one
    gap = gap[~np.isnan(gap)]
    if len(gap) < 2:
        return True
    reach = _CLEARLY * gap.std(ddof=1) / np.sqrt(len(gap) / repeats)
    return bool(gap.mean() >= reach - SAME * max(unit, float(np.abs(one).max())))
