"""The studio as an ASGI application: who may ask, which route it is, what it answers, and what is noted of it.

The order is fixed, for every route and every method: host and origin, then the token or the cookie, then the route,
then its body. What is not listed is refused. Logs have patterns of routes and words, never a path, a name or a value.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

from venire.errors import VenireError
from venire.serve.application import UNKNOWN, ClientGone, Receive, Send, headers_of, refused_reply
from venire.serve.limits import MEGABYTE
from venire.serve.log_lines import LogLines
from venire.serve.refused import Refusal
from venire.serve.request_reply import Reply, Request
from venire.studio.gate import SAFE, Gate
from venire.studio.page_words import error_facts

_BODY = MEGABYTE  # of a document; tables come as streams
_BODY_SECONDS = 30.0
_QUIET_SECONDS = 60.0  # of an upload, between two pieces
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    ("x-content-type-options", "nosniff"),
    ("content-security-policy", POLICY),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
)


@dataclass(frozen=True)
class Stream:
    """An answer that goes on: events, or the parts of a file. `length` is known of files."""

    parts: AsyncIterator[bytes]
    media_type: str
    length: int | None = None
    headers: tuple[tuple[str, str], ...] = ()


class Visit(NamedTuple):
    """A request that was let in: the parts of its path, its query, its body, and for uploads the stream of it."""

    parts: tuple[str, ...]
    request: Request
    stream: AsyncIterator[bytes] | None = None


Answer = Reply | Stream
Handler = Callable[[Visit], Awaitable[Answer]]


@dataclass(frozen=True)
class Route:
    """A pattern of paths, a method, and who answers; `streamed` bodies are handed on as they arrive."""

    method: str
    label: str
    handler: Handler
    streamed: bool = False
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        kinds = {"{key}": "([0-9a-f]{8,16})", "{other}": "([0-9a-f]{8,16})", "{file}": r"([a-z0-9_]+\.[a-z]{2,7})"}
        text = self.label
        for name, kind in kinds.items():
            text = text.replace(name, kind)
        object.__setattr__(self, "pattern", re.compile(text, re.ASCII))


class Front:
    """Answers requests. Call it as ASGI servers do."""

    def __init__(self, gate: Gate, routes: Sequence[Route], log: LogLines) -> None:
        self._gate = gate
        self._routes = routes
        self._log = log

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """One connection of any kind; only requests of HTTP are answered."""
        if scope["type"] != "http":
            raise RuntimeError(f"the studio speaks HTTP, and no {scope['type']}")
        began = perf_counter()
        label, code, status = UNKNOWN, None, 499
        found, parts = self._found(scope["raw_path"].decode("latin-1"))
        if found:
            label = found[0].label
        try:
            answer = await self._answer(found, parts, scope, receive)
        except Refusal as refusal:
            answer, code = _refused(refusal, scope), refusal.code
        except VenireError as error:
            answer, code = refused_reply(_told(error), "own"), error.code
        except ClientGone:
            answer, code = None, "client_gone"
        except Exception as error:  # a defect of ours: the client hears that, and nothing about it
            self._log.event("defect", route=label, kind=type(error).__name__)
            answer, code = refused_reply(Refusal(500, "internal", "the studio failed"), "own"), "internal"
        if isinstance(answer, Reply):
            status = answer.status
            await _replied(answer, send)
        elif answer is not None:
            status = 200
            await _streamed(answer, receive, send)
        method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "DELETE") else "other"
        self._log.request(label, method, status, perf_counter() - began, code, 0)

    def _found(self, path: str) -> tuple[list[Route], tuple[str, ...]]:
        """The routes of a path, one for each method; no other spelling leads to one."""
        found: list[Route] = []
        parts: tuple[str, ...] = ()
        for route in self._routes:
            match = route.pattern.fullmatch(path)
            if match is not None:
                found.append(route)
                parts = match.groups()
        return found, parts

    async def _answer(
        self, found: list[Route], parts: tuple[str, ...], scope: Mapping[str, Any], receive: Receive
    ) -> Answer:
        headers = headers_of(scope["headers"])
        self._gate.check_address(headers)
        try:
            query = scope["query_string"].decode("ascii")
        except UnicodeDecodeError:
            raise Refusal(400, "bad_query", "the query has signs beyond ASCII") from None
        method = scope["method"]
        if scope["raw_path"] == b"/" and method == "GET" and self._gate.admits(query):
            return Reply(b"", "text/plain", 303, 0, (("location", "/"), ("set-cookie", self._gate.set_cookie)))
        self._gate.check_asker(method, headers)
        if not found:
            raise Refusal(404, "no_route", "there is nothing under this path")
        wanted = "GET" if method in SAFE else method
        routes = [route for route in found if route.method == wanted]
        if not routes:
            allowed = ", ".join(sorted({route.method for route in found}))
            raise Refusal(405, "wrong_method", f"this path takes {allowed}", headers=(("allow", allowed),))
        if routes[0].streamed:
            visit = Visit(parts, Request(method, query, headers, b""), pieces(headers, receive))
        else:
            body = await _body(headers, receive)
            if wanted in SAFE and body:
                raise Refusal(400, "unwanted_body", "a GET has no body")
            visit = Visit(parts, Request(method, query, headers, body))
        return await routes[0].handler(visit)


def _refused(refusal: Refusal, scope: Mapping[str, Any]) -> Reply:
    """A refusal as a document; whoever opens the first page without the token gets a sentence to read."""
    found = refused_reply(refusal, "own")
    if refusal.code != "no_token" or scope["raw_path"] != b"/":
        return found
    text = f"<!doctype html><html lang=en><title>venire studio</title><p>{refusal.message}: {refusal.hint}.</p></html>"
    return found._replace(body=text.encode(), media_type="text/html; charset=utf-8")


def _told(error: VenireError) -> Refusal:
    """What the reading of a table or a question found wrong, with the way out."""
    message, hint = Refusal.of(error).message, error_facts(error)["hint"]
    line = getattr(error, "line", None)
    return Refusal(400, error.code, message if line is None else f"line {line}: {message}", hint=hint)


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes:
    parts = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for piece in pieces(headers, receive):
                parts += piece
                if len(parts) > _BODY:
                    raise Refusal(413, "too_large", f"the body has more than {_BODY:,} bytes")
    except TimeoutError:
        raise Refusal(408, "slow_body", "the body did not arrive in time") from None
    return bytes(parts)


async def pieces(headers: Mapping[str, str], receive: Receive) -> AsyncIterator[bytes]:
    """The body as it arrives; one that stops arriving is not waited for."""
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise Refusal(415, "wrong_encoding", "the body is compressed", hint="send it as it is")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal()) or len(length) > 18:
        raise Refusal(400, "bad_length", "the content length is no number")
    while True:
        try:
            message = await asyncio.wait_for(receive(), _QUIET_SECONDS)
        except TimeoutError:
            raise Refusal(408, "slow_body", "the body did not arrive in time") from None
        if message["type"] == "http.disconnect":
            raise ClientGone
        if piece := message.get("body", b""):
            yield piece
        if not message.get("more_body"):
            return


async def _replied(reply: Reply, send: Send) -> None:
    own = {name for name, _ in reply.headers}
    kept = [pair for pair in _HEADERS if pair[0] not in own]
    named = [("content-type", reply.media_type), ("content-length", str(len(reply.body))), *kept, *reply.headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": _encoded(named)})
    await send({"type": "http.response.body", "body": reply.body})


async def _streamed(answer: Stream, receive: Receive, send: Send) -> None:
    """Send the parts until they end, or until whoever asked has gone."""
    length = [] if answer.length is None else [("content-length", str(answer.length))]
    named = [("content-type", answer.media_type), *length, *_HEADERS, *answer.headers]
    await send({"type": "http.response.start", "status": 200, "headers": _encoded(named)})
    gone = asyncio.ensure_future(_disconnected(receive))
    parts = aiter(answer.parts)
    try:
        while True:
            following = asyncio.ensure_future(anext(parts))
            await asyncio.wait({following, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                following.cancel()
                return
            try:
                await send({"type": "http.response.body", "body": following.result(), "more_body": True})
            except StopAsyncIteration:
                break
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _encoded(pairs: Sequence[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
