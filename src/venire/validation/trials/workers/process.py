"""Inside a worker process: how it begins, and what it does for each item that it is sent."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
from joblib.externals.loky.backend.reduction import dumps, loads
from threadpoolctl import threadpool_limits

from venire.validation.evidence.evidence import InMemory
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Family
from venire.validation.trials.reasons import CannotBeSent
from venire.validation.trials.workers.bench import Bench, Done, Job, words_of
from venire.validation.trials.workers.containment import at_most, end_with, print_nothing

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Shared:
    """A docket without its matrix, which is in a file that every worker maps, and with its families packed."""

    docket: Docket
    file: Path
    packed: Mapping[str, bytes]
    parent: int  # the process that the worker ends with


def share(docket: Docket, folder: Path, packed: Mapping[str, bytes], parent: int) -> Shared:
    """What workers are given of a docket; the matrix is written into the folder."""
    file, X = folder / "X.npy", docket.table.X
    np.save(file, np.asfortranarray(X))
    bare = replace(docket.table, X=np.empty((0, X.shape[1])))
    # Paths may hold other people's objects, too; a family resolves its own again.
    return Shared(replace(docket, table=bare, families={}, settings={}, _records={}), file, packed, parent)


def pack(families: Mapping[str, Family]) -> tuple[dict[str, bytes], dict[str, CannotBeSent]]:
    """Each family by itself, so that one that cannot be sent, or not be unpacked over there, is nobody else's trouble.

    This is between the processes of one run: nothing of it is ever kept.
    """
    packed: dict[str, bytes] = {}
    refused: dict[str, CannotBeSent] = {}
    for name, family in families.items():
        try:
            packed[name] = bytes(dumps(family))
        except (Exception, SystemExit) as error:  # whatever an estimator's own state does when it is asked for
            refused[name] = CannotBeSent(*words_of(error))
    return packed, refused


class _Unpacked(Mapping[str, Family]):
    """The families, each unpacked when it is first asked for."""

    def __init__(self, packed: Mapping[str, bytes]) -> None:
        self._packed, self._found = packed, dict[str, Family]()

    def __getitem__(self, name: str) -> Family:
        if name not in self._found:
            self._found[name] = cast("Family", loads(self._packed[name]))
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


@dataclass(frozen=True)
class Afar:
    """A docket as it is sent to other machines: with its table, with its families packed, and without outcomes."""

    docket: Docket
    packed: Mapping[str, bytes]


def unpacked(afar: Afar) -> Docket:
    """The docket on a worker of a cluster; nobody may write to the table."""
    docket = afar.docket
    docket.table.X.flags.writeable = False
    return replace(docket, families=_Unpacked(afar.packed), evidence=InMemory())


_bench: Bench | None = None  # a worker process serves one run; the initializer fills this in


def start_worker(shared: Shared) -> None:
    """Make this process a worker."""
    global _bench
    end_with(shared.parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    print_nothing()
    threadpool_limits(1)  # the same bytes for any number of jobs: one thread a trial
    table = replace(shared.docket.table, X=np.load(shared.file, mmap_mode="r"))
    docket = replace(shared.docket, table=table, families=_Unpacked(shared.packed))
    _bench = Bench(docket, survived=BaseException)


def at_the_bench(work: Callable[[Bench, Item], Result], item: Item, memory: float | None) -> Result:
    """Do some work in a worker, with so many bytes of memory at most."""
    assert _bench is not None
    with at_most(memory):
        return work(_bench, item)


@dataclass(frozen=True)
class Part:
    """Jobs that one worker runs: one, or all those of a family that shares its work."""

    jobs: list[Job]
    threads: int


def run_part(bench: Bench, part: Part) -> list[Done]:
    """The first that fails ends it."""
    if len(part.jobs) > 1:
        bench.share(part.jobs, part.threads)
    found = []
    docket = bench.docket
    for job in part.jobs:
        done = bench.run(job)
        if done.error is None and isinstance(docket.evidence, InMemory):
            done = replace(done, outcome=docket.evidence.take(docket.keys[job.family], job.trial))
        found.append(done)
        if done.error is not None:
            break
    return found
