"""When there is nothing to give a verdict on: why, and the way out."""

from __future__ import annotations

from venire.errors import VenireError
from venire.validation.trials.runner import Ran


def nothing_finished(ran: Ran) -> VenireError:
    """No family was finished: say why."""
    reasons = sorted({**ran.failed, **ran.not_tried}.items(), key=lambda item: item[1].startswith("too "))
    first = "; ".join(f"{name}: {reason}" for name, reason in reasons[:3])  # those that were begun say more
    if ran.stopped == "interrupted":
        return VenireError(
            "interrupted before any model was finished",
            code="interrupted",
            hint="trials that were finished are kept; the same command goes on from there",
        )
    return VenireError(f"no model was finished ({first})", code="nothing_finished", hint=_way_out(ran))


def _way_out(ran: Ran) -> str:
    """What would let a model be finished: time, memory, or a model that does not fail."""
    reasons = tuple(ran.not_tried.values())
    if ran.stopped == "budget" or any(reason.startswith("too dear") for reason in reasons):
        return "give more time with budget=, or name cheaper models with models="
    if any(reason.startswith("too large") for reason in reasons):
        return "use fewer workers with jobs=, or name models that need less memory with models="
    return "the model itself raised this: fit it by hand on some of the rows to see where, or name others with models="
