"""What a learner warns of while it works, kept apart for every thread.

`warnings.catch_warnings` swaps the filters of the whole process, so of two threads that use it at a time one can be
left with the other's. Here the first to listen swaps them and the last to stop puts them back; in between every warning
goes to the thread that gave it.

One of them is no complaint: scikit-learn's neural net takes Ctrl-C for "enough", warns, and goes on with half a fit.
Nobody may take that for what it would have learned.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_INTERRUPTED = "Training interrupted by user"


class _Mine(threading.local):
    """What a thread has heard: a pile for each time it listens."""

    def __init__(self) -> None:
        self.piles: list[list[str]] = []


class _Listener:
    """The one place warnings go to while anybody listens."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listening = 0
        self._before: Any = None
        self._shown_before: Any = None
        self._mine = _Mine()

    def begin(self) -> list[str]:
        heard: list[str] = []
        with self._lock:
            if not self._listening:
                self._shown_before = warnings.showwarning
                self._before = warnings.catch_warnings()
                self._before.__enter__()
                warnings.simplefilter("always")
                warnings.showwarning = self._hear
            self._listening += 1
        self._mine.piles.append(heard)
        return heard

    def end(self) -> None:
        self._mine.piles.pop()
        with self._lock:
            self._listening -= 1
            if not self._listening:
                self._before.__exit__(None, None, None)

    def _hear(self, message: Any, category: type[Warning], *rest: Any, **named: Any) -> None:
        piles = self._mine.piles
        if piles:
            piles[-1].append(_sentence(message, category))
        else:  # somebody else's thread
            self._shown_before(message, category, *rest, **named)


_listener = _Listener()  # of the process, as the filters are


@contextmanager
def complaints() -> Iterator[list[str]]:
    """Collect what this thread warns of, and show none of it; a fit that Ctrl-C has cut short is an interruption.

    >>> with complaints() as heard:
    ...     warnings.warn("did not converge", RuntimeWarning)
    >>> heard
    ['RuntimeWarning: did not converge']
    """
    heard = _listener.begin()
    try:
        yield heard
    finally:
        _listener.end()
    if any(_INTERRUPTED in each for each in heard):
        raise KeyboardInterrupt("it cut a fit short")


def _sentence(message: Any, category: type[Warning]) -> str:
    """A warning as evidence keeps it: its first line, not too long."""
    first = str(message).strip().split("\n")[0]
    return f"{category.__name__}: {first[:160]}"
