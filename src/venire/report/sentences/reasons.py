"""Why a family was not tried or failed, as people read it."""

from __future__ import annotations

from venire.validation.trials.forecast import FitTooSlow
from venire.validation.trials.reasons import Failure, Interrupted, NotTried, OutOfTime, TooLarge, TooSlow
from venire.wording import duration

_GIB = 2**30


def reason_words(reason: NotTried | Failure | FitTooSlow) -> str:
    """A reason in one sentence without its full stop.

    >>> reason_words(TooSlow(seconds=43200.0, room=420.0, budget=600.0, planned_share=0.7))
    'too slow: it needs about 12 h, and trials have 7 min of the budget (70 % of 10 min)'
    >>> reason_words(TooLarge(bytes=2.0e12, usable=6.4e9))
    'too large: needs about 1863 GiB of memory, 6.0 GiB can be used'
    """
    match reason:
        case TooSlow():
            share = f"{100 * reason.planned_share:.0f} % of {duration(reason.budget)}"
            room = f"trials have {duration(reason.room)} of the budget ({share})"
            return f"too slow: it needs about {duration(reason.seconds)}, and {room}"
        case TooLarge():
            needed, usable = _size(reason.bytes), _size(reason.usable)
            return f"too large: needs about {needed} of memory, {usable} can be used"
        case OutOfTime():
            when = "the budget" if reason.budget is None else f"the budget of {duration(reason.budget)}"
            return f"out of time: {when} ended after {_progress(reason)}"
        case Interrupted():
            return f"interrupted after {_progress(reason)}"
        case FitTooSlow():
            left = f"{duration(reason.left)} of the budget were left" if reason.left > 0 else "nothing was left"
            return f"a fit on all rows takes about {duration(reason.seconds)}, and {left} for all fits"
        case _:
            return str(reason)


def _progress(reason: OutOfTime | Interrupted) -> str:
    return f"{reason.done} of {reason.trials} trials; run again to resume there"


def _size(count: float) -> str:
    gib = count / _GIB
    return f"{gib:.0f} GiB" if gib >= 10 else f"{gib:.1f} GiB"
