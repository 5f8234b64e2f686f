"""From a plan to evidence: decide who may try, run what is not on disk yet, stop when time is up."""

from __future__ import annotations

import math
import time
import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from venire.cluster.session import Session
from venire.data.store.room import available_memory
from venire.disk.scratch import sweep
from venire.errors import VenireError, VenireWarning
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.budget import Admission, admit, time_to_judge
from venire.validation.trials.ctrl_c import noticed
from venire.validation.trials.deadline import CHECKING_SHARE, FITTING_SHARE, TurnOver, Until
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort, Tick
from venire.validation.trials.family import Cancel, Cancelled, Cost, Turn
from venire.validation.trials.forecast import Forecast, fit_seconds
from venire.validation.trials.reasons import Failure, Interrupted, NotTried, OutOfTime, Stopped
from venire.validation.trials.workers.afar import Cluster, cluster
from venire.validation.trials.workers.bench import Bench, Done, Job, Place
from venire.validation.trials.workers.places import lanes_of, places, run_apart
from venire.validation.trials.workers.pool import Pool
from venire.wording import count

_GRANTED, _BEYOND = 0.05, 3.0  # of a budget, and times what was expected: what takes longer goes on after the others
_HOPE = 1.5  # times the time that is left: what is expected to take longer is left to a later run


@dataclass(frozen=True)
class Ran:
    """What a run came to: which families are complete, which failed, which were not tried and why."""

    complete: tuple[str, ...]
    failed: Mapping[str, Failure]
    not_tried: Mapping[str, NotTried]
    seconds: Mapping[str, float]  # of all trials of a family, those found on disk among them
    reused: int  # trials found on disk
    trials: int  # trials run
    stopped: Stopped | None  # before all was done
    failed_at: Mapping[str, Done] = field(default_factory=dict)  # the trial of a family that failed, with its error
    fitting: Mapping[str, float] = field(default_factory=dict)  # seconds to fit a complete family, if asked for
    jobs: int = 1  # trials that ran at a time in this process and beside it
    workers: int = 0  # of a cluster, on which they ran, as many as there were at a time


def run_trials(
    docket: Docket,
    effort: Effort | None = None,
    *,
    score: Callable[[str], float] | None = None,
    judging: float = 1.0,
    not_tried: Mapping[str, NotTried] | None = None,
    selective: bool = True,
    workers: Pool | None = None,
    session: Session | None = None,
) -> Ran:
    """Run every trial that is not in the evidence yet. Ctrl-C and the budget end it with what is complete.

    `score` rates a family whose trials are complete, for the progress display; `judging` is how much longer the metric
    is than counting errors; `not_tried` are families that were ruled out before, with the reason. A `selective` run
    leaves out what will not fit into time or memory; others go as far as they get. Worker processes are those of
    `workers`, so that checks can go on with them, or last as long as this. With a `session` all trials run on the
    workers of its cluster instead.

    What runs other people's code comes last, in workers, and of what is left of a budget each gets an equal share:
    whatever it does, all others have finished or have had their time.
    """
    effort = effort or Effort()
    sweep()
    jobs, budget, plan, names = effort.jobs, effort.budget, docket.plan, tuple(docket.families)
    kept = {name: _kept(docket, name) for name in names}
    missing = {name: [t for t in plan.trials if t not in kept[name]] for name in names}
    settled = frozenset(name for name in names if not missing[name])
    costs = {name: _left_of(docket.families[name].cost(docket.table, plan), missing[name], plan) for name in names}
    admission = Admission(names, {}, 0.0)
    with noticed() as interrupted, cluster(docket, session, bench := Bench(docket, interrupted)) as afar:
        lanes, memory = (jobs, available_memory()) if afar is None else (afar.lanes, afar.memory)
        if selective:
            # Planned by the budget as it was given, not by what reading left of it: the same families every time.
            turns = {name: getattr(family, "turn", Turn.PROMISING) for name, family in docket.families.items()}
            admission = admit(costs, seconds=budget, jobs=lanes, memory=memory, settled=settled, turns=turns)
        to_do = {name: costs[name] for name in admission.admitted if missing[name]}
        apart = frozenset[str]() if afar else run_apart(bench, to_do, missing, jobs, guesses=budget is not None)

        def to_judge(names: Sequence[str]) -> float:
            return time_to_judge(judging * _predictions(docket, names), budget or math.inf)

        at_once = {name: afar.lanes_of(name) if afar else lanes_of(bench, name, jobs, apart) for name in to_do}
        forecast = Forecast(
            {name: cost.seconds / at_once[name] for name, cost in to_do.items()},
            {name: len(missing[name]) for name in to_do},
            after=to_judge(admission.admitted),
            end=None if budget is None else effort.began + budget,
        )
        order = sorted(admission.admitted, key=bench.others)
        work = _Work(
            bench,
            admitted=order,
            missing=missing,
            kept=kept,
            forecast=forecast,
            score=score,
            effort=effort,
            to_judge=to_judge,
            afar=afar,
        )
        known = any(not missing[name] for name in order)
        until = Until(effort.began, budget, work.kept_back, known=known)
        if afar is not None:
            afar.expect({name: _jobs(name, missing[name]) for name in order if missing[name]}, costs, until.left)
        with places(bench, jobs, apart, workers, afar) as place_of:
            stopped = work.all(place_of, until)
    return work.ran({**(not_tried or {}), **admission.refused}, stopped, budget)


def refuse_failures(docket: Docket, ran: Ran) -> None:
    """An error where a family failed, for those who have no other to go on with."""
    for name, done in ran.failed_at.items():
        if done.cause is not None:
            raise done.cause
        raise VenireError(
            f"{name} failed on {len(docket.plan.train_rows(done.job.trial))} rows: {done.error}",
            code="trial_failed",
            hint="the same estimator fails outside of venire, too: try it there",
        )


class _Work:
    """The bookkeeping of a run: what is done, what failed, how long it took."""

    def __init__(
        self,
        bench: Bench,
        admitted: Sequence[str],
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
        stopped: Stopped | None = None
        try:
            while waiting:
                name, most = waiting.popleft()
                left = len(turns) - turns.index(name) if name in turns else 1
                if self.missing[name] and self.forecast.expected(name) > _HOPE * until.left():
                    stopped = Stopped.BUDGET
                else:
                    try:
                        self.family(name, place_of(name), self._as_long_as_there_is_hope(until, left, most))
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

    def family(self, name: str, place: Place, cancel: Cancel) -> None:
        before = self.finished.setdefault(name, 0)
        jobs = _jobs(name, self.missing[name][before:])
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
        self.forecast.finish()
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
        return judging + checking + min(sum(self.fits.values()), FITTING_SHARE * budget)

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

    def ran(self, not_tried: dict[str, NotTried], stopped: Stopped | None, budget: float | None) -> Ran:
        for name in self.admitted:
            if name in self.complete or name in self.failed:
                continue
            wanted = len(self.plan.trials)
            have = wanted - len(self.missing[name]) + self.finished.get(name, 0)
            cut_short = stopped is Stopped.BUDGET
            not_tried[name] = OutOfTime(budget, have, wanted) if cut_short else Interrupted(have, wanted)
        reused = sum(len(self.plan.trials) - len(self.missing[name]) for name in self.admitted)
        return Ran(
            complete=tuple(self.complete),
            failed=self.failed,
            not_tried=not_tried,
            seconds=self.seconds,
            reused=reused,
            trials=self.done,
            stopped=stopped,
            failed_at=self.failed_at,
            fitting=self.fits,
            jobs=self.jobs,
            workers=0 if self._afar is None else self._afar.most,
        )


def _kept(docket: Docket, name: str) -> dict[Trial, float]:
    """The trials of a family that are in the evidence, with the seconds each took; damaged ones are warned of."""
    evidence, key, trials = docket.evidence, docket.keys[name], docket.plan.trials
    there = [trial for trial in trials if evidence.has(key, trial)]
    found = {trial: record.seconds for trial in there if (record := evidence.finished(key, trial)) is not None}
    if damaged := len(there) - len(found):
        text = f"the evidence of {count(damaged, 'trial')} of {name} was damaged: it was put aside, and is made again"
        warnings.warn(text, VenireWarning, stacklevel=3)
    return found


def _left_of(cost: Cost, missing: Sequence[Trial], plan: Plan) -> Cost:
    """What the trials that are not on disk yet will take."""
    return replace(cost, seconds=cost.seconds * len(missing) / len(plan.trials))


def _jobs(name: str, trials: Sequence[Trial]) -> list[Job]:
    return [Job(name, trial) for trial in trials]


def _predictions(docket: Docket, names: Sequence[str]) -> float:
    """How many numbers the evidence of these families holds."""
    table, plan = docket.table, docket.plan
    classes = 1 if table.target is None else max(1, len(table.target.classes))
    held_out = sum(len(trial.test) for trial in plan.trials) / plan.folds * table.rows
    return float(sum(len(docket.settings[name]) for name in names) * held_out * classes)
