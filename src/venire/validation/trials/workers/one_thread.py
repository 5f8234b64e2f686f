"""One thread a trial: linear algebra that adds up in another order on more threads would give other bytes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold the libraries of this process to one thread for the length of a `with`."""
    with _libraries(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """What is loaded; to look again takes as long as a small trial, and only an import brings another library."""
    return ThreadpoolController()
