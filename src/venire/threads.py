"""Threads of this process, as many as the system gives."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import ParamSpec, TypeVar

Words = ParamSpec("Words")
Result = TypeVar("Result")

_REFUSED = "can't start new thread"  # there is no other sign of it than what Python says


class Threads(ThreadPoolExecutor):
    """A pool that goes on with fewer threads where a limit on processes refuses one; without any, the caller works.

    >>> with Threads(2) as pool:
    ...     pool.submit(abs, -1).result()
    1
    """

    def __init__(self, wanted: int, name: str = "venire") -> None:
        super().__init__(wanted, thread_name_prefix=name)
        self._some = False  # threads there are; they stay until the end

    def submit(self, fn: Callable[Words, Result], /, *args: Words.args, **kwargs: Words.kwargs) -> Future[Result]:
        """A call for a thread; its result, or what it raises, is the future's."""
        answer: Future[Result] = Future()
        once = Lock()

        def job() -> None:
            if not once.acquire(blocking=False):
                return  # done by the caller, and left in the queue
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:
                answer.set_exception(error)
            else:
                answer.set_result(result)

        try:
            super().submit(job)
            self._some = True
        except RuntimeError as error:
            if _REFUSED not in str(error):
                raise
            if not self._some:  # else it is in the queue of those that there are
                job()
        return answer


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
