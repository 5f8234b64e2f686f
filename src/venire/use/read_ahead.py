"""Reading the next part while the present one is in use: a reader and a model keep two cores busy."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import wait
from typing import TypeVar

from venire.threads import Threads

Item = TypeVar("Item")


def read_ahead(items: Generator[Item, None, None]) -> Generator[Item, None, None]:
    """The items in their order; each is made in a thread of its own while the one before is in use.

    An error comes up where its item would. Whoever stops early closes the generator, when its item is made.

    >>> list(read_ahead(number * number for number in range(4)))
    [0, 1, 4, 9]
    """
    end = object()
    with Threads(1, "venire-reader") as reader:
        following = reader.submit(next, items, end)
        try:
            while (item := following.result()) is not end:
                following = reader.submit(next, items, end)
                yield item  # type: ignore[misc]  # the end is no item, and gets no further
        finally:
            wait([following])
            items.close()
