"""On a worker of a cluster: a batch of trials, run in its thread or in a process beside it, and packed as evidence."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from venire.cluster.at_worker import Kept, Still
from venire.validation.evidence.evidence import InMemory
from venire.validation.evidence.trial_files import packed
from venire.validation.trials.family import Cancelled
from venire.validation.trials.reasons import WorkerDied
from venire.validation.trials.workers.bench import Bench, Done, Job
from venire.validation.trials.workers.companion import Beside, Crashed
from venire.validation.trials.workers.one_thread import one_thread
from venire.validation.trials.workers.process import Part, unpacked

_IN_A_MESSAGE = 4 * 2**20  # bytes of a batch's files: what goes beyond is left for the client to fetch in parts
_OTHERS_SHARE = 0.5  # of a worker's memory, for the processes beside it


@dataclass(frozen=True)
class Batch:
    """Trials of one family, for one task; `apart` where the family is not made for threads, or is somebody else's."""

    number: int
    jobs: tuple[Job, ...]
    apart: bool
    limited: bool
    one_piece: bool
    alone: bool = False  # its workers died when it was among others


@dataclass(frozen=True)
class Ended:
    """A trial that came to an end, and where its file is: here, or in the outbox of a worker."""

    done: Done
    file: bytes = b""
    size: int = 0


@dataclass(frozen=True)
class Sent:
    """What came of a batch: trials in its order, as far as they got."""

    ended: tuple[Ended, ...]
    address: str
    seconds: float


def run_batch(kept: Kept, batch: Batch, still: Still) -> Sent:
    """Run the trials of a batch; the first that fails ends it, and so does the end of the run."""
    began = time.monotonic()

    def cancel() -> None:
        if not still.wanted():
            raise Cancelled

    ended: list[Ended] = []
    try:
        for done in _run(kept, batch, cancel):
            room = _IN_A_MESSAGE - sum(len(one.file) for one in ended)
            ended.append(_packed(kept, done, room))
    except Cancelled:
        pass
    return Sent(tuple(ended), still.address, time.monotonic() - began)


def _run(kept: Kept, batch: Batch, cancel: Any) -> Iterator[Done]:
    part = Part(list(batch.jobs), kept.threads if batch.one_piece else 1)
    if batch.apart:
        yield from _beside(kept, batch, part, cancel)
        return
    bench = kept.once("bench", lambda: Bench(unpacked(kept.value())))
    with _threads_of(kept):
        if batch.one_piece:
            bench.share(part.jobs, part.threads, cancel)
        for job in part.jobs:
            cancel()
            done = bench.run(job, cancel)
            yield _handed_over(bench, done)
            if done.error is not None:
                return


def _beside(kept: Kept, batch: Batch, part: Part, cancel: Any) -> Iterator[Done]:
    """In a process of its own, which is killed when nobody waits for it, and may crash without harm."""
    kept.value()  # the file is here, and whole
    memory = kept.memory * _OTHERS_SHARE / kept.threads if batch.limited and kept.memory is not None else None
    name = f"beside {threading.get_ident()}"
    process: Beside = kept.ending(name, lambda: Beside(kept.rest, kept.label, kept.path))
    pieces = [part] if batch.one_piece else [Part([job], 1) for job in part.jobs]
    for piece in pieces:
        try:
            found = process.ask(piece, memory, cancel)
        except Crashed as crash:
            kept.drop(name)
            yield Done(piece.jobs[0], error=WorkerDied(str(crash), piece.jobs[0].folds))
            return
        except BaseException:
            kept.drop(name)
            raise
        yield from found
        if found[-1].error is not None:
            return


def _handed_over(bench: Bench, done: Done) -> Done:
    evidence = bench.docket.evidence
    assert isinstance(evidence, InMemory)
    return (
        done if done.error else replace(done, outcome=evidence.take(bench.docket.keys[done.job.family], done.job.trial))
    )


def _packed(kept: Kept, done: Done, room: int) -> Ended:
    if done.outcome is None:
        return Ended(done)
    key = kept.value().docket.keys[done.job.family]
    file, bare = packed(key, done.job.trial, done.outcome), replace(done, outcome=None)
    if len(file) <= room and kept.shared is None:
        return Ended(bare, file, len(file))
    kept.leave(result_name(done.job), file)
    return Ended(bare, size=len(file))


def result_name(job: Job) -> str:
    """What the file of a trial is called on its way."""
    return f"{job.family}-{job.trial.key}.trial"


@contextmanager
def _threads_of(kept: Kept) -> Iterator[None]:
    """One thread for linear algebra as long as any task of the run is at work: one that ends must not free the rest."""
    held: _Held = kept.once("one thread", _Held)
    held.enter()
    try:
        yield
    finally:
        held.leave()


class _Held:
    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0
        self._limit: Any = None

    def enter(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1:
                self._limit = one_thread()
                self._limit.__enter__()

    def leave(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                self._limit.__exit__(None, None, None)
