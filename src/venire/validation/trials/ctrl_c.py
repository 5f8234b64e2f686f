"""Ctrl-C that a learner has swallowed: some take it for "enough" and go on with half a fit, which nobody may keep."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from venire.validation.trials.family import never


@contextmanager
def noticed() -> Iterator[Callable[[], None]]:
    """Ctrl-C is remembered inside; what is given raises it again, if it was pressed."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield never  # not ours to change, or ignored
        return
    pressed = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        pressed.set()
        before(number, frame)

    def ask() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    try:
        yield ask
    finally:
        signal.signal(signal.SIGINT, before)
