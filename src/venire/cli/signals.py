"""Signals that ask a process to go: they unwind it, so that workers are stopped and temporary files removed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

# Ctrl-C is Python's own KeyboardInterrupt; a closed terminal and a shutdown would kill us where we stand.
_POLITE = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Terminated(BaseException):
    """The system asked us to go. No Exception, so that nothing that survives a learner's failure survives this."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def unwinding() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP raise `Terminated`; signals the parent had us ignore stay ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}
    for number in _POLITE:
        if signal.getsignal(number) == signal.SIG_DFL:
            before[number] = signal.signal(number, _unwind)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _unwind(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)
