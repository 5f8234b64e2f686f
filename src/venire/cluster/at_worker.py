"""On a worker of Dask: what it keeps of a run, and how a task learns that nobody waits for it any more.

A plugin brings the short part of a run's parcel to every worker, also to one that comes later. The arrays are one file
on each machine, in a folder of its own that goes when the last worker has let go of it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from venire.cluster.parcel import CHUNK, Label, opened, whole
from venire.disk.locks import in_use, marked
from venire.disk.scratch import OWNER, PREFIX, sweep

TABLE = "table.arrays"
IDLE = 300.0  # seconds without a task after which a worker lets go of a run: its client may have been killed
_LOOKS = 20.0  # seconds between two looks at that


class NoTable(Exception):
    """The arrays of a run are not on this machine."""


class Ending(Protocol):
    """What has to end with a run on a worker."""

    def close(self) -> None:
        """End it."""


@dataclass(frozen=True)
class Needs:
    """The answer of a worker that lacks the table of a run, or the run itself."""

    what: str
    address: str


class Kept:
    """What a worker process keeps of one run."""

    def __init__(self, worker: Any, name: str, rest: bytes, label: Label, shared: str | None) -> None:
        self.name, self.label, self.threads = name, label, worker.state.nthreads
        self.shared = None if shared is None else Path(shared)  # the run's own folder there
        limit = worker.memory_manager.memory_limit
        self.memory = None if limit is None else float(limit)
        self.rest = rest
        self.path = Path()  # of the arrays, once the value is there
        self._value: Any = None
        self._lock, self._signing = threading.RLock(), threading.Lock()
        self._signed: ExitStack | None = None
        self._used, self._busy = time.monotonic(), 0
        self.stopped = threading.Event()
        self.endings: dict[str, Ending] = {}
        self.made: dict[str, Any] = {}  # by whoever works here, under a name
        self._watch(worker.loop)

    @property
    def folder(self) -> Path:
        """Where the arrays are on this machine, and what is on its way from here."""
        owner = os.getuid() if hasattr(os, "getuid") else 0
        return Path(tempfile.gettempdir()) / f"{PREFIX}{owner}-{self.label.digest}"

    def file(self) -> Path | None:
        """The file of arrays, on shared storage or in this machine's folder; None where there is none."""
        return next((path for path in self._places() if whole(path, self.label)), None)

    def there(self) -> bool:
        """Whether a file of that length is there: what is in it is checked when it is opened."""
        return any(_length(path) == self.label.size for path in self._places())

    def _places(self) -> list[Path]:
        shared = [] if self.shared is None else [self.shared / TABLE]
        return [*shared, self.folder / TABLE]

    def value(self) -> Any:
        """What was packed, its arrays mapped."""
        with self._lock:
            if self._value is None:
                self._sign()
                path = self.file()
                if path is None:
                    (self.folder / TABLE).unlink(missing_ok=True)
                    raise NoTable
                self.path = path
                self._value = opened(self.rest, self.label, path)
            return self._value

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What is made when it is first asked for."""
        with self._lock:
            if name not in self.made:
                self.made[name] = make()
            return self.made[name]

    def ending(self, name: str, make: Callable[[], Any]) -> Any:
        """The same of what has to be closed in the end."""
        with self._lock:
            if name not in self.endings:
                self.endings[name] = make()
            return self.endings[name]

    def drop(self, name: str) -> None:
        """Close it now."""
        with self._lock:
            ending = self.endings.pop(name, None)
        if ending is not None:
            ending.close()

    def receive(self, start: int, part: bytes) -> bool:
        """A chunk of the file of arrays; with the last one it is checked and takes its place."""
        self._sign()
        beside = self.folder / f"{self.name}.part"
        with open(beside, "r+b" if beside.exists() else "w+b") as file:
            file.seek(start)
            file.write(part)
        if start + len(part) < self.label.size:
            return True
        os.truncate(beside, self.label.size)
        if not whole(beside, self.label):
            beside.unlink(missing_ok=True)
            return False
        beside.replace(self.folder / TABLE)
        return True

    def leave(self, name: str, content: bytes) -> None:
        """Something too long for one message, to be fetched in parts: on shared storage where there is one."""
        folder = self.outbox
        folder.mkdir(parents=True, exist_ok=True)
        beside = folder / f"{name}.{os.getpid()}-{threading.get_ident()}.part"
        beside.write_bytes(content)
        beside.replace(folder / name)

    @property
    def outbox(self) -> Path:
        """Where results are left."""
        return self.folder / self.name if self.shared is None else self.shared

    def _sign(self) -> None:
        with self._signing:
            if self._signed is None:
                sweep()
                self.folder.mkdir(mode=0o700, exist_ok=True)
                self._signed = ExitStack()
                self._signed.enter_context(marked(self.folder, OWNER))

    def end(self) -> None:
        """Nobody waits any more: what runs is told, and everything is let go of."""
        self.stopped.set()
        threading.Thread(target=self.release, name="end of a run", daemon=True).start()

    def release(self) -> None:
        """Let go of what is large; the last one on this machine removes the folder. A later task begins anew."""
        with self._lock:
            for ending in self.endings.values():
                ending.close()
            self.endings.clear()
            self.made.clear()
            self._value = None
        with self._signing:
            if self._signed is not None:
                self._signed.close()
                self._signed = None
                if not in_use(self.folder, OWNER):
                    shutil.rmtree(self.folder, ignore_errors=True)

    def _watch(self, loop: Any) -> None:
        def look() -> None:
            if not self._busy and time.monotonic() - self._used > IDLE:
                self.release()
            loop.call_later(_LOOKS, look)

        loop.add_callback(loop.call_later, _LOOKS, look)

    def __enter__(self) -> Kept:
        with self._lock:
            self._busy += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._busy -= 1
            self._used = time.monotonic()


class Still:
    """Whether a task is still wanted: it has time left, its worker goes on, and its client waits for it."""

    def __init__(self, worker: Any, kept: Kept, key: str, seconds: float | None) -> None:
        self._worker, self._kept, self._key = worker, kept, key
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def address(self) -> str:
        """The worker's."""
        return str(self._worker.address)

    def wanted(self) -> bool:
        """What the worker knows itself: nobody is asked."""
        if self._kept.stopped.is_set() or (self._end is not None and time.monotonic() > self._end):
            return False
        task = self._worker.state.tasks.get(self._key)  # "cancelled" when the client let go of it, or is gone
        running = self._worker.status.name in ("running", "paused", "closing_gracefully")
        return running and task is not None and task.state in ("executing", "long-running")


Work = Callable[[Kept, Any, Still], Any]


def carry_out(name: str, key: str, work: Work, item: Any, seconds: float | None) -> Any:
    """The task: some work on what is kept of a run."""
    from distributed import get_worker

    worker = get_worker()
    kept = _kept(worker, name)
    if kept is None:
        return Needs("run", worker.address)
    with kept:
        try:
            return work(kept, item, Still(worker, kept, key, seconds))
        except NoTable:
            return Needs("table", worker.address)


def carrier(name: str, rest: bytes, label: Label, shared: str | None) -> Any:
    """The plugin that brings a run. It is sent by value: a worker without venire can still start, and be told of."""
    from distributed import WorkerPlugin

    class Carrier(WorkerPlugin):
        kept: Any = None

        def setup(self, worker: Any) -> None:
            from importlib import import_module

            try:
                self.kept = import_module("venire.cluster.at_worker").Kept(worker, name, rest, label, shared)
            except ImportError:
                self.kept = None

        def teardown(self, worker: Any) -> None:
            if self.kept is not None:
                self.kept.end()

    return Carrier()


def lacks(name: str, dask_worker: Any = None) -> bool:
    """Whether a worker's machine has no table of a run."""
    kept = _kept(dask_worker, name)
    return kept is not None and not kept.there()


def receive(name: str, start: int, part: bytes, dask_worker: Any = None) -> bool:
    """A chunk of a run's table has come."""
    kept = _kept(dask_worker, name)
    return kept is not None and kept.receive(start, part)


def part_of(name: str, result: str, start: int, dask_worker: Any = None) -> bytes:
    """A chunk of a result that a worker has left."""
    kept = _kept(dask_worker, name)
    if kept is None:
        return b""
    with open(kept.outbox / os.path.basename(result), "rb") as file:
        file.seek(start)
        return file.read(CHUNK)


def stop(name: str, dask_worker: Any = None) -> None:
    """Nobody waits for a run any more: what runs is ended, and everything is let go of."""
    kept = _kept(dask_worker, name)
    if kept is not None:
        kept.end()


def _kept(worker: Any, name: str) -> Kept | None:
    return getattr(worker.plugins.get(name), "kept", None)


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
