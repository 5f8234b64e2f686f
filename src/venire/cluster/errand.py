"""One run on a cluster: brought to every worker, its tasks handed out few at a time, and none of them ever lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from venire.cluster.at_worker import TABLE, Needs, Work, carrier, carry_out, lacks, part_of, receive, stop
from venire.cluster.handshake import refuse_too_large
from venire.cluster.parcel import CHUNK, Parcel
from venire.cluster.session import GONE, Lost, Session
from venire.errors import VenireError
from venire.wording import duration

TABLE_SHARE = 0.5  # of a worker's memory that the table may take
_AHEAD = 2  # tasks a thread: one runs, one waits. All that a dying worker was given count as suspects
_PATIENCE = 120.0  # seconds without a worker
_BRINGING = 60.0  # seconds for the workers to take what is short of a run
_ENDING = 3.0  # seconds to say that a run has ended: whoever does not hear it, learns it from the client's end


@dataclass(frozen=True)
class Landed:
    """A task that came back."""

    item: Any
    result: Any


@dataclass(frozen=True)
class Killed:
    """A task whose workers died, one after the other: what Dask says of it."""

    item: Any
    error: str


@dataclass(frozen=True)
class _Flight:
    item: Any
    future: Any


class Errand:
    """A parcel on a cluster, and tasks that work on what is in it."""

    def __init__(self, session: Session, parcel: Parcel, work: Work) -> None:
        self.session, self._parcel, self._work = session, parcel, work
        # Two clients may ask the same of one cluster: each has its own, and lets go of its own alone.
        self.name = f"venire-{parcel.key}-{os.urandom(3).hex()}"
        self._flights: dict[str, _Flight] = {}
        self._again: list[Any] = []
        self._numbers = count()
        self._begun = False
        self._worked = time.monotonic()

    def begin(self, cancel: Callable[[], None]) -> None:
        """Bring the run to all workers, unless it is there."""
        while not self._begun:
            try:
                self._bring(cancel)
            except (Lost, *GONE):
                self.mend(cancel)

    def _bring(self, cancel: Callable[[], None]) -> None:
        session, parcel = self.session, self._parcel
        refuse_too_large(parcel.label.size, list(session.workers.values()), TABLE_SHARE)
        shared = None if session.where.shared is None else session.where.shared / self.name
        if shared is not None and not (file := shared / TABLE).exists():
            shared.mkdir(exist_ok=True)
            parcel.write(file)
        plugin = carrier(self.name, parcel.rest, parcel.label, None if shared is None else str(shared))
        session.within(_BRINGING, session.client.register_plugin, plugin, name=self.name)
        self._ship(list(session.workers), cancel)
        self._begun = True

    def _ship(self, addresses: list[str], cancel: Callable[[], None]) -> None:
        """Send the arrays to machines that have none, to one worker of each, in chunks."""
        session, parcel = self.session, self._parcel
        one_each = {session.workers[at].place: at for at in reversed(addresses) if at in session.workers}
        told = session.tell(lacks, self.name, workers=list(one_each.values()))
        without = [address for address, answer in told.items() if answer is True]
        for start in range(0, max(parcel.label.size, 1), CHUNK):
            cancel()
            if without:
                session.tell(receive, self.name, start, parcel.chunk(start), workers=without)

    def room(self) -> int:
        """How many more tasks may be handed out."""
        return max(0, _AHEAD * self.session.threads - len(self._flights) - len(self._again))

    def hand_out(self, item: Any, seconds: float | None) -> None:
        """Have it done by some worker, for no longer than so many seconds."""
        key = f"{self.name}-{next(self._numbers)}"
        try:
            future = self.session.client.submit(
                carry_out, self.name, key, self._work, item, seconds, key=key, pure=False, retries=0
            )
        except (*GONE, RuntimeError):  # of a client that is closing
            self._again.append(item)
            return
        self._flights[key] = _Flight(item, future)

    def landed(self, cancel: Callable[[], None], seconds: Callable[[], float | None]) -> Iterator[Landed | Killed]:
        """What has come back by now; what was lost on the way is handed out again."""
        try:
            self._welcome(cancel)
            yield from self._fetched(cancel)
            lost, self._again = self._again, []
            for item in lost:
                self.hand_out(item, seconds())
        except Lost:
            self.mend(cancel)

    def _welcome(self, cancel: Callable[[], None]) -> None:
        """Look who is there; the table is sent to machines that are new."""
        session = self.session
        come = session.look()
        if session.client.status != "running":
            raise Lost
        if come:
            refuse_too_large(self._parcel.label.size, come, TABLE_SHARE)
            self._ship([worker.address for worker in come], cancel)
        if session.workers:
            self._worked = time.monotonic()
        elif time.monotonic() - self._worked > _PATIENCE:
            raise VenireError(
                f"the cluster at {session.address} has had no worker for {duration(_PATIENCE)}",
                code="no_workers",
                hint="start some; what was finished is kept, and the same command goes on from there",
            )

    def _fetched(self, cancel: Callable[[], None]) -> Iterator[Landed | Killed]:
        for key in [key for key, flight in self._flights.items() if flight.future.status != "pending"]:
            flight = self._flights[key]
            try:
                found = self._outcome(flight, cancel)
            except TimeoutError:  # its worker is held up: another time
                continue
            except GONE:
                found = None
            del self._flights[key]
            if found is None:
                self._again.append(flight.item)
            else:
                yield found

    def _outcome(self, flight: _Flight, cancel: Callable[[], None]) -> Landed | Killed | None:
        """What came of a task; None where it was lost, or has to be done again."""
        future = flight.future
        if future.status == "error":
            return self._failed(flight, future.exception(timeout=5))
        if future.status != "finished":
            return None
        result = future.result(timeout=5)
        if not isinstance(result, Needs):
            return Landed(flight.item, result)
        if result.what == "run":
            self._begun = False
            self.begin(cancel)
        else:
            self._ship([result.address], cancel)
        return None

    def _failed(self, flight: _Flight, error: BaseException) -> Killed | None:
        if type(error).__name__ == "KilledWorker":
            return Killed(flight.item, str(error).splitlines()[0])
        if isinstance(error, VenireError):
            raise error
        self.session.workers = {}  # whoever cannot even begin is told apart by its versions
        self.session.mend(lambda: None)
        raise VenireError(
            f"a task failed on the cluster: {type(error).__name__}: {str(error)[:200]}",
            code="task_failed",
            hint="what was finished is kept, and the same command goes on from there",
        ) from error

    def fetch(self, address: str, result: str, size: int) -> bytes | None:
        """What a worker has left in its outbox; None where it is gone."""
        shared = self.session.where.shared
        if shared is not None:
            with suppress(OSError):
                return _read_and_removed(shared / self.name / result)
        found = bytearray()
        while len(found) < size:
            part = self.session.tell(part_of, self.name, result, len(found), workers=[address]).get(address)
            if not isinstance(part, bytes) or not part:
                return None
            found += part
        return bytes(found)

    def let_go(self, unwanted: Callable[[Any], bool]) -> None:
        """Nobody waits for some tasks any more: those that wait never begin, those that run are told."""
        for key in [key for key, flight in self._flights.items() if unwanted(flight.item)]:
            with suppress(*GONE, RuntimeError):
                self._flights.pop(key).future.cancel()
        self._again = [item for item in self._again if not unwanted(item)]

    def mend(self, cancel: Callable[[], None]) -> None:
        """The scheduler was gone, and all that it knew: what was under way is handed out again."""
        self._again += [flight.item for flight in self._flights.values()]
        self._flights.clear()
        self._begun = False
        self.session.mend(cancel)
        self.begin(cancel)

    def end(self) -> None:
        """Let go of the run everywhere; what still runs is told."""
        self.let_go(lambda item: True)
        begun, self._begun = self._begun, False
        with suppress(Lost, *GONE, RuntimeError, ValueError, KeyError):
            if begun:
                self.session.tell(stop, self.name, workers=list(self.session.workers), patience=_ENDING)
                self.session.within(_ENDING, self.session.client.unregister_worker_plugin, self.name)
        shared = self.session.where.shared
        if shared is not None:
            _removed(shared / self.name)


def _read_and_removed(path: Path) -> bytes:
    content = path.read_bytes()
    path.unlink()
    return content


def _removed(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
