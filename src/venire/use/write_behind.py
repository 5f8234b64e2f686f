"""Writing one part while the next is made: a writer does not keep a model waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

from venire.threads import Threads

Item = TypeVar("Item")


@contextmanager
def write_behind(write: Callable[[Item], None]) -> Iterator[Callable[[Item], None]]:
    """A function like this one that returns at once: each item is written in a thread of its own, in their order.

    The next item waits until the one before is written, so that no more than one is kept. An error comes up with the
    next item, or in the end.

    >>> written = []
    >>> with write_behind(written.append) as add:
    ...     add(1)
    ...     add(2)
    >>> written
    [1, 2]
    """
    before: Future[None] | None = None

    def hand_over(item: Item) -> None:
        nonlocal before
        if before is not None:
            before.result()
        before = writer.submit(write, item)

    with Threads(1, "venire-writer") as writer:
        yield hand_over
        if before is not None:
            before.result()
