"""Asking an application directly, and a server by its socket."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.serve.conftest import PORT, Set

Pairs = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """The body as JSON, strictly."""
        return json.loads(self.body, parse_constant=lambda name: pytest_fail(name))


def pytest_fail(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


@dataclass(frozen=True)
class Asked:
    """A request to an application."""

    path: str
    body: bytes = b""
    method: str = "POST"
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    query: str = ""
    host: str | None = f"127.0.0.1:{PORT}"
    parts: int = 1

    @classmethod
    def json(cls, path: str, value: Any, **more: Any) -> Asked:
        """A request with a document."""
        return cls(path, json.dumps(value).encode(), **more)

    @classmethod
    def get(cls, path: str, **more: Any) -> Asked:
        """A request without a body."""
        return cls(path, **{"method": "GET", "headers": (), **more})


def with_token(asked: Asked, token: str) -> Asked:
    return Asked(**{**asked.__dict__, "headers": (*asked.headers, ("authorization", f"Bearer {token}"))})


async def asked_async(application: Any, asked: Asked) -> Answer:
    """One request."""
    size = max(1, -(-len(asked.body) // asked.parts))
    pieces = [asked.body[at : at + size] for at in range(0, len(asked.body), size)] or [b""]
    sent: list[Mapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        body = pieces.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(pieces)}

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    host = () if asked.host is None else (("host", asked.host),)
    headers = [(name.lower().encode("latin-1"), value.encode("utf-8")) for name, value in (*host, *asked.headers)]
    scope = {
        "type": "http", "method": asked.method, "path": asked.path, "raw_path": asked.path.encode("latin-1"),
        "query_string": asked.query.encode("utf-8"), "headers": headers,
    }  # fmt: skip
    await application(scope, receive, send)
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], found, sent[1]["body"])


def ask(held: Set, asked: Asked) -> Answer:
    """One request, in a loop of its own."""
    return asyncio.run(asked_async(held.application, asked))


def raw(port: int, data: bytes, *, seconds: float = 20.0) -> bytes:
    """Bytes sent as they are, and all that comes back until the other side ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line:
        found = b""
        try:
            line.sendall(data)
            while piece := line.recv(1 << 16):
                found += piece
        except ConnectionError:  # the server ended it while we were still writing
            pass
        return found


def split(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    """The first answer among these bytes: status, headers, body."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(first.split()[1]), headers, body[: int(headers.get("content-length", len(body)))]
