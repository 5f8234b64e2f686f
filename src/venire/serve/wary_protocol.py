"""uvicorn's protocol of HTTP with what it lacks towards strangers: limits of the head, of its time and of connections.

uvicorn waits for ever for a head that does not end, has no limit to its size, takes a target that names another host,
and answers what is no HTTP in plain text. Here each of these has its limit and the one shape of errors.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from venire.serve.application import SAFE_HEADERS, refused_reply
from venire.serve.limits import Limits
from venire.serve.refused import Refusal

_PARTING = 1.0  # seconds in which a client that was refused may read why; what it sends is thrown away


def protocol_with(limits: Limits) -> type[HttpToolsProtocol]:
    """The class of protocol for a server with these limits."""

    class Limited(WaryProtocol):
        limits_ = limits

    return Limited


class WaryProtocol(HttpToolsProtocol):
    """One connection. What it refuses never reaches the application."""

    limits_ = Limits()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._trailers = 0
        self._in_head = True
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Someone is there; too many are sent away."""
        super().connection_made(transport)
        if len(self.connections) > self.limits_.connections:
            self._refuse(Refusal(503, "too_many_connections", "too many connections", headers=(("retry-after", "1"),)))
        else:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """They have gone."""
        self._stop_waiting()
        if self._closing is not None:
            self._closing.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes, which may begin, go on or end a head."""
        if self._refused:
            return
        if self._in_head:
            if self._head_timer is None:
                self._wait_for_head()
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > self.limits_.head_bytes and not self._refused:
            self._refuse(_large_head())

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header; what comes behind a body in chunks is none, and is dropped."""
        if len(self.headers) + self._trailers >= self.limits_.headers:
            self._refuse(_large_head())
            raise ValueError("too many headers")  # which ends the parsing of what came
        if self._in_head:
            super().on_header(name, value)
        else:
            self._trailers += 1

    def on_headers_complete(self) -> None:
        """The head is whole: it names a path of this server, and its size is known."""
        self._stop_waiting()
        self._in_head, self._head_bytes, self._trailers = False, 0, 0
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > self.limits_.head_bytes:
            self._refuse(_large_head())
            raise ValueError("large head")
        if not self.url.startswith(b"/"):
            self._refuse(Refusal(400, "bad_target", "the target of a request is a path of this server"))
            raise ValueError("no path")
        if self.parser.get_http_version() not in ("1.0", "1.1"):
            self._refuse(Refusal(505, "wrong_version", "this server speaks HTTP/1.1"))
            raise ValueError("another version")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is whole, and what follows is the head of another."""
        super().on_message_complete()
        self._in_head = True

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP at all, or was refused while it was parsed."""
        if not self._refused:
            self._refuse(Refusal(400, "bad_request", "this is no request of HTTP/1.1"))

    def _unsupported_upgrade_warning(self) -> None:
        """A wish for another protocol is passed over: the request is answered, and with it the connection ends."""
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def _wait_for_head(self) -> None:
        self._head_timer = self.loop.call_later(self.limits_.head_seconds, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _too_slow(self) -> None:
        self._head_timer = None
        if not self._head_bytes and self.cycle is None:
            self.transport.close()  # nothing was said, so nothing is answered
        else:
            self._refuse(Refusal(408, "slow_head", "the head of the request did not arrive in time"))

    def _refuse(self, refusal: Refusal) -> None:
        """Answer, and end the connection; what else arrives on it is not looked at."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        self._stop_waiting()
        reply = refused_reply(refusal, "own")
        head = [f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}".encode("ascii")]
        further = [(name.encode(), value.encode()) for name, value in refusal.headers]
        length = str(len(reply.body)).encode()
        known = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
        head += [name + b": " + value for name, value in (*known, *SAFE_HEADERS, *further)]
        self.transport.write(b"\r\n".join([*head, b"", reply.body]))
        if len(self.connections) > 2 * self.limits_.connections or not self.transport.can_write_eof():
            self.transport.close()
            return
        # Closed with bytes that nobody has read, a connection is reset, and its client may never see the answer.
        self.transport.write_eof()
        self._closing = self.loop.call_later(_PARTING, self.transport.close)


def _large_head() -> Refusal:
    return Refusal(431, "large_head", "the headers of the request are too large or too many")
