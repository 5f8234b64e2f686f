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

_LONGEST = 160  # of what is kept of a warning
_NEXT_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_INTERRUPTED = "Training interrupted by user"


class _Pile:
    """What was heard while one listened, and whether a fit was cut short."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.interrupted = False


class _Mine(threading.local):
    """What a thread has heard: a pile for each time it listens."""

    def __init__(self) -> None:
        self.piles: list[_Pile] = []


class _Listener:
    """The one place warnings go to while anybody listens."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listening = 0
        self._before: Any = None
        self._shown_before: Any = None
        self._mine = _Mine()

    def begin(self) -> _Pile:
        caught = _Pile()
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
                piles[-1].texts.append(each)
            else:
                warnings.warn(each, VenireWarning, stacklevel=4)

    def _hear(self, message: Any, category: type[Warning], *rest: Any, **named: Any) -> None:
        piles = self._mine.piles
        if piles:
            piles[-1].texts.append(gist(str(message), category))
            piles[-1].interrupted |= _INTERRUPTED in str(message)
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
        yield caught.texts
    finally:
        _listener.end()
    if caught.interrupted:
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


def gist(message: str, category: type[Warning]) -> str:
    """A warning as it is kept: its first sentence. Libraries go on with advice for those who called them by hand.

    >>> gist("Solver terminated early (max_iter=9).  Consider scaling your data.", RuntimeWarning)
    'RuntimeWarning: Solver terminated early (max_iter=9)'
    """
    line = message.strip().split("\n")[0]
    first = _NEXT_SENTENCE.split(line)[0]
    if len(first) > _LONGEST:
        return f"{category.__name__}: {_whole_words(first)}…"
    return f"{category.__name__}: {first}".rstrip(" .:;,")


def _whole_words(text: str) -> str:
    """As many as there is room for; of a single word without end, its beginning."""
    return text[: _LONGEST + 1].rpartition(" ")[0] or text[:_LONGEST]
