"""Where trials run: a bench prepares each family once and keeps what comes of its trials, here or in a worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from venire.errors import VenireError
from venire.validation.plans.plan import Trial
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Cancel, Cancelled, Gregarious, Outcome, Threaded, never
from venire.validation.trials.forecast import check_seconds
from venire.validation.trials.reasons import Failure, Raised
from venire.validation.trials.side_by_side import side_by_side
from venire.validation.trials.whose_code import others_code, rows_checked
from venire.validation.trials.workers.one_thread import one_thread


@dataclass(frozen=True)
class Job:
    """One trial of one family."""

    family: str
    trial: Trial

    @property
    def folds(self) -> tuple[int, ...]:
        """The folds it is trained on, counted from 1 as people do."""
        return tuple(fold + 1 for fold in self.trial.train)


@dataclass(frozen=True)
class Done:
    """A job that ended: `error` says why it failed, if it did."""

    job: Job
    seconds: float = 0.0
    error: Failure | None = None
    cause: VenireError | None = None  # of an error that says itself what to do
    outcome: Outcome | None = None  # on its way from a worker to evidence that is in memory


class Place(Protocol):
    """Where trials run: in this process, in worker processes, or on the workers of a cluster."""

    def ready(self, family: str, cancel: Cancel = never) -> None:
        """Wait until work of a family would begin at once: starting is nobody's time."""

    def run(self, jobs: list[Job], cancel: Cancel = never) -> Iterator[Done]:
        """Each job as it ends, in the order given."""


class Bench:
    """Where trials run: prepares each family once, and keeps what comes of its trials.

    With `keeps_models` it has, by family and trial, the models that trials leave, too.

    `survived` is what a learner may raise without an end of the run. In this process that is any `Exception`, as
    `SystemExit` and Ctrl-C are the user's own; in a worker, which hears of neither, it is whatever can be raised.
    """

    def __init__(
        self,
        docket: Docket,
        interrupted: Callable[[], None] = never,
        survived: type[BaseException] = Exception,
        *,
        keeps_models: bool = False,
    ) -> None:
        self.docket, self.survived, self._interrupted = docket, survived, interrupted
        self.models: dict[str, dict[Trial, Any]] = {}
        self._keeps_models = keeps_models
        self.under_way: set[str] = set()  # families that go on after others: what their trials share is kept
        self._prepared: dict[str, Any] = {}
        self._preparing = threading.Lock()

    def in_one_piece(self, name: str) -> bool:
        """Whether the trials of a family are best run in one process."""
        family, plan = self.docket.families[name], self.docket.plan
        return isinstance(family, Gregarious) and not plan.own_tables and family.in_one_piece(plan)

    def in_threads(self, name: str) -> bool:
        """Whether the trials of a family may run in threads of one process."""
        family = self.docket.families[name]
        return isinstance(family, Threaded) and family.in_threads(self.docket.table)

    def asks_often(self, name: str) -> bool:
        """Whether the trials of a family listen within a fit, so that none needs to be killed."""
        return self.in_threads(name) and bool(getattr(self.docket.families[name], "asks_often", False))

    def check_seconds(self, name: str, seconds: float, trials: int) -> float:
        """About how long the check of a family takes, on the rows it is made on, by what its trials took."""
        rows = self.docket.table.rows
        share = rows_checked(self.docket.families[name], rows) / max(1, rows)
        return share * check_seconds(seconds, trials, self.in_one_piece(name))

    def others(self, name: str) -> bool:
        """Whether a family runs other people's code, which may take its process along: workers only."""
        return others_code(self.docket.families[name]) and not self.in_threads(name)

    def share(self, jobs: Sequence[Job], threads: int, cancel: Cancel = never) -> None:
        """Do the common work of these jobs, all of one family; if it fails, so will the first of them, with a word."""
        family = self.docket.families[jobs[0].family]
        assert isinstance(family, Gregarious)
        with suppress(self.survived):
            family.share(self._prepare(jobs[0])[0], [job.trial for job in jobs], threads, cancel)

    def run(self, job: Job, cancel: Cancel = never) -> Done:
        """Run one trial and keep its outcome; a learner's own failure is an answer, not a crash."""
        docket = self.docket
        try:
            prepared, trial = self._prepare(job)
            outcome = docket.families[job.family].run(prepared, trial, cancel)
        except Cancelled:
            raise
        except self.survived as error:
            cause = error if isinstance(error, VenireError) else None
            return Done(job, error=Raised(job.folds, *words_of(error)), cause=cause)
        self._interrupted()
        if outcome.model is not None and self._keeps_models:
            self.models.setdefault(job.family, {})[job.trial] = outcome.model
        kept = replace(outcome, model=None, seen=outcome.seen if docket.plan.keeps_seen else None)
        docket.evidence.put(docket.keys[job.family], job.trial, kept)
        return Done(job, outcome.seconds)

    def _prepare(self, job: Job) -> tuple[Any, Trial]:
        """What a job's trial runs on, and the trial as it is known there."""
        name, family, plan = job.family, self.docket.families[job.family], self.docket.plan
        if plan.own_tables:  # nobody else's, so nothing is kept of it
            ground = plan.within(self.docket.table, job.trial)
            return family.prepare(ground.table, ground.plan), ground.trial
        with self._preparing:
            if name not in self._prepared:
                # Families come one after the other: one at a time is enough memory.
                self._prepared = {other: kept for other, kept in self._prepared.items() if other in self.under_way}
                self._prepared[name] = family.prepare(self.docket.table, plan)
            return self._prepared[name], job.trial


class Here:
    """Runs jobs in this process, in threads where the family allows it: no start-up cost, and one preparation."""

    def __init__(self, bench: Bench, jobs: int) -> None:
        self._bench = bench
        self._threads = jobs

    def ready(self, family: str, cancel: Cancel = never) -> None:
        """It is."""

    def run(self, jobs: list[Job], cancel: Cancel = never) -> Iterator[Done]:
        """Each job as it ends, in the order given."""
        if not jobs:
            return
        name = jobs[0].family
        given_up = threading.Event()

        def enough() -> None:
            if given_up.is_set():
                raise Cancelled
            cancel()

        def run(job: Job) -> Done:
            enough()
            return self._bench.run(job, enough)

        with one_thread():
            shared = self._bench.in_one_piece(name)
            if shared:
                self._bench.share(jobs, self._threads, cancel)
            if self._threads > 1 and not shared and self._bench.in_threads(name):
                yield from side_by_side(run, jobs, self._threads, given_up.set)
            else:
                for job in jobs:
                    cancel()
                    yield self._bench.run(job, cancel)


def words_of(error: BaseException) -> tuple[str, str]:
    """The type of an error and the first line of what it says, whatever it does when it is asked.

    >>> words_of(SystemExit(3)), words_of(ValueError("too few rows\\nof class 2"))
    (('SystemExit', '3'), ('ValueError', 'too few rows'))
    """
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # an error of other people's making, whose own text fails
        lines = []
    if isinstance(error, MemoryError):  # libraries have their own kinds of it
        return "MemoryError", lines[0] if lines else "more than a process may use; fewer jobs leave each more"
    return type(error).__name__, lines[0] if lines else "no message"
