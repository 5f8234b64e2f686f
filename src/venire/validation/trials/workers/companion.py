"""A process beside a worker of a cluster, for what might not listen or might crash: it can be killed at any moment.

A worker of Dask is a daemon of its nanny and may have no children of `multiprocessing`; this is a plain program that is
spoken to through its input and output.
"""

from __future__ import annotations

import os
import queue
import signal
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from joblib.externals.loky.backend.reduction import dumps, loads

from venire.cluster.parcel import Label, opened
from venire.validation.trials.family import Cancel
from venire.validation.trials.workers.bench import Bench, Done
from venire.validation.trials.workers.containment import at_most, end_with, print_nothing
from venire.validation.trials.workers.process import Part, run_part, unpacked

_LENGTH = struct.Struct("<Q")
_ASKED = 0.1  # seconds between two looks at whether the work is still wanted


class Crashed(Exception):
    """The process died; how, in words."""


class Beside:
    """The process, from the worker's side."""

    def __init__(self, rest: bytes, label: Label, file: Path) -> None:
        self._replies: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        )
        threading.Thread(target=self._listen, name="replies of a process", daemon=True).start()
        self._send((os.getpid(), rest, label, file))

    def ask(self, part: Part, memory: float | None, cancel: Cancel) -> list[Done]:
        """What comes of some trials; `Crashed` where the process died of them."""
        self._send((part, memory))
        while True:
            cancel()
            try:
                reply = self._replies.get(timeout=_ASKED)
            except queue.Empty:
                continue
            if reply is None:
                cancel()  # it may have been told to
                raise Crashed(self._how())
            found: list[Done] = loads(reply)
            return found

    def close(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent any more
                    pipe.close()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it is dead: whoever waits for a reply hears of it
            _write(self._process.stdin, bytes(dumps(message)))

    def _listen(self) -> None:
        assert self._process.stdout is not None
        try:
            while (reply := _read(self._process.stdout)) is not None:
                self._replies.put(reply)
        except (OSError, ValueError):  # it was closed
            pass
        self._replies.put(None)

    def _how(self) -> str:
        code = self._process.wait()
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _write(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(_LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def _read(pipe: IO[bytes]) -> bytes | None:
    """A whole message; None where the other side is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    message = pipe.read(length)
    return message if len(message) == length else None


def serve(asked: IO[bytes], told: IO[bytes]) -> None:
    """What the process does: a bench of its own, and one message after the other, until nobody asks any more."""
    first = _read(asked)
    if first is None:
        return
    parent, rest, label, file = loads(first)
    end_with(parent)
    bench = Bench(unpacked(opened(rest, label, file)), survived=BaseException)
    while (message := _read(asked)) is not None:
        part, memory = loads(message)
        with at_most(memory):
            found = run_part(bench, part)
        _write(told, bytes(dumps(found)))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the client's
    with os.fdopen(os.dup(0), "rb") as asked, os.fdopen(os.dup(1), "wb") as told:
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        print_nothing()  # what a learner prints must not get between the messages
        serve(asked, told)
