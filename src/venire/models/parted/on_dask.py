"""Parts on the workers of a Dask cluster, each an actor on the worker that holds its partitions."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from typing import Any

from venire.cluster.session import GONE, Lost, Session
from venire.errors import DataError, VenireError
from venire.models.parted.partitions import Wanted
from venire.models.parted.team import LostPart
from venire.wording import duration

_LOOK = 5.0  # seconds of waiting for a part before looking whether its worker is there
_REACHED = 5.0  # seconds for a worker to answer something small
_PATIENCE = 120.0  # seconds for a worker to come, after one was lost


class DaskTeam:
    """The parts of some partitions."""

    def __init__(self, session: Session, part: type, partitions: Any, wanted: Wanted) -> None:
        self._session, self._asked = session, (part.__module__, part.__qualname__, astuple(wanted))
        self._sources = _sources(partitions)
        self._actors: list[Any] = []
        self._futures: list[Any] = []
        self._places: list[str] = []
        self._directly = False  # is it for this that workers are asked directly?

    def _make(self) -> None:
        """Consecutive partitions to each worker; where they are still to be made, they are made there."""
        session = self._session
        client, workers = session.client, sorted(session.workers)[: len(self._sources)]
        bounds = [len(self._sources) * k // len(workers) for k in range(len(workers) + 1)]
        self._places, self._futures = workers, []
        made = []  # kept until they are read
        for address, first, last in zip(workers, bounds[:-1], bounds[1:], strict=True):
            sources = [self._placed(source, address) for source in self._sources[first:last]]
            made += sources
            given = (*self._asked, first, session.workers[address].memory, *sources)
            where = {"actor": True, "workers": [address], "allow_other_workers": False}
            key = f"venire-part-{os.urandom(8).hex()}"
            self._futures.append(client.submit(_maker(), *given, pure=False, key=key, **where))
        self._actors = self._waited(list(zip(self._futures, workers, strict=True)))
        self._ask_directly()

    def _ask_directly(self) -> None:
        """Messages go past the scheduler where workers can be reached from here."""
        client = self._session.client
        if client.direct_to_workers:
            return
        client.direct_to_workers = True
        for actor, place in zip(self._actors, self._places, strict=True):
            try:
                actor.here().result(timeout=_REACHED)
            except GONE:
                client.direct_to_workers = False
                self._see(place)
                return
        self._directly = True

    def _placed(self, source: Any, address: str) -> Any:
        is_dask = import_module("dask.base").is_dask_collection(source)
        return self._session.client.compute(source, workers=[address]) if is_dask else source

    def ask(self, method: str, *given: Sequence[Any]) -> list[Any]:
        """What a method says for each part."""
        try:
            asked = [
                (getattr(actor, method)(*(each[i] for each in given)), place)
                for i, (actor, place) in enumerate(zip(self._actors, self._places, strict=True))
            ]
        except (RuntimeError, *GONE) as error:
            raise self._lost(error) from error
        return self._waited(asked)

    def _waited(self, asked: Sequence[tuple[Any, str]]) -> list[Any]:
        found = []
        for future, place in asked:
            while True:
                try:
                    found.append(future.result(timeout=_LOOK))
                    break
                except TimeoutError:
                    self._see(place)
                except Exception as error:
                    raise self._lost(error) from error
        return found

    def _see(self, place: str) -> None:
        """Is the worker there?"""
        try:
            self._session.look()
        except Lost:
            raise _gone(self._session) from None
        if place not in self._session.workers:
            raise LostPart

    def _lost(self, error: BaseException) -> BaseException:
        """A lost part where a worker is gone, which may take a moment to be seen; else the error itself."""
        for _ in range(30):
            for place in self._places:
                try:
                    self._see(place)
                except LostPart as lost:
                    return lost
            if isinstance(error, VenireError | ValueError | MemoryError):
                break
            time.sleep(0.1)
        return error

    def keep(self, which: Sequence[int]) -> None:
        """Go on with these parts alone."""
        self._actors = [self._actors[i] for i in which]
        self._places = [self._places[i] for i in which]

    def renew(self) -> None:
        """Make all parts on the workers that are there."""
        self.close()
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                self._session.look()
                if self._session.workers:
                    self._make()
                    return
            except Lost:
                raise _gone(self._session) from None
            except LostPart:  # another one, meanwhile
                self.close()
            if time.monotonic() > end:
                raise VenireError(
                    f"the cluster at {self._session.address} has had no worker for {duration(_PATIENCE)}",
                    code="no_workers",
                    hint="start some, and fit again",
                )
            time.sleep(0.2)

    def close(self) -> None:
        """Let go of everything."""
        for actor in self._actors:
            try:
                actor.end()
            except (RuntimeError, *GONE):
                continue
        self._actors = []
        for future in self._futures:
            future.release()
        self._futures = []
        if self._directly:
            self._session.client.direct_to_workers = self._directly = False


def _maker() -> Callable[..., Any]:
    """What makes a part, sent by value: a scheduler looks at what it passes on, and need not have venire."""

    def make(module: str, kind: str, wanted: tuple[Any, ...], first: int, most: float | None, *sources: Any) -> Any:
        from importlib import import_module

        found: Any = import_module("venire.models.parted.partitions").Wanted(*wanted)
        return getattr(import_module(module), kind)(first, found, most, *sources)

    return make


def _sources(partitions: Any) -> list[Any]:
    """Paths, or what Dask makes of each partition."""
    distributed: Any = import_module("distributed")
    collection: Any = import_module("dask.base").is_dask_collection
    if isinstance(partitions, str | Path):
        partitions = _files_in(Path(partitions))
    elif hasattr(partitions, "files"):  # a data set of Arrow's
        partitions = partitions.files
    found = list(partitions.to_delayed()) if hasattr(partitions, "to_delayed") else list(partitions)
    for number, one in enumerate(found):
        if not (isinstance(one, str | Path | distributed.Future) or collection(one)):
            raise DataError(
                f"partition {number} is a {type(one).__name__}, not where to find one",
                code="bad_partition",
                hint="give paths of Parquet files that all workers see, a Dask frame, or Delayed objects or futures",
            )
    if not found:
        raise DataError("there are no partitions", code="no_rows", hint="give one at least")
    return found


def _files_in(folder: Path) -> list[str]:
    """The Parquet files of a folder, by name; one file is itself."""
    if folder.is_file():
        return [str(folder)]
    found = sorted(str(path) for path in folder.rglob("*.parquet"))
    if not found:
        raise DataError(
            f"there are no Parquet files in {folder}",
            code="no_rows",
            hint="give a folder that this process and all workers see, or the paths of its files",
        )
    return found


def _gone(session: Session) -> VenireError:
    return VenireError(
        f"the scheduler at {session.address} is gone", code="cluster_gone", hint="start it again, and fit again"
    )
