"""From a plan to evidence: decide who may try, run what is not on disk yet, stop when time is up."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from venire.cluster.session import Session
from venire.data.store.room import available_memory
from venire.disk.scratch import sweep
from venire.errors import VenireError, VenireWarning
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.budget import Admission, admit, opening, time_to_judge
from venire.validation.trials.ctrl_c import noticed
from venire.validation.trials.deadline import Until
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort
from venire.validation.trials.family import Cost, Turn
from venire.validation.trials.forecast import Forecast
from venire.validation.trials.reasons import Failure, Interrupted, NotTried, OutOfTime, Stopped
from venire.validation.trials.turns import Work
from venire.validation.trials.workers.afar import cluster
from venire.validation.trials.workers.bench import Bench, Done, Job
from venire.validation.trials.workers.places import lanes_of, places, run_apart
from venire.validation.trials.workers.pool import Pool
from venire.wording import count


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
    models: Mapping[str, Mapping[Trial, Any]] = field(default_factory=dict)  # of outer trials, where they were left
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
    turns = {name: getattr(family, "turn", Turn.PROMISING) for name, family in docket.families.items()}
    admission = Admission(names, {}, 0.0)
    keeps = effort.fitting and budget is not None
    with (
        noticed() as interrupted,
        cluster(docket, session, bench := Bench(docket, interrupted, keeps_models=keeps)) as afar,
    ):
        lanes, memory = (jobs, available_memory()) if afar is None else (afar.lanes, afar.memory)
        if selective:
            # Planned by the budget as it was given, not by what reading left of it: the same families every time.
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
        firsts = {name: _first_seconds(bench, name, cost, missing[name]) for name, cost in to_do.items()}
        alone = not selective or afar is not None
        work = Work(
            bench,
            admitted=order,
            quick={name for name in order if turns[name] is Turn.QUICK},
            opening={} if alone else opening(firsts, turns, [n for n in order if n not in apart], budget),
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
            afar.expect(
                {name: [Job(name, trial) for trial in missing[name]] for name in order if missing[name]},
                costs,
                until.left,
            )
        with places(bench, jobs, apart, workers, afar) as place_of:
            stopped = work.all(place_of, until)
    most = 0 if afar is None else afar.most
    return _ran(work, {**(not_tried or {}), **admission.refused}, stopped, budget, most)


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


def _ran(
    work: Work, not_tried: dict[str, NotTried], stopped: Stopped | None, budget: float | None, workers: int
) -> Ran:
    """What the work came to."""
    for name in work.admitted:
        if name in work.complete or name in work.failed:
            continue
        wanted = len(work.plan.trials)
        have = wanted - len(work.missing[name]) + work.finished.get(name, 0)
        cut_short = stopped is Stopped.BUDGET
        not_tried[name] = OutOfTime(budget, have, wanted) if cut_short else Interrupted(have, wanted)
    reused = sum(len(work.plan.trials) - len(work.missing[name]) for name in work.admitted)
    return Ran(
        complete=tuple(work.complete),
        failed=work.failed,
        not_tried=not_tried,
        seconds=work.seconds,
        reused=reused,
        trials=work.done,
        stopped=stopped,
        failed_at=work.failed_at,
        fitting=work.fits,
        models=work.bench.models,
        jobs=work.jobs,
        workers=workers,
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


def _first_seconds(bench: Bench, name: str, cost: Cost, missing: Sequence[Trial]) -> float:
    """Of as many trials as run at a time: those of one. Trees that all trials share can be left at any moment."""
    return 0.0 if bench.in_one_piece(name) else cost.seconds / len(missing)


def _predictions(docket: Docket, names: Sequence[str]) -> float:
    """How many numbers the evidence of these families holds."""
    table, plan = docket.table, docket.plan
    classes = 1 if table.target is None else max(1, len(table.target.classes))
    held_out = sum(len(trial.test) for trial in plan.trials) / plan.folds * table.rows
    return float(sum(len(docket.settings[name]) for name in names) * held_out * classes)
