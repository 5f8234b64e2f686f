"""Worker processes that run trials. They are started fresh (never forked), share the table through a memory map,
write what they find straight into the evidence (or hand it over, if that is in memory), and can be killed at any
moment without harm.

loky (through joblib) sends a user's own estimator by value, so a class defined in a notebook works too.
"""

from __future__ import annotations

import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from joblib.externals.loky import ProcessPoolExecutor
from threadpoolctl import threadpool_limits

from venire.errors import VenireError
from venire.validation.evidence.evidence import InMemory
from venire.validation.plans.plan import Trial
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Cancel, Cancelled, Gregarious, Outcome, Threaded, never
from venire.validation.trials.one_thread import one_thread
from venire.validation.trials.reasons import Failure, Raised, WorkerDied
from venire.validation.trials.side_by_side import side_by_side

# Starting a worker costs about two seconds of imports; below this many in all there is nothing to gain from one.
WORTH_A_POOL = 4.0

Item = TypeVar("Item")
Result = TypeVar("Result")


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


class Bench:
    """Where trials run: prepares each family once, and keeps what comes of its trials."""

    def __init__(self, docket: Docket, interrupted: Callable[[], None] = never) -> None:
        self.docket, self._interrupted = docket, interrupted
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

    def share(self, jobs: Sequence[Job], threads: int, cancel: Cancel = never) -> None:
        """Do the common work of these jobs, all of one family; if it fails, so will the first of them, with a word."""
        family = self.docket.families[jobs[0].family]
        assert isinstance(family, Gregarious)
        with suppress(Exception):
            family.share(self._prepare(jobs[0])[0], [job.trial for job in jobs], threads, cancel)

    def run(self, job: Job, cancel: Cancel = never) -> Done:
        """Run one trial and keep its outcome; a learner's own failure is an answer, not a crash."""
        docket = self.docket
        try:
            prepared, trial = self._prepare(job)
            outcome = docket.families[job.family].run(prepared, trial, cancel)
        except Cancelled:
            raise
        except Exception as error:
            lines = str(error).strip().splitlines() or ["no message"]
            cause = error if isinstance(error, VenireError) else None
            return Done(job, error=Raised(job.folds, type(error).__name__, lines[0]), cause=cause)
        self._interrupted()
        kept = outcome if docket.plan.keeps_seen else replace(outcome, seen=None)
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
                self._prepared.clear()  # families come one after the other: one at a time is enough memory
                self._prepared[name] = family.prepare(self.docket.table, plan)
            return self._prepared[name], job.trial


class Here:
    """Runs jobs in this process, in threads where the family allows it: no start-up cost, and one preparation."""

    def __init__(self, bench: Bench, jobs: int, cancel: Cancel) -> None:
        self._bench = bench
        self._threads = jobs
        self._cancel = cancel

    def run(self, jobs: list[Job]) -> Iterator[Done]:
        """Each job as it ends, in the order given."""
        if not jobs:
            return
        name = jobs[0].family
        given_up = threading.Event()

        def cancel() -> None:
            if given_up.is_set():
                raise Cancelled
            self._cancel()

        def run(job: Job) -> Done:
            cancel()
            return self._bench.run(job, cancel)

        with one_thread():
            shared = self._bench.in_one_piece(name)
            if shared:
                self._bench.share(jobs, self._threads, self._cancel)
            if self._threads > 1 and not shared and self._bench.in_threads(name):
                yield from side_by_side(run, jobs, self._threads, given_up.set)
            else:
                for job in jobs:
                    self._cancel()
                    yield self._bench.run(job, self._cancel)


class Pool:
    """Runs jobs in worker processes; the caller's `cancel` is asked several times a second."""

    def __init__(self, bench: Bench, shared: _Shared, jobs: int, cancel: Cancel) -> None:
        self._start = (shared,)
        self._bench = bench
        self._jobs = jobs
        self._cancel = cancel
        self._executor: Any = None

    def run(self, jobs: list[Job]) -> Iterator[Done]:
        """Each job as it ends, in the order given: of two that fail the same one is named for any number of jobs."""
        if not jobs:
            return
        one_piece = self._bench.in_one_piece(jobs[0].family)
        parts = [_Part(jobs, self._jobs)] if one_piece else [_Part([job], 1) for job in jobs]
        for part, future in self.each(_run_part, parts):
            yield from self._result(future, part.jobs)

    def each(
        self, work: Callable[[Bench, Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Future[Result]]]:
        """Have workers do `work` on their own bench: each item with what came of it, in the order given."""
        if self._executor is None:
            with _deaf_to_ctrl_c():
                self._executor = ProcessPoolExecutor(self._jobs, initializer=_start_worker, initargs=self._start)
                self._executor.submit(int)  # the first job, whatever it is, starts the processes
        queue = iter(items)
        waiting: deque[tuple[Item, Future[Result]]] = deque()
        while True:
            # Few are handed out at a time: whoever stops listening leaves few behind, and none has to be cancelled.
            for item in islice(queue, 2 * self._jobs - len(waiting)):
                waiting.append((item, self._executor.submit(_at_the_bench, work, item)))
            if not waiting:
                return
            self._cancel()
            wait([waiting[0][1]], timeout=0.1)
            if waiting[0][1].done():
                yield waiting.popleft()

    def close(self) -> None:
        """Kill the workers: what they had finished is on disk, what they had not is as if never begun."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None

    def _result(self, future: Future[list[Done]], jobs: list[Job]) -> list[Done]:
        try:
            return [self._handed_over(done) for done in future.result()]
        except VenireError:
            raise  # nothing the learner did
        except Exception as error:  # the worker itself died: out of memory, or a crash in native code
            self.close()  # a pool that lost a worker takes no more jobs; the next family gets a new one
            return [Done(jobs[0], error=WorkerDied(type(error).__name__, jobs[0].folds))]

    def _handed_over(self, done: Done) -> Done:
        """Keep what a worker could not: memory is this process's own."""
        if done.outcome is None:
            return done
        docket = self._bench.docket
        docket.evidence.put(docket.keys[done.job.family], done.job.trial, done.outcome)
        return replace(done, outcome=None)


@contextmanager
def pool(bench: Bench, jobs: int, cancel: Cancel) -> Iterator[Pool]:
    """Worker processes for the length of a run. However it ends, none is left behind."""
    with tempfile.TemporaryDirectory(prefix="venire-", ignore_cleanup_errors=True) as folder:
        workers = Pool(bench, _share(bench.docket, Path(folder)), jobs, cancel)
        try:
            yield workers
        finally:
            workers.close()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """What starts inside ignores Ctrl-C from its first moment on, not only after its imports.

    Ignoring is inherited. So is blocking, which would lose nothing, but loky unblocks the signal again.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield  # not ours to change
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class _Shared:
    """A docket without its matrix, which is in a file that every worker maps."""

    docket: Docket
    file: Path


def _share(docket: Docket, folder: Path) -> _Shared:
    file = folder / "X.npy"
    X = docket.table.X
    np.save(file, np.asfortranarray(X))
    return _Shared(replace(docket, table=replace(docket.table, X=np.empty((0, X.shape[1]))), _records={}), file)


_bench: Bench | None = None  # a worker process serves one run; the initializer fills this in


def _start_worker(shared: _Shared) -> None:
    global _bench
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threadpool_limits(1)  # the same bytes for any number of jobs: one thread a trial
    table = replace(shared.docket.table, X=np.load(shared.file, mmap_mode="r"))
    _bench = Bench(replace(shared.docket, table=table))


def _at_the_bench(work: Callable[[Bench, Item], Result], item: Item) -> Result:
    assert _bench is not None
    return work(_bench, item)


@dataclass(frozen=True)
class _Part:
    """Jobs that one worker runs: one, or all those of a family that shares its work."""

    jobs: list[Job]
    threads: int


def _run_part(bench: Bench, part: _Part) -> list[Done]:
    """The first that fails ends it."""
    if len(part.jobs) > 1:
        bench.share(part.jobs, part.threads)
    found = []
    docket = bench.docket
    for job in part.jobs:
        done = bench.run(job)
        if isinstance(docket.evidence, InMemory):
            done = replace(done, outcome=docket.evidence.take(docket.keys[job.family], job.trial))
        found.append(done)
        if done.error is not None:
            break
    return found
