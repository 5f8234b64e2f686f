"""When the trials of a run have to end, so that the rest of it fits into the budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from venire.validation.trials.family import Cancel, Cancelled

_MOMENT = 0.5  # seconds that first trials have in any case
CHECKING_SHARE = 0.15  # of a budget, kept at most for checking what is chosen
FITTING_SHARE = 0.35  # of a budget, kept at most for fitting it on all rows


class TurnOver(Cancelled):
    """One family has had its time, and others wait."""


class Until:
    """The end of the trials: in time for the verdict, for checking what is handed over, and for fitting it if asked.

    The budget began at a moment of `time.monotonic`, and `kept_back` says how many seconds of it all that takes, by
    what is known so far. Where reading and starting took all of a budget, and nothing is `known`, what is done in a
    moment is still done: a verdict that is late is worth more than none.
    """

    def __init__(self, began: float, budget: float | None, kept_back: Callable[[float], float], *, known: bool) -> None:
        self._began, self.budget, self._kept_back = began, budget, kept_back
        self._earliest = time.monotonic() + (0.0 if known else _MOMENT)

    def __call__(self) -> None:
        """Raise `Cancelled` if it has come."""
        if self.left() < 0:
            raise Cancelled

    def left(self) -> float:
        """Seconds until then."""
        if self.budget is None:
            return math.inf
        end = self._began + self.budget - self._kept_back(self.budget)
        return max(self._earliest, end) - time.monotonic()

    def shared_by(self, families: int) -> Cancel:
        """The end of one family's time, where so many share what is left."""
        if self.budget is None or families < 2:
            return self
        end = time.monotonic() + self.left() / families

        def enough() -> None:
            self()
            if time.monotonic() > end:
                raise TurnOver

        return enough
