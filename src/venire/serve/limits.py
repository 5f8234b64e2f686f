"""How much a server takes from its clients, and how long it waits for them: every such number, in one place."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What is refused beyond.

    Attributes
    ----------
    body_bytes
        Of one request. It is counted while it arrives, before anything is parsed.
    head_bytes, headers
        Of the request line and the headers together, and how many headers there may be.
    rows, explained_rows
        Of one request.
    waiting
        Requests that wait for a model. More are asked to come again, so that those accepted do not wait long.
    large_waiting
        Of these, large ones: they hold memory while they wait.
    connections
        Open at the same time.
    head_seconds, body_seconds, idle_seconds, stop_seconds
        For the head of a request to arrive, for its body, between two requests of a connection, and for the requests
        that are being answered when the server is asked to stop.
    small_bytes
        A body up to this is parsed where it arrives; a larger one in a thread, so that nobody has to wait for it.

    Examples
    --------
    >>> Limits().rows
    100000
    """

    body_bytes: int = 16 * MEGABYTE
    head_bytes: int = 16 << 10
    headers: int = 64
    rows: int = 100_000
    explained_rows: int = 1_000
    waiting: int = 128
    large_waiting: int = 8
    connections: int = 1_000
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    idle_seconds: float = 75.0
    stop_seconds: float = 30.0
    small_bytes: int = 32 << 10
