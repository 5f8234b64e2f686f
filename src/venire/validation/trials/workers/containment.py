"""What keeps a worker process in bounds: it ends with its parent, prints nothing, and takes its share of memory only.

Each is the system's own means. Where a system has none (the memory of a process outside of Linux), there is no limit.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from venire.errors import TRACEBACK

_SIGNAL_WHEN_THE_PARENT_DIES = 1  # PR_SET_PDEATHSIG of Linux' prctl
_LOOKS = 0.5  # seconds between two looks at who the parent is


def end_with(parent: int) -> None:
    """End this process as soon as its parent, of that id, is gone, even if it was killed.

    On Linux the system itself sends the signal. Elsewhere, and where the parent died before that was arranged, a thread
    looks: an orphan is given another parent.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SIGNAL_WHEN_THE_PARENT_DIES, signal.SIGKILL)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOKS)
        os._exit(1)

    with suppress(RuntimeError):  # no thread is given: the system's signal has to do
        threading.Thread(target=look, name="end with the parent", daemon=True).start()


def print_nothing() -> None:
    """Send what this process prints to nowhere, that of native code too: the parent's output is a document.

    Whoever sets `VENIRE_TRACEBACK` wants to see it, and gets it all on stderr.
    """
    if os.environ.get(TRACEBACK):
        os.dup2(2, 1)
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


@contextmanager
def at_most(count: float | None) -> Iterator[None]:
    """Inside, this process may take so many bytes more than it has; what asks for more gets a `MemoryError`.

    Counted are pages that are its own and can be written (`RLIMIT_DATA`), so that neither the mapped table nor address
    space that is merely reserved is charged for.
    """
    if count is None or sys.platform != "linux":
        yield
        return
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = _own_bytes() + int(count)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))


def _own_bytes() -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmData:"))
