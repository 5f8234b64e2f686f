"""How long the rest of a run takes, family by family: by formula before a family has begun, by its own trials after.

The mean of all trials so far tells little: the cheapest families go first, and a trial of the last may take a thousand
times as long as one of the first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from venire.validation.trials.reasons import Reason

_DOUBT = 10.0  # seconds for which formulas are trusted: what runs first also pays for imports and a cold cache
_TRUST = 2.0  # trials that a family's formula is worth beside its own
_TELLING = 2  # trials of a family after which its own pace says something
_ALL_ROWS = 1.5  # trials that a fit of all rows is worth: more rows, and no other trial beside it
_THREAD = 0.6  # of a core: what one more thread adds to a fit
CHECK = 4.0  # trials that the check of a family is worth: two fits, and preparing for each


@dataclass(frozen=True)
class FitTooSlow(Reason):
    """Fitting a family on all rows would not have ended within the budget."""

    kind: ClassVar[str] = "fit_too_slow"
    seconds: float  # of the fit, by what its trials took
    left: float  # seconds of the budget


def check_seconds(seconds: float, trials: int, together: bool) -> float:
    """About how long the check of a family takes whose trials took so many seconds.

    Where trials share their work, a few fits did all of it, and the check, which is alone, has nobody to share with.

    >>> check_seconds(55.0, 55, together=False), check_seconds(9.0, 55, together=True)
    (4.0, 4.5)
    """
    return 0.5 * seconds if together else CHECK * seconds / trials


def fit_seconds(seconds: float, trials: int, together: bool, threads: int) -> float:
    """About how long it takes to fit a family on all rows whose trials took so many seconds, with so many threads.

    >>> fit_seconds(55.0, 55, together=False, threads=1), fit_seconds(8.0, 55, together=True, threads=2)
    (1.5, 2.0)
    """
    if together:
        return 0.25 * seconds  # its trials had as many threads
    return _ALL_ROWS * seconds / trials / (1.0 + _THREAD * (threads - 1))


class Forecast:
    """The seconds that are left, from what was expected and what was seen.

    `expected` has the seconds that each family's open trials are to take, in the order they run, and `trials` their
    number; `after` is what follows the last of them, and `end` a moment by which all is over in any case.

    >>> forecast = Forecast({"tree": 2.0, "svm": 60.0}, {"tree": 55, "svm": 55}, clock=lambda: 0.0)
    >>> forecast.begin("tree")
    >>> round(forecast.left())  # the trials, and the checks that follow them
    67
    """

    def __init__(
        self,
        expected: Mapping[str, float],
        trials: Mapping[str, int],
        *,
        after: float = 0.0,
        end: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._expected, self._trials = dict(expected), dict(trials)
        self._after, self._end, self._clock = after, end, clock
        self._planned = self._measured = 0.0  # of the families that have ended: by formula, and by the clock
        self._checks = 0.0  # of those that have ended
        self._current: _Current | None = None

    def begin(self, family: str) -> None:
        """The next family begins, and the one before has ended."""
        self.finish()
        if family in self._expected:
            self._current = _Current(self._expected.pop(family), self._trials[family], self._clock())

    def step(self) -> None:
        """A trial of the family that runs has ended."""
        if self._current is not None:
            self._current.step(self._clock())

    def finish(self) -> None:
        """The family that runs has ended, with all of its trials or without."""
        if self._current is not None:
            took = self._clock() - self._current.began
            self._planned += self._current.expected * self._current.done / self._current.trials
            self._measured += took
            self._checks += CHECK * took / self._current.trials
            self._current = None

    def postpone(self, family: str) -> None:
        """The family that runs goes on later: what it still takes is told by its trials so far."""
        current, pace = self._current, self._pace()
        if current is not None and current.done < current.trials:
            self._expected[family] = current.left(self._clock(), pace) / pace
            self._trials[family] = current.trials - current.done
        self.finish()

    def expected(self, family: str) -> float:
        """Seconds that a family which has not begun is to take, at the pace of those that have ended."""
        return self._expected.get(family, 0.0) * self._pace()

    def seen_left(self) -> float:
        """Seconds that the rest of the family that runs takes, by its own trials; 0 until some have ended."""
        current = self._current
        if current is None or current.done < _TELLING:
            return 0.0
        return current.left(self._clock(), self._pace())

    def _pace(self) -> float:
        return (self._measured + _DOUBT) / (self._planned + _DOUBT)

    def left(self) -> float:
        """Seconds from now to the end of everything."""
        now, pace = self._clock(), self._pace()
        trials = checks = 0.0
        for name, expected in self._expected.items():
            trials += expected * pace
            checks += CHECK * expected * pace / self._trials[name]
        if self._current is not None:
            rest = self._current.left(now, pace)
            trials += rest
            checks += CHECK * (now - self._current.began + rest) / self._current.trials
        left = trials + checks + self._checks + self._after
        return left if self._end is None else max(0.0, min(left, self._end - now))


class _Current:
    """The family that runs: its first trial pays for what all share, so its pace is taken from those that follow."""

    def __init__(self, expected: float, trials: int, began: float) -> None:
        self.expected, self.trials, self.began = expected, trials, began
        self.done = 0
        self._first = self._last = began

    def step(self, now: float) -> None:
        self.done += 1
        self._last = now
        if self.done == 1:
            self._first = now

    def left(self, now: float, pace: float) -> float:
        rest = self.trials - self.done
        by_formula = self.expected * pace * rest / self.trials
        if not self.done:
            return max(by_formula - (now - self.began), 0.0)
        seen = self.done - 1
        by_trials = (self._last - self._first) / seen * rest if seen else 0.0
        return (seen * by_trials + _TRUST * by_formula) / (seen + _TRUST)
