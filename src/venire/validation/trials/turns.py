"""Whose turn it is: the trials of one family after the other, as long as there is time, and what became of them."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence

from venire.validation.plans.plan import Trial
from venire.validation.trials.deadline import CHECKING_SHARE, FITTING_SHARE, TurnOver, Until
from venire.validation.trials.effort import Effort, Tick
from venire.validation.trials.family import Cancel, Cancelled
from venire.validation.trials.forecast import Forecast, fit_seconds
from venire.validation.trials.reasons import Failure, Stopped
from venire.validation.trials.workers.afar import Cluster
from venire.validation.trials.workers.bench import Bench, Done, Job, Place

_GRANTED, _BEYOND = 0.05, 3.0  # of a budget, and times what was expected: what takes longer goes on after the others
_AS_GOOD_AS_A_FIT = 5  # models of the folds, averaged: no time is kept back for a fit (decision 51)
_HOPE = 1.5  # times the time that is left: what is expected to take longer is left to a later run


class Work:
    """The bookkeeping of a run: what is done, what failed, how long it took."""

    def __init__(
        self,
        bench: Bench,
        admitted: Sequence[str],
        quick: Collection[str],
        opening: Mapping[str, float],
        missing: Mapping[str, list[Trial]],
        kept: Mapping[str, Mapping[Trial, float]],
        forecast: Forecast,
        score: Callable[[str], float] | None,
        effort: Effort,
        to_judge: Callable[[Sequence[str]], float],
        afar: Cluster | None,
    ) -> None:
        self._afar = afar
        self._to_judge = to_judge
        self._fitting, self.jobs = effort.fitting, effort.jobs
        self.fits: dict[str, float] = {}  # seconds to fit each family that may be handed over
        self.bench, self.plan, self.forecast = bench, bench.docket.plan, forecast
        self.quick = quick  # that go before all else
        self.opening = opening  # whose first trials come next, and seconds for each
        self.admitted, self.missing, self._show, self.score = admitted, missing, effort.tick, score
        self.best: tuple[str, float] | None = None
        self.errors: dict[str, float] = {}  # of those that are complete
        self.complete: list[str] = []
        self.failed: dict[str, Failure] = {}
        self.failed_at: dict[str, Done] = {}
        self.seconds = {name: sum(kept[name].values()) for name in admitted if kept[name]}
        self.finished: dict[str, int] = {}
        self.longest_check = 0.0  # of a family that may be chosen: time for it is kept
        self.total = sum(len(missing[name]) for name in admitted)
        self.done = 0

    def all(self, place_of: Callable[[str], Place], until: Until) -> Stopped | None:
        """Run one family after the other; what ended that before all were done, if anything did.

        A family has nothing to show before all its trials have ended: it is not begun, or given up, where the time that
        is left is plainly too short for it, so that the next, which may do with less, has it. One that takes much
        longer than expected goes on when all others have had their turn.
        """
        turns = [name for name in self.admitted if self.missing[name] and self.bench.others(name)]
        waiting = deque((name, self._granted(name, until)) for name in self.admitted)
        aside: list[str] = []
        opening = True
        stopped: Stopped | None = None
        try:
            while waiting:
                if opening and waiting[0][0] not in self.quick:
                    self._open(place_of, until)
                    opening = False
                name, most = waiting.popleft()
                left = len(turns) - turns.index(name) if name in turns else 1
                if name in self.complete or name in self.failed:
                    pass  # first trials were all it had
                elif self.missing[name] and self.forecast.expected(name) > _HOPE * until.left():
                    stopped = Stopped.BUDGET
                else:
                    try:
                        place = place_of(name)
                        if name in turns:
                            place.ready(name, until)  # no share of the time goes into the start of workers
                        self.family(name, place, self._as_long_as_there_is_hope(until, left, most))
                    except TurnOver:
                        self.forecast.postpone(name)
                        if most < math.inf:
                            aside.append(name)
                        else:
                            stopped = Stopped.BUDGET
                if not waiting:
                    waiting.extend((name, math.inf) for name in sorted(aside, key=self.forecast.expected))
                    aside.clear()
        except Cancelled:
            stopped = Stopped.BUDGET
        except KeyboardInterrupt:
            stopped = Stopped.INTERRUPTED
        return stopped

    def _open(self, place_of: Callable[[str], Place], until: Until) -> None:
        """First trials of all that promise much, before one of them has all of its own.

        It is no further work: each goes on from there when it has its turn. Trees that serve many trials are grown for
        a while, and kept.
        """
        for name, most in self.opening.items():
            if self.bench.in_one_piece(name):
                self.bench.under_way.add(name)
            else:
                most = self._granted(name, until)  # what ends in the middle of a trial was for nothing
            try:
                self.family(name, place_of(name), self._as_long_as_there_is_hope(until, 1, most), self.jobs)
            except TurnOver:
                self.forecast.postpone(name)

    def _granted(self, name: str, until: Until) -> float:
        """Seconds after which a family is to let others go first."""
        if until.budget is None or self.bench.in_one_piece(name) or self.bench.others(name):
            return math.inf
        return max(_GRANTED * until.budget, _BEYOND * self.forecast.expected(name))

    def _as_long_as_there_is_hope(self, until: Until, families: int, most: float) -> Cancel:
        """The end of one family's time, which comes early where its trials so far say that they will not all end."""
        cancel, end = until.shared_by(families), time.monotonic() + most

        def enough() -> None:
            cancel()
            if time.monotonic() > end or self.forecast.seen_left() > _HOPE * until.left():
                raise TurnOver

        return enough

    def family(self, name: str, place: Place, cancel: Cancel, most: int | None = None) -> None:
        """The trials of a family that are still to be run, or so many of them; those that share their work, all."""
        before = self.finished.setdefault(name, 0)
        jobs = [Job(name, trial) for trial in self.missing[name][before:]]
        if not self.bench.in_one_piece(name):
            jobs = jobs[:most]
        self.seconds.setdefault(name, 0.0)
        self.forecast.begin(name)
        self._tick(name)
        for done in place.run(jobs, cancel):
            self.done += 1
            self.forecast.step()
            self.finished[name] += 1
            self.seconds[name] += done.seconds
            if done.error is not None:
                self.failed_at[name] = done
                self.failed[name] = done.error
                self.done += len(self.missing[name]) - self.finished[name]
                break
            self._tick(name)
        if name not in self.failed and self.finished[name] < len(self.missing[name]):
            self.forecast.postpone(name)
            return
        self.forecast.finish()
        self.bench.under_way.discard(name)
        if name not in self.failed:
            self.complete.append(name)
            took, trials, together = self.seconds[name], len(self.plan.trials), self.bench.in_one_piece(name)
            self.longest_check = max(self.longest_check, self.bench.check_seconds(name, took, trials))
            if self._fitting:
                threads = self.jobs if self.bench.in_threads(name) else 1
                self.fits[name] = fit_seconds(took, trials, together, threads)
            self._rate(name)
        self._tick(name)

    def kept_back(self, budget: float) -> float:
        """Seconds of a budget for the verdict, for checking what is handed over, and for fitting it if asked."""
        judging = self._to_judge([*self.complete, *list(self.finished)[-1:]])  # the one that runs among them
        checking = min(self.longest_check, CHECKING_SHARE * budget)
        most = len(self.plan.finals)
        left = {n for n, models in self.bench.models.items() if len(models) == most >= _AS_GOOD_AS_A_FIT}
        fits = sum(seconds for name, seconds in self.fits.items() if name not in left)
        return judging + checking + min(fits, FITTING_SHARE * budget)

    def _tick(self, name: str) -> None:
        afar, left = self._afar, self.forecast.left()
        where = () if afar is None else (afar.workers, afar.dashboard)
        self._show(Tick(name, self.done, self.total, self.best, left, dict(self.errors), *where))

    def _rate(self, name: str) -> None:
        if self.score is None:
            return
        self.errors[name] = error = self.score(name)
        if not math.isnan(error) and (self.best is None or error < self.best[1]):
            self.best = (name, error)
