"""The way to a cluster and to its workers: opened, watched, and opened again after the scheduler was gone."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import logging
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from venire.cluster.handshake import (
    Facts,
    facts_of,
    inspector,
    loader,
    other_algebra,
    refuse_others,
    refuse_unloaded,
)
from venire.cluster.where import Where
from venire.errors import VenireError, VenireWarning
from venire.wording import duration

_OPENING = 6.0  # seconds for a scheduler to answer, and for a first worker to be there
_ANSWERING = 15.0  # seconds for workers to answer something small; one that is held up meanwhile is asked again
_LOADING = 60.0  # seconds for workers to load what they need
_PATIENCE = 120.0  # seconds for a scheduler, or for the first worker, to come back
_LOOKS = 1.0  # seconds between two looks at who is there
_LOOKING = 2.0  # seconds for the scheduler to say it; one that is held up is asked again
_SILENT = 60.0  # seconds without an answer after which it counts as gone
_KEPT = "what was finished is kept, and the same command goes on from there"

GONE = (OSError, TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError)


class Lost(Exception):
    """The scheduler is not there any more."""


class Session:
    """A client of a cluster whose workers are known to come to the same bytes as this process."""

    def __init__(self, where: Where, formats: Mapping[str, str]) -> None:
        self.where = where
        self._inspect, self._load = inspector(), loader(formats)
        self.here = facts_of("this process", self._inspect())
        self._loaded = asyncio.run(self._load())
        self.workers: dict[str, Facts] = {}
        self.largest = 0  # bytes of the largest message that was sent or fetched
        self.client, self._own = self._opened(_OPENING)
        self.address = str(self.client.scheduler.address)
        self._security = self.client.security
        self.silent: list[str] = []  # workers that did not say what they are
        self._looked, self._heard = 0.0, 0.0  # when the scheduler was last asked, and when it last answered
        self._dashboard: str | None = None
        self._warned: set[str] = set()
        try:
            self._first_workers()
        except BaseException:
            self.close()
            raise

    def _opened(self, seconds: float) -> tuple[Any, bool]:
        Client: Any = import_module("distributed").Client  # it is loaded for those who ask for a cluster
        cluster = self.where.cluster
        if isinstance(cluster, Client) and cluster.status == "running":
            return cluster, False
        try:
            if hasattr(self, "address"):  # a scheduler file may name another scheduler by now
                options = (
                    self.where.options() if "scheduler_file" in self.where.options() else {"address": self.address}
                )
                return Client(**options, timeout=seconds, set_as_default=False, security=self._security), True
            if isinstance(cluster, Client):
                raise OSError(f"the Client is {cluster.status}")
            return Client(**self.where.options(), timeout=seconds, set_as_default=False), True
        except (*GONE, json.JSONDecodeError, KeyError, ValueError) as error:
            raise VenireError(
                f"nobody answers at {self.where}: {str(error).splitlines()[0] if str(error) else 'no answer'}",
                code="no_scheduler",
                hint=f"start one with: dask scheduler; {_KEPT}",
            ) from None

    def _first_workers(self) -> None:
        begun = time.monotonic()
        while not self.workers:
            waited, self._looked = time.monotonic() - begun, 0.0
            with suppress(Lost):
                self.look()
            if not self._heard and waited > _OPENING:
                raise VenireError(
                    f"the scheduler at {self.address} takes connections and does not answer",
                    code="no_scheduler",
                    hint=f"it may be held up: look at its log; {_KEPT}",
                )
            if self._heard and not self.workers and not self.silent and waited > _OPENING:
                raise VenireError(
                    f"the cluster at {self.address} has no workers",
                    code="no_workers",
                    hint=f"start some with: dask worker {self.address}",
                )
            if not self.workers and waited > _ANSWERING:
                raise VenireError(
                    f"no worker of the cluster at {self.address} answers: not {', '.join(self.silent)}",
                    code="silent_workers",
                    hint="look at what they log; they may be held up by other work",
                )
            time.sleep(0.05)

    @property
    def threads(self) -> int:
        """The threads of all workers."""
        return sum(worker.threads for worker in self.workers.values())

    @property
    def dashboard(self) -> str | None:
        """Where Dask shows what its workers do."""
        return self._dashboard

    def _link(self) -> str:
        async def link() -> str:
            return str(self.client.dashboard_link)  # of what it knows: in its own loop it asks nobody

        return str(self.client.sync(link, callback_timeout=_LOOKING))

    def within(self, seconds: float, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """What a method of the client comes to; `TimeoutError` where the scheduler does not answer in time."""

        async def asked() -> Any:
            return await call(*given, **named)  # in its own loop the client waits for nothing

        return self.client.sync(asked, callback_timeout=seconds)

    def look(self) -> list[Facts]:
        """Who has come since the last look; one of another version is refused."""
        if time.monotonic() - self._looked < _LOOKS:
            return []
        self._looked = time.monotonic()
        if self.client.scheduler is None:  # of a client that has given up
            raise Lost
        try:
            told_of = self.within(_LOOKING, self.client.scheduler.identity, n_workers=-1)
        except TimeoutError as error:
            if self.client.status != "running" or time.monotonic() - self._heard > _SILENT:
                raise Lost from error
            return []
        except GONE as error:
            raise Lost from error
        if self.client.status != "running":
            raise Lost
        self._heard, there = time.monotonic(), told_of["workers"]
        if self._dashboard is None and "dashboard" in told_of["services"]:
            with suppress(*GONE):
                self._dashboard = self._link()
        self.workers = {address: facts for address, facts in self.workers.items() if address in there}
        new = [address for address in there if address not in self.workers]
        told = self.tell(self._inspect, workers=new) if new else {}
        self.silent = [address for address in new if not isinstance(told.get(address), dict)]
        come = [facts_of(address, facts) for address, facts in told.items() if isinstance(facts, dict)]
        for worker in come:
            refuse_others(worker, self.here)
        loaded = self.tell(self._load, workers=[w.address for w in come], patience=_LOADING) if come else {}
        for worker in come:
            refuse_unloaded(worker, loaded.get(worker.address), self._loaded)
            warning = other_algebra(worker, loaded.get(worker.address), self._loaded)
            if warning and worker.place not in self._warned:
                self._warned.add(worker.place)
                warnings.warn(warning, VenireWarning, stacklevel=2)
            self.workers[worker.address] = worker
        return come

    def tell(
        self, what: Callable[..., Any], *given: Any, workers: Sequence[str], patience: float = _ANSWERING
    ) -> dict[str, Any]:
        """Have workers do something small at once, beside their tasks; for each what came of it, an error too."""
        try:
            found = self.client.run(what, *given, workers=list(workers), on_error="return", callback_timeout=patience)
        except GONE as error:
            if self.client.status != "running":
                raise Lost from error
            return {}
        self.largest = max(
            [self.largest, *(len(part) for part in (*given, *found.values()) if isinstance(part, bytes))]
        )
        return dict(found)

    def mend(self, cancel: Callable[[], None]) -> None:
        """Wait until the scheduler, or another at its address, and a worker are there again."""
        end = time.monotonic() + _PATIENCE
        self.workers, self._dashboard = {}, None
        while True:
            cancel()
            self._close_client()
            try:
                self.client, self._own = self._opened(2.0)
                self._looked, self._heard = 0.0, time.monotonic()
                self.look()
                while not self.workers and time.monotonic() < end:
                    cancel()
                    time.sleep(0.1)
                    self.look()
                if self.workers:
                    return
            except Lost:
                pass
            except VenireError as error:
                if error.code != "no_scheduler":
                    raise
            if time.monotonic() > end:
                raise VenireError(
                    f"the cluster at {self.address} has been gone for {duration(_PATIENCE)}",
                    code="cluster_gone",
                    hint=_KEPT,
                )
            time.sleep(0.2)

    def close(self) -> None:
        """Close the client, unless it was given."""
        self._close_client()

    def _close_client(self) -> None:
        if self._own:
            with suppress(*GONE, RuntimeError):
                self.client.close(timeout=2)


@contextmanager
def reached(where: Where | None, formats: Mapping[str, str]) -> Iterator[Session | None]:
    """A session for as long as this lasts; None where no cluster was asked for."""
    if where is None:
        yield None
        return
    with _quietly():
        session = Session(where, formats)
        try:
            yield session
        finally:
            session.close()


@contextmanager
def _quietly() -> Iterator[None]:
    """Dask tells the log of every lost connection; here each is dealt with, or is an error of its own."""
    import distributed  # it sets up its log when it is imported

    handlers = logging.getLogger(distributed.__name__).handlers
    before = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in zip(handlers, before, strict=True):
            handler.setLevel(level)
