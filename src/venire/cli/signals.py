"""Signals that ask a process to go. They unwind it, so that workers are stopped and temporary files removed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

# A closed terminal and a shutdown would otherwise kill us where we stand, and leave the workers alone.
_POLITE = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Terminated(BaseException):
    """The system asked us to go. No Exception, so that nothing that survives a learner's failure survives this."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class Signals:
    """What came in so far. The first asks for what is known, the second to leave at once, the third to drop dead."""

    received: int = 0
    leaving: bool = False  # the command has ended, and Python cleans up

    @property
    def impatient(self) -> bool:
        """Whether we were asked more than once."""
        return self.received > 1

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Unwind: Ctrl-C as Python does it, the others as `Terminated`."""
        self.received += 1
        if self.received > 2:
            os._exit(128 + number)  # whatever holds us up, nobody wants it any more
        if self.impatient:
            _abandon_workers()
        if self.leaving:
            return
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


@contextmanager
def unwinding() -> Iterator[Signals]:
    """Handle the signals inside; those the parent process had us ignore stay ignored."""
    signals = Signals()
    ours = (signal.SIG_DFL, signal.default_int_handler)
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, *_POLITE):
            if signal.getsignal(number) in ours:
                before[number] = signal.signal(number, signals.handle)
    try:
        yield signals
    finally:
        signals.leaving = True
        if not signals.received:  # else they stay: whoever pressed Ctrl-C once may do so again
            for number, handler in before.items():
                signal.signal(number, handler)


def _abandon_workers() -> None:
    """Kill them rather than wait for their end; the thread that watches them may complain, and nobody wants to know."""
    if "multiprocessing" not in sys.modules:
        return
    from multiprocessing import active_children

    threading.excepthook = lambda _: None
    warnings.simplefilter("ignore")
    for worker in active_children():
        if worker.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(worker.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
