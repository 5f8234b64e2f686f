"""The certificates of the members of a judgement, in the time that is left for them."""

from __future__ import annotations

from venire.validation.honesty.certificate import Certificate
from venire.validation.honesty.certificates import INTERRUPTED, NO_TIME, certificates
from venire.validation.trials.budget import time_to_tell
from venire.validation.trials.docket import Docket
from venire.validation.trials.reasons import Stopped
from venire.validation.trials.runner import Ran
from venire.validation.trials.stopwatch import Stages
from venire.validation.trials.workers.pool import Pool
from venire.verdict.judgement import Judgement

_MARGIN = 1.5  # times the forecast of the fit of what is handed over, which no check may take the time of


def checked_members(docket: Docket, bare: Judgement, ran: Ran, stages: Stages, workers: Pool) -> dict[str, Certificate]:
    """Every family of the docket, those that would be handed over first; after Ctrl-C there are only kept ones."""
    interrupted = ran.stopped is Stopped.INTERRUPTED
    fitting = _MARGIN * sum(ran.fitting.get(name, 0.0) for name in bare.handed_over)
    end = stages.until(time_to_tell(docket.table.rows * len(bare.candidates)) + fitting)
    return certificates(
        docket,
        jobs=workers.jobs,
        first=bare.handed_over,
        until=stages.began if interrupted else end,
        late=INTERRUPTED if interrupted else NO_TIME,
        workers=workers,
    )
