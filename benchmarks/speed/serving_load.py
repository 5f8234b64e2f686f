"""Clients of a server on this machine: connections that ask one request after the other, in a process of their own.

    python -m benchmarks.speed.serving_load PORT REQUEST_FILE CONNECTIONS SECONDS MOST

REQUEST_FILE has the bytes of one request. Prints a JSON object: answers by status, and quantiles of seconds.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from array import array
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


class Client(asyncio.Protocol):
    """One connection. After a 503 it comes again at once, as a client that does not listen would."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._held = b""
        self._began = 0.0
        self.done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()  # whether it may go on

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._held = data = self._held + data if self._held else data
        head = data.find(b"\r\n\r\n")
        if head < 0:
            return
        at = data.lower().find(b"content-length:", 0, head)
        length = int(data[at + 15 : data.find(b"\r\n", at)])
        if len(data) < head + 4 + length:
            return
        status = int(data[9:12])
        self._held = b""
        self._tally.found[status] += 1
        if status == 200:
            self._tally.spent.append(time.perf_counter() - self._began)
        self._began = 0.0
        if data.find(b"connection: close", 0, head) < 0:
            self._ask()
        else:
            self._transport.close()  # and come again

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self._tally.lost += self._began > 0 and error is not None
            self.done.set_result(True)

    def _ask(self) -> None:
        self._began = time.perf_counter()
        if self._tally.over(self._began):
            self.done.set_result(False)
            self._transport.close()
        elif not self._transport.is_closing():
            self._transport.write(self._tally.request)


@dataclass(slots=True)
class Tally:
    """What all connections ask, until when, and what they got."""

    request: bytes
    until: float
    left: int
    found: Counter[int] = field(default_factory=Counter)
    spent: array[float] = field(default_factory=lambda: array("d"))
    lost: int = 0  # connections that ended without an answer

    def over(self, now: float) -> bool:
        """Whether it is enough; else one more will be asked."""
        self.left -= 1
        return now > self.until or self.left < 0


async def one_connection(port: int, tally: Tally) -> None:
    """Connected again whenever the server ends the connection, until it is enough."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            _, client = await loop.create_connection(lambda: Client(tally), "127.0.0.1", port)
        except OSError:
            tally.lost += 1
            if time.perf_counter() > tally.until:
                return
            await asyncio.sleep(0.01)
            continue
        if not await client.done:
            return


async def load(port: int, request: bytes, connections: int, seconds: float, most: int) -> dict[str, object]:
    """What so many connections get in so many seconds, or of so many requests."""
    began = time.perf_counter()
    tally = Tally(request, began + seconds, most)
    clients = [asyncio.create_task(one_connection(port, tally)) for _ in range(connections)]
    await asyncio.wait(clients, timeout=seconds + 60)
    quantiles = np.quantile(np.asarray(tally.spent), [0.5, 0.99]).tolist() if tally.spent else [None, None]
    return {
        "seconds": time.perf_counter() - began,
        "statuses": {str(status): count for status, count in tally.found.items()},
        "lost": tally.lost,
        "p50": quantiles[0],
        "p99": quantiles[1],
    }


if __name__ == "__main__":
    port, file, connections, seconds, most = sys.argv[1:]
    answer = asyncio.run(load(int(port), Path(file).read_bytes(), int(connections), float(seconds), int(most)))
    print(json.dumps(answer))
