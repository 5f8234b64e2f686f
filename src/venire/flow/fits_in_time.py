"""Whether what was chosen can still be fitted on all rows within the budget, and what is handed over where it cannot.

Time for the fit is kept back while trials run, by what they take; a machine that gets busy, or a family whose fit takes
a large part of the budget, may use it up. A model has to be there when the budget ends, so families are then taken in
the order in which they were tried, those that promise most per second first, as long as the fits of all of them
together fit into what is left. Of the others those whose trials left the models of the folds are handed over as these,
averaged: nothing is to be fitted. What is left then stays on the leaderboard, and the choice is made again without it.
No label has a say in which these are: the error of that choice is as honest as that of the first.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from venire.validation.trials.budget import time_to_tell
from venire.validation.trials.family import Turn
from venire.validation.trials.forecast import FitTooSlow
from venire.validation.trials.reasons import Stopped
from venire.validation.trials.runner import Ran
from venire.validation.trials.stopwatch import Stages
from venire.verdict.judgement import Judgement

_MOMENT = 0.5  # seconds of fits that are done in any case: a late model is worth more than none


@dataclass(frozen=True)
class TooLate:
    """The families whose fits would come too late: those with models of the folds instead, and those without."""

    of_folds: Mapping[str, FitTooSlow] = field(default_factory=dict)
    without: Mapping[str, FitTooSlow] = field(default_factory=dict)


def too_late(judgement: Judgement, ran: Ran, stages: Stages) -> TooLate:
    """The families that are not fitted on all rows for what is handed over; most often none.

    `ran` has the seconds that fits are expected to take where one was asked for, by the trials of each family.
    """
    docket = judgement.docket
    end = stages.until(time_to_tell(docket.table.rows * len(judgement.candidates)))
    if end is None or not ran.fitting or ran.stopped is Stopped.INTERRUPTED:
        return TooLate()
    left = end - time.monotonic()
    turns = {name: getattr(docket.families[name], "turn", Turn.PROMISING) for name in judgement.ledgers}
    chosen = {name: ran.fitting.get(name, 0.0) for name in judgement.handed_over}
    if sum(chosen.values()) <= max(left, _MOMENT):
        return TooLate()
    outer = {held.trial for held in docket.plan.finals}
    bags = {name for name, models in ran.models.items() if models.keys() >= outer}
    of_chosen = late_fits(chosen, turns, left, bags)
    if not of_chosen.without:
        return of_chosen
    left -= stages.seconds.get("verdict", 0.0)  # the choice is made once more
    return late_fits({name: ran.fitting.get(name, 0.0) for name in turns}, turns, left, bags)


def late_fits(
    seconds: Mapping[str, float], turns: Mapping[str, Turn], left: float, bags: Collection[str] = ()
) -> TooLate:
    """The families that do not fit into the seconds that are left, the others taken by turn and the cheaper first.

    >>> turns = {"linear": Turn.QUICK, "svm": Turn.LAST, "forest": Turn.PROMISING, "boosting": Turn.PROMISING}
    >>> late_fits({"linear": 0.1, "svm": 1.0, "forest": 9.0, "boosting": 2.0}, turns, left=4.0).without
    {'forest': FitTooSlow(seconds=9.0, left=4.0)}
    >>> late_fits({"linear": 0.1, "boosting": 9.0}, turns, left=4.0, bags={"boosting"}).of_folds
    {'boosting': FitTooSlow(seconds=9.0, left=4.0)}
    """
    room = max(left, _MOMENT)
    order = sorted(seconds, key=lambda name: (turns[name], seconds[name]))
    taken: list[str] = []
    for name in order:
        if seconds[name] <= room:
            taken.append(name)
            room -= seconds[name]
    if not taken and not set(order).intersection(bags):
        taken = [min(order, key=seconds.__getitem__)]
    late = {name: FitTooSlow(seconds[name], max(left, 0.0)) for name in seconds if name not in taken}
    return TooLate(
        {name: why for name, why in late.items() if name in bags},
        {name: why for name, why in late.items() if name not in bags},
    )
