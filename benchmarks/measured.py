"""A command in a process of its own, and what it took: seconds, processor time, memory, and how busy the machine was.

Processor time and memory are those of the whole tree of processes. `waited` is how long its first thread was ready to
run and had no core: on a quiet machine next to nothing, on a shared one most of what a wall clock shows too much.

A Python that keeps no bytecode (`PYTHONDONTWRITEBYTECODE`) compiles all modules at every start, which takes longer than
to import them. An installed package has been compiled: so the command keeps its bytecode, below build/.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import psutil

from benchmarks.results import ROOT

_BETWEEN = 0.2  # seconds between two looks at the memory


@dataclass(frozen=True)
class Measured:
    """What a command said and took."""

    code: int
    out: str
    error: str
    wall: float
    processor: float
    waited: float
    peak: float  # bytes
    anonymous: float  # bytes of it that are no file's: the peak of their own
    load: float  # of the minute before

    @property
    def figures(self) -> dict[str, float]:
        """What is noted of it."""
        return {
            "wall": round(self.wall, 2),
            "processor": round(self.processor, 2),
            "waited": round(self.waited, 2),
            "peak_gb": round(self.peak / 1e9, 3),
            "anonymous_gb": round(self.anonymous / 1e9, 3),
            "load": round(self.load, 2),
        }


def measured(
    words: Sequence[str],
    environment: Mapping[str, str] = MappingProxyType({}),
    *,
    folder: Path | None = None,
    limit: float | None = None,
) -> Measured:
    """Run it to its end; after `limit` seconds it is killed, and its code is that of a signal."""
    load = os.getloadavg()[0]
    before = _of_children()
    began = time.monotonic()
    process = subprocess.Popen(
        words,
        env={**as_installed(), **environment},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    tree = _Tree(process.pid)
    try:
        out, error = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        tree.kill()
        out, error = process.communicate()
    wall = time.monotonic() - began
    tree.leave()
    return Measured(
        code=process.returncode,
        out=out,
        error=error,
        wall=wall,
        processor=_of_children() - before,
        waited=tree.waited,
        peak=tree.peak,
        anonymous=tree.anonymous,
        load=load,
    )


def as_installed() -> dict[str, str]:
    """This environment, with a place for bytecode."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"PYTHONPYCACHEPREFIX": str(ROOT / "build/bytecode"), **kept}


def compile_first() -> None:
    """Have the modules of a comparison compiled before anything is timed."""
    script = "import venire.cli.commands, venire.cli.comparing, venire.flow"
    subprocess.run([sys.executable, "-c", script], env=as_installed(), check=True)


class _Tree:
    """A process and all that it started, looked at as long as it lasts."""

    def __init__(self, pid: int) -> None:
        self._root, self._over = psutil.Process(pid), threading.Event()
        self.peak = self.anonymous = self.waited = 0.0
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """It has ended."""
        self._over.set()
        self._thread.join()

    def kill(self) -> None:
        """End all of it."""
        for process in self._all():
            with suppress(psutil.Error):
                process.kill()

    def _all(self) -> list[psutil.Process]:
        with suppress(psutil.Error):
            return [self._root, *self._root.children(recursive=True)]
        return []

    def _look(self) -> None:
        while not self._over.wait(_BETWEEN):
            held = [_held(process) for process in self._all()]
            self.peak = max(self.peak, sum(all_of_it for all_of_it, _ in held))
            self.anonymous = max(self.anonymous, sum(anonymous for _, anonymous in held))
            self.waited = _waited(self._root.pid) or self.waited


def _held(process: psutil.Process) -> tuple[float, float]:
    """Bytes of a process in memory, what it shares with others not counted twice; and those that are no file's.

    Pages of files that were only read are the system's, and count for nobody.
    """
    with suppress(OSError, KeyError), open(f"/proc/{process.pid}/smaps_rollup") as file:
        lines = {name: rest for name, _, rest in (line.partition(":") for line in file)}
        return _bytes(lines["Pss"]), _bytes(lines["Pss_Anon"]) if "Pss_Anon" in lines else 0.0
    with suppress(psutil.Error):
        return float(process.memory_info().rss), 0.0
    return 0.0, 0.0


def _bytes(said: str) -> float:
    return 1024.0 * int(said.split()[0])


def _waited(pid: int) -> float:
    """Seconds that the first thread of a process was ready and had no core, where the system tells."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
