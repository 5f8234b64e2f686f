"""Whether what was chosen can still be fitted on all rows within the budget, and what is done without where it cannot.

Time for the fit is kept back while trials run, by what they take; a machine that gets busy, or a family whose fit takes
a large part of the budget, may use it up. A model has to be there when the budget ends, so families are then taken in
the order in which they were tried, those that promise most per second first, as long as the fits of all of them
together fit into what is left. The others stay on the leaderboard, and the choice is made again without them. No
label has a say in which these are: the error of that choice is as honest as that of the first.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from venire.validation.trials.budget import time_to_tell
from venire.validation.trials.family import Turn
from venire.validation.trials.forecast import FitTooSlow
from venire.validation.trials.reasons import Stopped
from venire.validation.trials.runner import Ran
from venire.validation.trials.stopwatch import Stages
from venire.verdict.judgement import Judgement

_MOMENT = 0.5  # seconds of fits that are done in any case: a late model is worth more than none


def done_without(judgement: Judgement, ran: Ran, stages: Stages) -> dict[str, FitTooSlow]:
    """The families that have no part in what is handed over, because their fits would come too late; most often none.

    `ran` has the seconds that fits are expected to take where one was asked for, by the trials of each family.
    """
    docket = judgement.docket
    end = stages.until(time_to_tell(docket.table.rows * len(judgement.candidates)))
    if end is None or not ran.fitting or ran.stopped is Stopped.INTERRUPTED:
        return {}
    left = end - time.monotonic()
    if sum(ran.fitting.get(name, 0.0) for name in judgement.handed_over) <= max(left, _MOMENT):
        return {}
    left -= stages.seconds.get("verdict", 0.0)  # the choice is made once more
    turns = {name: getattr(docket.families[name], "turn", Turn.PROMISING) for name in judgement.ledgers}
    return late_fits({name: ran.fitting.get(name, 0.0) for name in turns}, turns, left)


def late_fits(seconds: Mapping[str, float], turns: Mapping[str, Turn], left: float) -> dict[str, FitTooSlow]:
    """The families that do not fit into the seconds that are left, the others taken by turn and the cheaper first.

    >>> turns = {"linear": Turn.QUICK, "svm": Turn.LAST, "forest": Turn.PROMISING, "boosting": Turn.PROMISING}
    >>> late_fits({"linear": 0.1, "svm": 1.0, "forest": 9.0, "boosting": 2.0}, turns, left=4.0)
    {'forest': FitTooSlow(seconds=9.0, left=4.0)}
    """
    room = max(left, _MOMENT)
    order = sorted(seconds, key=lambda name: (turns[name], seconds[name]))
    taken: list[str] = []
    for name in order:
        if seconds[name] <= room:
            taken.append(name)
            room -= seconds[name]
    taken = taken or [min(order, key=seconds.__getitem__)]
    return {name: FitTooSlow(seconds[name], max(left, 0.0)) for name in seconds if name not in taken}
