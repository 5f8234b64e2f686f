"""Worker processes that run trials. They are started fresh (never forked), share the table through a memory map,
write what they find straight into the evidence (or hand it over, if that is in memory), and can be killed at any
moment without harm.

loky (through joblib) sends a user's own estimator by value, so a class defined in a notebook works too.
"""

from __future__ import annotations

import os
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend.reduction import dumps

from venire.disk.scratch import room_for_copies, scratch_folder
from venire.errors import VenireError
from venire.lean_imports import begin_alone
from venire.validation.trials.budget import worker_memory
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Cancel, never
from venire.validation.trials.reasons import CannotBeSent, WorkerDied
from venire.validation.trials.workers.bench import Bench, Done, Job
from venire.validation.trials.workers.process import Part, Shared, at_the_bench, pack, run_part, share, start_worker

# Starting a worker costs about two seconds of imports; below this many in all there is nothing to gain from one.
WORTH_A_POOL = 4.0
_GRACE = 1.0  # seconds that work which nobody waits for any more may take to end

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool:
    """Runs jobs in worker processes, which are started when there is work for them and again where they died."""

    def __init__(self, docket: Docket, jobs: int, ending: ExitStack) -> None:
        self._bench = Bench(docket)
        self.jobs, self._processes = jobs, min(jobs, len(docket.plan.trials))
        self._ending = ending  # of the run: until then there is a folder with the table
        self._shared: Shared | None = None
        self._refused: dict[str, CannotBeSent] = {}
        self._executor: Any = None

    def start(self) -> None:
        """Start the processes, if they are not there, and do not wait for them: imports take their seconds."""
        if self._executor is not None:
            return
        if self._shared is None:
            docket = self._bench.docket
            packed, self._refused = pack(docket.families)
            with room_for_copies():
                folder = self._ending.enter_context(scratch_folder())
                self._shared = share(docket, folder, packed, os.getpid())
        with _deaf_to_ctrl_c():
            beginning = bytes(dumps((start_worker, (self._shared,))))
            executor = ProcessPoolExecutor(self._processes, initializer=begin_alone, initargs=(beginning,))
            try:
                executor.submit(int)  # the first job, whatever it is, starts the processes
            except (RuntimeError, OSError) as error:  # a limit on processes
                raise VenireError(
                    f"worker processes cannot be started: {error}",
                    code="no_workers",
                    hint="raise the limit on processes (ulimit -u, or that of the container), or take fewer jobs",
                ) from error
            self._executor = executor

    def ready(self, family: str, cancel: Cancel = never) -> None:
        """Wait until workers take work of a family, or are known to be unable to."""
        if self.unsendable(family) is None:
            for _ in self.each(_nothing, [None], cancel):
                pass

    def unsendable(self, name: str) -> CannotBeSent | None:
        """Why a family cannot be sent to a worker, if it cannot."""
        self.start()
        return self._refused.get(name)

    def run(self, jobs: list[Job], cancel: Cancel = never) -> Iterator[Done]:
        """Each job as it ends, in the order given: of two that fail the same one is named for any number of jobs.

        `cancel` is asked several times a second, and when it has enough the workers are killed.
        """
        if not jobs:
            return
        name = jobs[0].family
        refused = self.unsendable(name)
        if refused is not None:
            yield Done(jobs[0], error=refused)
            return
        one_piece = self._bench.in_one_piece(name)
        parts = [Part(jobs, self.jobs)] if one_piece else [Part([job], 1) for job in jobs]
        for part, future in self.each(run_part, parts, cancel, limited=self._bench.others(name)):
            yield from self._result(future, part.jobs)

    def each(
        self,
        work: Callable[[Bench, Item], Result],
        items: Iterable[Item],
        cancel: Cancel = never,
        *,
        limited: bool = False,
    ) -> Iterator[tuple[Item, Future[Result]]]:
        """Have workers do `work` on their own bench: each item with what came of it, in the order given.

        `limited` work gets a worker's share of the memory and no more.
        """
        self.start()
        executor = self._executor
        memory = worker_memory(self._processes) if limited else None
        queue = iter(items)
        waiting: deque[tuple[Item, Future[Result]]] = deque()
        try:
            while True:
                # Few are handed out at a time: whoever stops listening leaves few behind.
                for item in islice(queue, 2 * self._processes - len(waiting)):
                    waiting.append((item, self._submitted(work, item, memory)))
                if not waiting:
                    return
                cancel()
                wait([waiting[0][1]], timeout=0.1)
                if waiting[0][1].done():
                    yield waiting.popleft()
        except GeneratorExit:
            self._leave([future for _, future in waiting], executor)
            raise
        except BaseException:  # out of time, or Ctrl-C: nobody waits for what is under way
            self.close()
            raise

    def close(self) -> None:
        """Kill the workers: what they had finished is on disk, what they had not is as if never begun."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None

    def died(self, error: BaseException, folds: tuple[int, ...] | None = None) -> WorkerDied:
        """What became of a worker that is gone; those that are left, which take no more work, are closed."""
        self.close()
        return WorkerDied(_how(error), folds)

    def _submitted(self, work: Callable[[Bench, Item], Result], item: Item, memory: float | None) -> Future[Result]:
        try:
            future: Future[Result] = self._executor.submit(at_the_bench, work, item, memory)
        except BrokenExecutor as error:  # a worker died before it got any
            future = Future()
            future.set_exception(error)
        return future

    def _leave(self, under_way: Sequence[Future[Any]], executor: Any) -> None:
        """Work that nobody listens to any more: it ends soon, or is ended, and holds up nobody else's."""
        if executor is not self._executor:  # it was ended with its workers
            return
        wait(under_way, timeout=_GRACE)
        if not all(future.done() and future.exception() is None for future in under_way):
            self.close()

    def _result(self, future: Future[list[Done]], jobs: list[Job]) -> list[Done]:
        try:
            return [self._handed_over(done) for done in future.result()]
        except VenireError:
            raise  # nothing the learner did
        except Exception as error:  # the worker itself died: it ran out of memory, crashed in native code, or left
            return [Done(jobs[0], error=self.died(error, jobs[0].folds))]

    def _handed_over(self, done: Done) -> Done:
        """Keep what a worker could not: memory is this process's own."""
        if done.outcome is None:
            return done
        docket = self._bench.docket
        docket.evidence.put(docket.keys[done.job.family], done.job.trial, done.outcome)
        return replace(done, outcome=None)


@contextmanager
def pool(docket: Docket, jobs: int) -> Iterator[Pool]:
    """Worker processes for the length of a run, started when first used. However it ends, none is left behind."""
    with ExitStack() as ending:
        workers = Pool(docket, jobs, ending)
        try:
            yield workers
        finally:
            workers.close()


def _nothing(bench: Bench, item: None) -> None:
    """The least that can be asked of a worker."""


def _how(error: BaseException) -> str:
    """How a worker ended, as loky tells it: the signal or the exit code, or at the least how it was noticed.

    >>> _how(RuntimeError("A worker was terminated. The exit codes of the workers are {SIGSEGV(-11), EXIT(7)}"))
    'SIGSEGV, exit code 7'
    """
    ends = re.findall(r"\b(SIG\w+|EXIT)\((-?\d+)\)", str(error))
    words = [f"exit code {code}" if kind == "EXIT" else kind for kind, code in ends]
    return ", ".join(dict.fromkeys(words)) or type(error).__name__


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
