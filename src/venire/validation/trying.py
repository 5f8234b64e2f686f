"""From one model and a plan to what its trials came to: the way that `one_layer`, `two_layer` and all others take."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from venire.advice import Advice, Option
from venire.cluster.where import Where
from venire.errors import VenireError
from venire.validation.evidence.evidence import Evidence, InMemory
from venire.validation.evidence.questions import Kind, Question
from venire.validation.evidence.runs import Runs
from venire.validation.honesty.certificate import Certificate
from venire.validation.honesty.certificates import INTERRUPTED, NO_TIME, certificates
from venire.validation.plans.plan import Plan, Trial
from venire.validation.subject import Subject, subject
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort, Tick, unwatched
from venire.validation.trials.family import Family
from venire.validation.trials.ledger import Ledger
from venire.validation.trials.naive import Naive
from venire.validation.trials.runner import Ran, refuse_failures, run_trials
from venire.validation.trials.whose_code import others_code
from venire.validation.trials.workers.afar import session_of
from venire.validation.trials.workers.pool import Pool, pool
from venire.validation.unknown_options import taken_by
from venire.wording import duration

_RESUME = "trials that were finished are kept; the same command goes on from there"
_LOST = "give home= a folder, and trials that were finished are kept there"


@dataclass(frozen=True)
class Means:
    """What a validation may spend, where it keeps its evidence, and whether it takes the plain loop."""

    effort: Effort
    home: Path | None  # None: in memory
    naive: bool = False
    where: Where | None = None  # the cluster that trials run on

    def evidence(self, case: Subject, plan: Plan) -> Evidence:
        """Where the outcomes of a plan's trials go."""
        if self.home is None:
            return InMemory(seen=plan.keeps_seen)
        return Runs(self.home).open(case.table, plan)

    @contextmanager
    def asked(self, docket: Docket, kind: Kind) -> Iterator[None]:
        """Let it be known below the home what is worked on, as long as it is."""
        if self.home is None:
            yield
            return
        keys = tuple(docket.keys.values())
        question = Question(kind, docket.table, docket.plan, docket.metric, keys, models=tuple(docket.families))
        with Runs(self.home).asked(question):
            yield


def means(
    *,
    jobs: int | None = 1,
    budget: float | None = None,
    home: str | os.PathLike[str] | None = None,
    naive: bool = False,
    began: float | None = None,
    tick: Callable[[Tick], None] = unwatched,
    cluster: Any = None,
    shared: str | os.PathLike[str] | None = None,
) -> Means:
    """The options of running trials, as every way of validating takes them.

    `jobs` trials run at a time (None: one for each core), for no longer than `budget` seconds from `began` on, None for
    no limit; outcomes are kept below `home`, where the same call goes on another time, or in memory. `naive` fits every
    setting by itself instead of sharing work. `tick` is called at every step. Trials run on the workers of a `cluster`,
    if one is given: an address, a scheduler file, a `Client` or a `Cluster` of Dask; `shared` is a folder that all its
    machines have.
    """
    effort = Effort.of(jobs, budget, began, tick)
    return Means(effort, None if home is None else Path(home).absolute(), naive, Where.of(cluster, shared))


def asked(model: Any, data: Any, target: str | ArrayLike | None, given: dict[str, Any]) -> tuple[Subject, Means]:
    """What is validated and by what means, out of all the options that were given."""
    running, reading = taken_by(means, given)
    by = means(**running)  # before a table is read
    return subject(model, data, target, **reading), by


@dataclass(frozen=True, eq=False)
class Tried:
    """The trials of one family: what they are of, what was lost where, and how the run went."""

    docket: Docket
    ran: Ran
    means: Means

    @property
    def family(self) -> Family:
        """The one that was tried."""
        (family,) = self.docket.families.values()
        return family

    @cached_property
    def ledger(self) -> Ledger:
        """What it lost where."""
        return self.docket.ledger(self.family.name)

    @property
    def stopped(self) -> str | None:
        """What ended the run before all trials were in: "budget" or "interrupted"; None if nothing did."""
        return None if self.ran.complete else self.ran.stopped

    @property
    def progress(self) -> str:
        """How far it came, in words."""
        trials = self.docket.plan.trials
        return f"{sum(map(self.has, trials)):,} of {len(trials):,} trials"

    def has(self, trial: Trial) -> bool:
        """Whether a trial came to its end."""
        return self.docket.evidence.has(self.docket.keys[self.family.name], trial)

    def unfinished(self, wanted: str) -> VenireError:
        """The run ended before there was anything to say."""
        kept = _LOST if self.means.home is None else _RESUME
        if self.stopped == "interrupted":
            return VenireError(f"interrupted before {wanted} was finished", code="interrupted", hint=kept)
        return VenireError(
            f"the budget of {duration(self.means.effort.budget)} ended after {self.progress}, "
            f"before {wanted} was finished",
            code="nothing_finished",
            hint=Advice("give more time with ", Option("budget"), f"; {kept}"),
        )

    def certificate(self, workers: Pool | None = None) -> Certificate:
        """Whether the family learns from rows it must not see: checked when first asked for, while there is time."""
        effort, interrupted = self.means.effort, self.stopped == "interrupted"
        end = None if effort.budget is None else effort.began + effort.budget
        found = certificates(
            self.docket,
            jobs=effort.jobs,
            until=effort.began if interrupted else end,
            late=INTERRUPTED if interrupted else NO_TIME,
            workers=workers,
        )
        return found[self.family.name]


def tried(case: Subject, plan: Plan, by: Means, kind: Kind = Kind.VALIDATION) -> Tried:
    """Run the trials of a plan; a family that fails ends it with an error."""
    family = Naive(case.family) if by.naive else case.family
    if plan.layers == 1 or plan.own_inner_folds or plan.splitting == "holdout":
        # There, all rows of every training part are predicted, and only costs need more of it than the other losses.
        plan = replace(plan, keeps_seen=case.metric.costs is not None)
    docket = Docket.of(case.table, plan, case.metric, by.evidence(case, plan), [family])
    with session_of(by.where) as session, by.asked(docket, kind), pool(docket, by.effort.jobs) as workers:
        ran = run_trials(docket, by.effort, selective=False, workers=workers, session=session)
        refuse_failures(docket, ran)
        found = Tried(docket, ran, by)
        if ran.complete and others_code(family):
            found.certificate(workers)  # it is kept, and would cost another start of workers later
    return found
