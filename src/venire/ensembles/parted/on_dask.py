"""Parts on the workers of a Dask cluster, each an actor on the worker that holds its partitions."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from venire.cluster.session import GONE, Lost, Session
from venire.ensembles.parted.over_parts import LostPart
from venire.ensembles.parted.part import Part
from venire.errors import DataError, VenireError
from venire.wording import duration

_LOOK = 5.0  # seconds of waiting for a part before looking whether its worker is there
_PATIENCE = 120.0  # seconds for a worker to come, after one was lost


class DaskTeam:
    """The parts of some partitions."""

    def __init__(self, session: Session, partitions: Any, target: Any, *, numeric: bool) -> None:
        self._session, self._target, self._numeric = session, target, numeric
        self._sources = _sources(partitions)
        self._actors: list[Any] = []
        self._futures: list[Any] = []
        self._places: list[str] = []

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
            given = (first, self._target, self._numeric, session.workers[address].memory, *sources)
            where = {"actor": True, "workers": [address], "allow_other_workers": False}
            key = f"venire-part-{os.urandom(8).hex()}"
            self._futures.append(client.submit(Part, *given, pure=False, key=key, **where))
        self._actors = self._waited(list(zip(self._futures, workers, strict=True)))

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


def _sources(partitions: Any) -> list[Any]:
    """Paths, or what Dask makes of each partition."""
    distributed: Any = import_module("distributed")
    collection: Any = import_module("dask.base").is_dask_collection
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


def _gone(session: Session) -> VenireError:
    return VenireError(
        f"the scheduler at {session.address} is gone", code="cluster_gone", hint="start it again, and fit again"
    )
