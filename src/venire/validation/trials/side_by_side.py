"""Work done in several threads of this process, its results in the order of the items."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import TypeVar

from venire.threads import Threads

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    give_up: Callable[[], object] = lambda: None,
    *,
    ahead: int = 2,
) -> Generator[Result, None, None]:
    """The results in order, a few of them under way at a time; the first failure ends it, and so does whoever stops.

    `ahead` items a thread are handed out before the first result is taken: with items of very different length more of
    them keep all threads busy. `give_up` is called when it ends, to tell the work that is still under way; its threads
    are then waited for.

    >>> list(side_by_side(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if threads < 2:
        yield from map(work, items)
        return
    queue = iter(items)
    with Threads(threads) as pool:
        under_way = deque(pool.submit(work, item) for item in islice(queue, ahead * threads))
        try:
            while under_way:
                found = under_way.popleft().result()
                under_way.extend(pool.submit(work, item) for item in islice(queue, 1))
                yield found
        finally:
            give_up()
            pool.shutdown(cancel_futures=True)
