"""Trials on the workers of a cluster: the third place beside this process and its worker processes.

Tasks are batches of a few seconds, each of one family. While the last trials of a family run, threads that would wait
begin with the next. What a worker found comes back as the file that evidence keeps, is checked here, and counts once.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace

import numpy as np

from venire.cluster.errand import TABLE_SHARE, Errand, Killed, Landed
from venire.cluster.parcel import Parcel
from venire.cluster.session import Session, reached
from venire.cluster.where import Where
from venire.disk.scratch import scratch_folder
from venire.errors import VenireError
from venire.validation.evidence.arrivals import Arrivals
from venire.validation.evidence.evidence import InMemory
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Cancel, Cost, never
from venire.validation.trials.reasons import CannotBeSent, WorkerDied
from venire.validation.trials.workers.batch import Batch, Ended, Sent, result_name, run_batch
from venire.validation.trials.workers.bench import Bench, Done, Job
from venire.validation.trials.workers.process import Afar, pack

_LONG = 3.0  # seconds of a batch, by what is known of its family
_TRIES = 3  # of a trial whose file comes damaged
_TRUST = 2  # trials that the formula of a family is worth beside its own
_WAIT = 0.02  # seconds between two looks at what has come back
_FORMATS = {"evidence format": "venire.validation.evidence.trial_files:FORMAT"}
_DIED = "each of the workers that ran it"


def session_of(where: Where | None) -> AbstractContextManager[Session | None]:
    """The way to a cluster whose workers make the same evidence as this process; None where none was asked for."""
    return reached(where, _FORMATS)


class Cluster:
    """Runs jobs on the workers of a cluster."""

    def __init__(self, docket: Docket, session: Session, bench: Bench, ending: ExitStack) -> None:
        self._docket, self._session, self._bench, self._ending = docket, session, bench, ending
        self._errand: Errand | None = None
        self._refused: Mapping[str, CannotBeSent] = {}
        self._queues: dict[str, deque[Job]] = {}
        self._alone: deque[Batch] = deque()
        self._found: dict[Job, Done] = {}
        self._out: dict[int, Batch] = {}
        self._batches = 0
        self._spoiled: Counter[Job] = Counter()  # files that came damaged
        self._paces: dict[str, tuple[float, int]] = {}  # seconds of trials, and how many
        self._left: Callable[[], float] = lambda: math.inf
        self._current = ""
        self.most = len(session.workers)  # workers there were at a time

    @property
    def lanes(self) -> int:
        """How many trials run at a time."""
        return max(1, self._session.threads)

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return len(self._session.workers)

    @property
    def dashboard(self) -> str | None:
        """Where Dask shows what they do."""
        return self._session.dashboard

    @property
    def memory(self) -> float:
        """Bytes for all trials at a time, by the worker that has least for each of its threads."""
        each = [
            w.memory * (1 - TABLE_SHARE) / w.threads for w in self._session.workers.values() if w.memory is not None
        ]
        return min(each, default=math.inf) * self.lanes

    def lanes_of(self, name: str) -> int:
        """How many threads work on a family."""
        if self._bench.in_one_piece(name):
            return max((worker.threads for worker in self._session.workers.values()), default=1)
        return self.lanes

    def expect(self, jobs: Mapping[str, Sequence[Job]], costs: Mapping[str, Cost], left: Callable[[], float]) -> None:
        """What is to come, in order: idle threads begin with it. Other people's code waits for its turn."""
        self._left = left
        for name, some in jobs.items():
            pace = _LONG if costs[name].guess else costs[name].seconds / len(some)
            self._paces[name] = (_TRUST * pace, _TRUST)
            if not self._bench.others(name):
                self._queues[name] = deque(some)

    def ready(self, family: str, cancel: Cancel = never) -> None:
        """Its workers were there before the run."""

    def run(self, jobs: list[Job], cancel: Cancel = never) -> Iterator[Done]:
        """Each job as it ends, in the order given."""
        if not jobs:
            return
        name = jobs[0].family
        errand = self._begun(cancel)
        if name in self._refused:
            yield Done(jobs[0], error=self._refused[name])
            return
        self._current = name
        self._queues.setdefault(name, deque(jobs))
        try:
            for job in jobs:
                while job not in self._found:
                    cancel()
                    self._step(errand, cancel)
                yield self._found.pop(job)
        finally:  # all are in, or nobody waits for the others
            self._queues.pop(name, None)
            self._alone = deque(batch for batch in self._alone if batch.jobs[0].family != name)
            errand.let_go(lambda batch: batch.jobs[0].family == name)
            self._out = {n: batch for n, batch in self._out.items() if batch.jobs[0].family != name}

    def close(self) -> None:
        """End what runs, and let go of the table everywhere."""
        if self._errand is not None:
            self._errand.end()
            self._errand = None

    def _begun(self, cancel: Cancel) -> Errand:
        if self._errand is None:
            docket = self._docket
            families, self._refused = pack(docket.families)
            table = replace(docket.table, X=np.asfortranarray(docket.table.X))
            sent = replace(docket, table=table, families={}, settings={}, _records={}, evidence=InMemory())
            self._arrivals = Arrivals(docket.table, docket.plan, self._ending.enter_context(scratch_folder()))
            self._errand = Errand(self._session, Parcel(Afar(sent, families)), run_batch)
            self._errand.begin(cancel)
        return self._errand

    def _step(self, errand: Errand, cancel: Cancel) -> None:
        before = len(self._found)
        self.most = max(self.most, self.workers)
        for back in errand.landed(cancel, self._seconds):
            self._out.pop(back.item.number, None)
            if isinstance(back, Landed):
                self._land(errand, back.item, back.result)
            else:
                self._bury(back)
        while errand.room() and (batch := self._next()) is not None:
            self._out[batch.number] = batch
            errand.hand_out(batch, self._seconds())
        if len(self._found) == before:
            time.sleep(_WAIT)

    def _seconds(self) -> float | None:
        left = self._left()
        return None if math.isinf(left) else max(left, 0.0)

    def _next(self) -> Batch | None:
        """The next batch: of the families in their turn, and beside them one of those that run in one piece."""
        if self._alone:
            return self._alone.popleft()
        order = sorted((name for name, queue in self._queues.items() if queue), key=lambda name: name != self._current)
        pieces = [name for name in order if self._bench.in_one_piece(name)]
        if pieces and not any(batch.one_piece for batch in self._out.values()):
            order = pieces
        else:
            order = [name for name in order if name not in pieces] + pieces
        return self._batch(order[0]) if order else None

    def _batch(self, name: str) -> Batch:
        queue, one_piece = self._queues[name], self._bench.in_one_piece(name)
        seconds, trials = self._paces.get(name, (0.0, 0))
        size = _LONG * trials / seconds if seconds else 1.0
        size = len(queue) if one_piece else max(1, round(min(size, len(queue) / (2 * self.lanes))))
        self._batches += 1
        jobs = tuple(queue.popleft() for _ in range(size))
        return Batch(self._batches, jobs, not self._bench.in_threads(name), self._bench.others(name), one_piece)

    def _land(self, errand: Errand, batch: Batch, sent: Sent) -> None:
        """Keep what came of a batch; what did not come to its end, or not whole, is to be run again."""
        for ended in sent.ended:
            if self._kept(errand, ended, sent.address):
                self._found[ended.done.job] = ended.done
        failed = any(ended.done.error for ended in sent.ended)
        left = [job for job in batch.jobs if job not in self._found]
        if left and not failed and batch.jobs[0].family in self._queues:
            self._queues[batch.jobs[0].family].extendleft(reversed(left))

    def _kept(self, errand: Errand, ended: Ended, address: str) -> bool:
        job = ended.done.job
        if ended.done.error is not None:
            return True
        seconds, trials = self._paces.get(job.family, (0.0, 0))
        self._paces[job.family] = (seconds + ended.done.seconds, trials + 1)
        file = ended.file or errand.fetch(address, result_name(job), ended.size)
        docket = self._docket
        if file is None:
            return False
        if self._arrivals.keep(docket.evidence, docket.keys[job.family], job.trial, file):
            return True
        self._spoiled[job] += 1
        if self._spoiled[job] == _TRIES:
            raise VenireError(
                f"what worker {address} sent of {job.family}, trained on folds {job.folds}, is no such trial, again",
                code="damaged_on_the_way",
                hint="look at the network and at what the worker logs; what was finished is kept",
            )
        return False

    def _bury(self, killed: Killed) -> None:
        """Workers died of a batch: once more each trial by itself, and then it is the family's doing."""
        batch: Batch = killed.item
        if batch.alone:
            for job in batch.jobs:
                self._found[job] = Done(job, error=WorkerDied(_DIED, job.folds))
            return
        for jobs in [batch.jobs] if batch.one_piece else [(job,) for job in batch.jobs]:
            self._batches += 1
            self._alone.append(replace(batch, number=self._batches, jobs=jobs, alone=True))


@contextmanager
def cluster(docket: Docket, session: Session | None, bench: Bench) -> Iterator[Cluster | None]:
    """The workers of a session for the length of a run; however it ends, they are let go of."""
    if session is None:
        yield None
        return
    with ExitStack() as ending:
        place = Cluster(docket, session, bench, ending)
        try:
            yield place
        finally:
            place.close()
