"""Where the time of a comparison goes: one figure a stage, and what is over the budget in the end."""

from __future__ import annotations

import time
from collections.abc import Callable


class Stages:
    """A stopwatch that is read at the end of every stage.

    >>> at = iter([2.5, 7.0])
    >>> stages = Stages(began=1.0, budget=5.0, clock=lambda: next(at))
    >>> stages.ended("reading")
    >>> stages.ended("trials")
    >>> stages.seconds, stages.total
    ({'reading': 1.5, 'trials': 4.5}, 6.0)
    """

    def __init__(
        self, began: float, budget: float | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.began, self.budget = began, budget
        self.seconds: dict[str, float] = {}
        self._clock = clock
        self._last = began

    def ended(self, stage: str) -> None:
        """A stage has ended, and the next begins."""
        now = self._clock()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds from the beginning to the end of the last stage."""
        return self._last - self.began

    def until(self, reserve: float) -> float | None:
        """The moment that leaves so many seconds of the budget; None where there is none."""
        return None if self.budget is None else self.began + self.budget - reserve
