"""When there is nothing to give a verdict on: why, and the way out."""

from __future__ import annotations

from venire.advice import Advice, Option
from venire.errors import VenireError
from venire.report.sentences.reasons import reason_words
from venire.validation.trials.reasons import Stopped, TooLarge, TooSlow
from venire.validation.trials.runner import Ran


def nothing_finished(ran: Ran) -> VenireError:
    """No family was finished: say why."""
    reasons = sorted({**ran.failed, **ran.not_tried}.items(), key=lambda item: isinstance(item[1], TooSlow | TooLarge))
    first = "; ".join(f"{name}: {reason_words(reason)}" for name, reason in reasons[:3])  # those begun say more
    if ran.stopped is Stopped.INTERRUPTED:
        return VenireError(
            "interrupted before any model was finished",
            code="interrupted",
            hint="trials that were finished are kept; the same command resumes from there",
        )
    return VenireError(f"no model was finished ({first})", code="nothing_finished", hint=_way_out(ran))


def _way_out(ran: Ran) -> str:
    """What would let a model be finished: time, memory, or a model that does not fail."""
    reasons, models = tuple(ran.not_tried.values()), Option("models")
    if ran.stopped is Stopped.BUDGET or any(isinstance(reason, TooSlow) for reason in reasons):
        return Advice("give more time with ", Option("budget"), ", or name faster models with ", models)
    if any(isinstance(reason, TooLarge) for reason in reasons):
        return Advice("use fewer workers with ", Option("jobs"), ", or name models that need less memory with ", models)
    raised = "the model itself raised this: fit it by hand on some of the rows to see where, or name others with "
    return Advice(raised, models)
