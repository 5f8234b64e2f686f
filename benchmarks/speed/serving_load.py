"""Clients of a server on this machine: connections that ask one request after the other, in a process of their own.

    python -m benchmarks.speed.serving_load PORT REQUEST_FILE CONNECTIONS SECONDS MOST

REQUEST_FILE has the bytes of one request. Prints a JSON object: answers by status, and quantiles of seconds.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np


class Client(asyncio.Protocol):
    """One connection. After a 503 it comes again at once, as a client that does not listen would."""

    def __init__(self, request: bytes, until: float, left: list[int], found: Counter[int], spent: list[float]) -> None:
        self._request = request
        self._until = until
        self._left = left
        self._found = found
        self._spent = spent
        self._held = b""
        self._began = 0.0
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._held += data
        head = self._held.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self._held.lower().find(b"content-length:", 0, head)
        length = int(self._held[at + 15 : self._held.find(b"\r\n", at)])
        if len(self._held) < head + 4 + length:
            return
        status = int(self._held[9:12])
        self._held = b""
        self._found[status] += 1
        if status == 200:
            self._spent.append(time.perf_counter() - self._began)
        self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)

    def _ask(self) -> None:
        self._began = time.perf_counter()
        self._left[0] -= 1
        if self._began > self._until or self._left[0] < 0:
            self._transport.close()
        else:
            self._transport.write(self._request)


async def load(port: int, request: bytes, connections: int, seconds: float, most: int) -> dict[str, object]:
    """What so many connections get in so many seconds, or of so many requests."""
    found: Counter[int] = Counter()
    spent: list[float] = []
    began, left = time.perf_counter(), [most]
    loop = asyncio.get_running_loop()
    clients = []
    for _ in range(connections):
        _, client = await loop.create_connection(
            lambda: Client(request, began + seconds, left, found, spent), "127.0.0.1", port
        )
        clients.append(client.done)
    await asyncio.wait(clients, timeout=seconds + 60)
    quantiles = np.quantile(spent, [0.5, 0.99]).tolist() if spent else [None, None]
    return {
        "seconds": time.perf_counter() - began,
        "statuses": {str(status): count for status, count in found.items()},
        "p50": quantiles[0],
        "p99": quantiles[1],
    }


if __name__ == "__main__":
    port, file, connections, seconds, most = sys.argv[1:]
    answer = asyncio.run(load(int(port), Path(file).read_bytes(), int(connections), float(seconds), int(most)))
    print(json.dumps(answer))
