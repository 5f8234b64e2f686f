"""What a learner warns of while it works, kept apart for every thread.

`warnings.catch_warnings` swaps the filters of the whole process, so of two threads that use it at a time one can be
left with the other's. Here the first to listen swaps them and the last to stop puts them back; in between every warning
goes to the thread that gave it.

One of them is no complaint: scikit-learn's neural net takes Ctrl-C for "enough", warns, and goes on with half a fit.
Nobody may take that for what it would have learned.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from venire.errors import VenireWarning

_LONGEST = 160  # of a warning's first line: what evidence keeps
_NEXT_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
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
        caught: list[str] = []
        with self._lock:
            if not self._listening:
                self._shown_before = warnings.showwarning
                self._before = warnings.catch_warnings()
                self._before.__enter__()
                warnings.simplefilter("always")
                warnings.showwarning = self._hear
            self._listening += 1
        self._mine.piles.append(caught)
        return caught

    def end(self) -> None:
        self._mine.piles.pop()
        with self._lock:
            self._listening -= 1
            if not self._listening:
                self._before.__exit__(None, None, None)

    def pass_on(self, caught: Iterable[str]) -> None:
        piles = self._mine.piles
        for each in caught:
            if piles:
                piles[-1].append(each)
            else:
                warnings.warn(each, VenireWarning, stacklevel=4)

    def _hear(self, message: Any, category: type[Warning], *rest: Any, **named: Any) -> None:
        piles = self._mine.piles
        if piles:
            piles[-1].append(_sentence(message, category))
        else:  # somebody else's thread
            self._shown_before(message, category, *rest, **named)


_listener = _Listener()  # of the process, as the filters are


@contextmanager
def caught_warnings() -> Iterator[list[str]]:
    """Collect what this thread warns of, and show none of it; a fit that Ctrl-C has cut short is an interruption.

    >>> with caught_warnings() as caught:
    ...     warnings.warn("did not converge", RuntimeWarning)
    >>> caught
    ['RuntimeWarning: did not converge']
    """
    caught = _listener.begin()
    try:
        yield caught
    finally:
        _listener.end()
    if any(_INTERRUPTED in each for each in caught):
        raise KeyboardInterrupt("it cut a fit short")


def pass_on(caught: Iterable[str]) -> None:
    """Hand over what was heard to whoever listens further out; where nobody does, warn of it.

    >>> with caught_warnings() as outer:
    ...     with caught_warnings() as inner:
    ...         warnings.warn("did not converge", RuntimeWarning)
    ...     pass_on(inner)
    >>> outer
    ['RuntimeWarning: did not converge']
    """
    _listener.pass_on(caught)


def _sentence(message: Any, category: type[Warning]) -> str:
    """A warning as evidence keeps it: its first line, not too long."""
    first = str(message).strip().split("\n")[0]
    return f"{category.__name__}: {first[:_LONGEST]}"


def gist(complaint: str) -> str:
    """What a warning says, without what follows: libraries go on with advice for those who called them by hand.

    >>> gist("ConvergenceWarning: Solver terminated early (max_iter=9).  Consider scaling your data.")
    'ConvergenceWarning: Solver terminated early (max_iter=9)'
    >>> gist("ConvergenceWarning: lbfgs failed to converge (status=1):")
    'ConvergenceWarning: lbfgs failed to converge (status=1)'
    """
    category, _, message = complaint.partition(": ")
    first = _NEXT_SENTENCE.split(message)[0]
    if first == message and len(message) >= _LONGEST:  # cut when it was kept: not in the middle of a word
        return f"{category}: {message.rpartition(' ')[0] or message}…"
    return f"{category}: {first}".rstrip(" .:;,")
