"""Rows of several requests predicted together: what came in while a prediction ran goes into the next one.

Nobody waits for others to come: a request that is alone is predicted at once. A model that answers within a
millisecond does so in the thread that reads requests, because to wake another one takes about as long; a slower one has
a thread of its own, and requests are read meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from venire.metrics.predictions import Predictions
from venire.serve.counters import Counters
from venire.serve.limits import Limits
from venire.serve.refused import Refusal
from venire.serve.served_model import ServedModel

Floats = NDArray[np.float64]
Waiting = tuple[Floats, "asyncio.Future[Predictions]"]

QUICK = 1e-3  # seconds a row
MOST_ROWS = 1024  # of one prediction: one of thousands of rows would hold up the next


def overloaded() -> Refusal:
    """More requests than there is time for."""
    return Refusal(
        503, "overloaded", "too many requests are waiting", hint="try again later", headers=(("retry-after", "1"),)
    )


class Batcher:
    """Takes rows for one model. Must be used in one event loop; `pool` is where a slow model predicts."""

    def __init__(self, served: ServedModel, limits: Limits, counters: Counters, pool: Executor) -> None:
        self._served = served
        self._limits = limits
        self._counters = counters
        self._pool = None if served.seconds < QUICK else pool
        self._waiting: list[Waiting] = []
        self._running = False

    async def predicted(self, X: Floats) -> Predictions:
        """What the model says of the rows; a refusal where too many are waiting already."""
        if len(self._waiting) >= self._limits.waiting:
            raise overloaded()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Predictions] = loop.create_future()
        self._waiting.append((X, future))
        if not self._running:
            self._running = True
            loop.call_soon(self._next)  # after the requests that were read together with this one
        return await future

    def _next(self) -> None:
        batch = self._taken()
        if not batch:
            self._running = False
            return
        self._counters.batches.observe(len(batch))
        loop = asyncio.get_running_loop()
        if self._pool is None:
            _settle(batch, self._all_predicted(batch))
            loop.call_soon(self._next)
        else:
            work = loop.run_in_executor(self._pool, self._all_predicted, batch)
            work.add_done_callback(lambda done: self._finish(batch, done))

    def _finish(self, batch: Sequence[Waiting], done: asyncio.Future[list[Predictions | Exception]]) -> None:
        _settle(batch, done.result())
        self._next()

    def _taken(self) -> list[Waiting]:
        """The first that wait, as many as one prediction takes."""
        rows, count = 0, 0
        for X, _ in self._waiting:
            if count and (not self._served.divisible or rows + len(X) > MOST_ROWS):
                break
            rows, count = rows + len(X), count + 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    def _all_predicted(self, batch: Sequence[Waiting]) -> list[Predictions | Exception]:
        if len(batch) > 1:
            try:
                said = self._served.together([X for X, _ in batch])
            except Exception:  # of one request's rows: each is tried alone, so that the others have theirs
                pass
            else:
                return _parts(said, [len(X) for X, _ in batch])
        return [self._alone(X) for X, _ in batch]

    def _alone(self, X: Floats) -> Predictions | Exception:
        try:
            return self._served.predicted(X)
        except Exception as error:  # whoever asked gets it
            return error


def _parts(said: Predictions, sizes: Sequence[int]) -> list[Predictions | Exception]:
    found: list[Predictions | Exception] = []
    at = 0
    for size in sizes:
        part = slice(at, at + size)
        labels = None if said.labels is None else said.labels[part]
        found.append(Predictions(labels, None if said.outputs is None else said.outputs[part], said.output))
        at += size
    return found


def _settle(batch: Sequence[Waiting], said: Sequence[Predictions | Exception]) -> None:
    for (_, future), one in zip(batch, said, strict=True):
        if future.done():  # the client has gone
            continue
        if isinstance(one, Exception):
            future.set_exception(one)
        else:
            future.set_result(one)
