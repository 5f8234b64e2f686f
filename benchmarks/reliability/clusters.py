"""A cluster of real processes on this machine, of which any can be killed, held up or added."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import psutil

_ROOT = Path(__file__).parents[2]
_DASK = Path(sys.executable).with_name("dask")
_UP = 60.0  # seconds for a process to be there on a busy machine


class Processes:
    """A scheduler and workers, as `dask scheduler` and `dask worker` start them; ended together."""

    def __init__(
        self, folder: Path, workers: int = 2, threads: int = 1, memory: str = "2GiB", python_path: str = ""
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.threads, self.memory, self.python_path = folder, threads, memory, python_path
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start_scheduler()
        for _ in range(workers):
            self.add_worker()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in [*self.workers, self.scheduler]:
            _end(process)

    def _start(self, name: str, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        quiet = {
            "DASK_DISTRIBUTED__DASHBOARD__LINK": "http://{host}:{port}/status",
            "PYTHONPATH": ":".join(filter(None, [str(_ROOT), self.python_path])),
        }
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen(
                [str(_DASK), *words, "--host", "127.0.0.1"],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **quiet, "TMPDIR": str(self.folder), **environment},
            )

    def _start_scheduler(self) -> subprocess.Popen[bytes]:
        words = ("scheduler", "--port", str(self.port), "--dashboard-address", "127.0.0.1:0")
        return self._start("scheduler", *words)

    def add_worker(self, memory: str = "", **environment: str) -> subprocess.Popen[bytes]:
        """One more worker."""
        name = f"w{len(self.workers)}"
        options = (
            "--nthreads",
            str(self.threads),
            "--name",
            name,
            "--memory-limit",
            memory or self.memory,
            "--no-dashboard",
        )
        self.workers.append(self._start(name, "worker", self.address, *options, **environment))
        return self.workers[-1]

    def wait(self, workers: int) -> None:
        """Until so many workers are there."""
        Client: Any = import_module("distributed").Client  # it has no types
        with Client(self.address, timeout=_UP, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=_UP)

    def kill_scheduler(self) -> None:
        """SIGKILL; its workers end by themselves."""
        self.scheduler.kill()
        self.scheduler.wait()

    def restart(self, workers: int) -> None:
        """The scheduler at the same address again, and workers."""
        self.scheduler = self._start_scheduler()
        for _ in range(workers):
            self.add_worker()

    def process_of(self, worker: int) -> psutil.Process | None:
        """The process that works, below its nanny; None while there is none."""
        with suppress(psutil.Error):
            children = psutil.Process(self.workers[worker].pid).children()
            return next((child for child in children if "spawn_main" in " ".join(child.cmdline())), None)
        return None

    def all_pids(self) -> list[int]:
        """The scheduler, and every worker with what it has started."""
        found = []
        for process in [self.scheduler, *self.workers]:
            with suppress(psutil.Error):
                top = psutil.Process(process.pid)
                found += [process.pid, *(child.pid for child in top.children(recursive=True))]
        return found

    def hold_up(self, seconds: float) -> None:
        """As a cut network looks like: nobody answers for a while, and no connection is closed."""
        pids = self.all_pids()
        for what, pause in ((signal.SIGSTOP, seconds), (signal.SIGCONT, 0.0)):
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, what)
            time.sleep(pause)


def _end(process: subprocess.Popen[bytes]) -> None:
    below: list[psutil.Process] = []
    with suppress(psutil.Error):
        below = psutil.Process(process.pid).children(recursive=True)
    for one in below:
        with suppress(psutil.Error):
            one.kill()
    process.kill()
    process.wait()
