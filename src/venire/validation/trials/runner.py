"""From a plan to evidence: decide who may try, run what is not on disk yet, stop when time is up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from venire.errors import VenireError
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.budget import Admission, admit, available_memory, time_to_judge
from venire.validation.trials.ctrl_c import noticed
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort, Tick
from venire.validation.trials.family import Cancel, Cancelled, Cost, Turn
from venire.validation.trials.forecast import Forecast, check_seconds
from venire.validation.trials.reasons import Failure, Interrupted, NotTried, OutOfTime, Stopped
from venire.validation.trials.workers import WORTH_A_POOL, Bench, Done, Here, Job, Pool, pool

# A fit in this process can only be asked to stop. One that may not listen for longer runs in a worker, which is killed.
_PATIENCE = 5.0
_CHECKING_SHARE = 0.15  # of a budget, kept at most for checking what is chosen


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


def run_trials(
    docket: Docket,
    effort: Effort | None = None,
    *,
    score: Callable[[str], float] | None = None,
    judging: float = 1.0,
    not_tried: Mapping[str, NotTried] | None = None,
    selective: bool = True,
) -> Ran:
    """Run every trial that is not in the evidence yet. Ctrl-C and the budget end it with what is complete.

    `score` rates a family whose trials are complete, for the progress display; `judging` is how much dearer the metric
    is than counting errors; `not_tried` are families that were ruled out before, with the reason. A `selective` run
    leaves out what will not fit into time or memory; others go as far as they get.
    """
    effort = effort or Effort()
    jobs, budget, plan, names = effort.jobs, effort.budget, docket.plan, tuple(docket.families)
    kept = {name: _kept(docket, name) for name in names}
    missing = {name: [t for t in plan.trials if t not in kept[name]] for name in names}
    settled = frozenset(name for name in names if not missing[name])
    costs = {name: _left_of(docket.families[name].cost(docket.table, plan), missing[name], plan) for name in names}
    admission = Admission(names, {}, 0.0)
    if selective:
        # Planned by the budget as it was given, not by what reading left of it: the same families every time.
        turns = {name: getattr(family, "turn", Turn.PROMISING) for name, family in docket.families.items()}
        admission = admit(costs, seconds=budget, jobs=jobs, memory=available_memory(), settled=settled, turns=turns)

    stopped: Stopped | None = None
    with noticed() as interrupted:
        bench = Bench(docket, interrupted)
        to_do = {name: costs[name] for name in admission.admitted if missing[name]}
        apart = _apart(bench, to_do, missing, jobs, guesses=budget is not None)
        judged = judging * _predictions(docket, admission.admitted)
        expected = {name: cost.seconds / _lanes(bench, name, jobs, apart) for name, cost in to_do.items()}
        forecast = Forecast(
            expected,
            {name: len(missing[name]) for name in to_do},
            after=time_to_judge(judged),
            end=None if budget is None else effort.began + budget,
        )
        work = _Work(bench, admission.admitted, missing, kept, forecast, effort.tick, score)
        deadline = None if budget is None else effort.began + budget - time_to_judge(judged, budget)
        with _places(bench, jobs, apart, _until(deadline, work, budget)) as place_of:
            try:
                for name in admission.admitted:
                    work.family(name, place_of(name))
            except Cancelled:
                stopped = Stopped.BUDGET
            except KeyboardInterrupt:
                stopped = Stopped.INTERRUPTED
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
        tick: Callable[[Tick], None],
        score: Callable[[str], float] | None,
    ) -> None:
        self.bench, self.plan, self.forecast = bench, bench.docket.plan, forecast
        self.admitted, self.missing, self._show, self.score = admitted, missing, tick, score
        self.best: tuple[str, float] | None = None
        self.complete: list[str] = []
        self.failed: dict[str, Failure] = {}
        self.failed_at: dict[str, Done] = {}
        self.seconds = {name: sum(kept[name].values()) for name in admitted if kept[name]}
        self.finished: dict[str, int] = {}
        self.longest_check = 0.0  # of a family that may be chosen: time for it is kept
        self.total = sum(len(missing[name]) for name in admitted)
        self.done = 0

    def family(self, name: str, place: Here | Pool) -> None:
        jobs = [Job(name, trial) for trial in self.missing[name]]
        self.finished[name] = 0
        self.seconds.setdefault(name, 0.0)
        self.forecast.begin(name)
        self._tick(name)
        for done in place.run(jobs):
            self.done += 1
            self.forecast.step()
            self.finished[name] += 1
            self.seconds[name] += done.seconds
            if done.error is not None:
                self.failed_at[name] = done
                self.failed[name] = done.error
                self.done += len(jobs) - self.finished[name]
                break
            self._tick(name)
        self.forecast.finish()
        if name not in self.failed:
            self.complete.append(name)
            check = check_seconds(self.seconds[name], len(self.plan.trials), self.bench.in_one_piece(name))
            self.longest_check = max(self.longest_check, check)
            self._rate(name)
        self._tick(name)

    def _tick(self, name: str) -> None:
        self._show(Tick(name, self.done, self.total, self.best, self.forecast.left()))

    def _rate(self, name: str) -> None:
        if self.score is None:
            return
        error = self.score(name)
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
            tuple(self.complete), self.failed, not_tried, self.seconds, reused, self.done, stopped, self.failed_at
        )


def _kept(docket: Docket, name: str) -> dict[Trial, float]:
    """The trials of a family that are in the evidence, with the seconds each took."""
    found = {trial: docket.evidence.finished(docket.keys[name], trial) for trial in docket.plan.trials}
    return {trial: record.seconds for trial, record in found.items() if record is not None}


def _left_of(cost: Cost, missing: Sequence[Trial], plan: Plan) -> Cost:
    """What the trials that are not on disk yet will take."""
    return replace(cost, seconds=cost.seconds * len(missing) / len(plan.trials))


def _apart(
    bench: Bench, costs: Mapping[str, Cost], missing: Mapping[str, list[Trial]], jobs: int, *, guesses: bool
) -> frozenset[str]:
    """The families that run in worker processes: those not made for threads, if that is worth starting workers.

    With `guesses` also those of which nobody knows how long they take.
    """
    unfit = [
        name
        for name, cost in costs.items()
        if not bench.in_threads(name) or cost.seconds / len(missing[name]) > _PATIENCE
    ]
    if sum(costs[name].seconds for name in unfit) / jobs >= WORTH_A_POOL:
        return frozenset(unfit)
    return frozenset(name for name in unfit if guesses and costs[name].guess)


def _lanes(bench: Bench, name: str, jobs: int, apart: frozenset[str]) -> int:
    """How many trials of a family run at a time."""
    return jobs if name in apart or bench.in_one_piece(name) or bench.in_threads(name) else 1


@contextmanager
def _places(bench: Bench, jobs: int, apart: frozenset[str], cancel: Cancel) -> Iterator[Callable[[str], Here | Pool]]:
    """Where a family runs: in worker processes, which can be stopped in the middle of a fit, or here and at once."""
    here = Here(bench, jobs, cancel)
    if not apart:
        yield lambda _: here
        return
    with pool(bench, jobs, cancel) as workers:
        yield lambda name: workers if name in apart else here


def _predictions(docket: Docket, names: Sequence[str]) -> float:
    """How many numbers the evidence of these families holds."""
    table, plan = docket.table, docket.plan
    classes = 1 if table.target is None else max(1, len(table.target.classes))
    held_out = sum(len(trial.test) for trial in plan.trials) / plan.folds * table.rows
    return float(sum(len(docket.settings[name]) for name in names) * held_out * classes)


def _until(deadline: float | None, work: _Work, budget: float | None) -> Cancel:
    """The end of the trials: in time for the verdict, and for checking a member that is handed over."""

    def cancel() -> None:
        if deadline is None or budget is None:
            return
        if time.monotonic() > deadline - min(work.longest_check, _CHECKING_SHARE * budget):
            raise Cancelled

    return cancel
