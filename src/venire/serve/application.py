"""The server as an ASGI application: who may ask, which route it is, what it answers, and what is noted of it.

The order is fixed, for every route and every method: host and origin, token, route, body, and only then the route's own
work. What is not listed is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from time import perf_counter
from typing import Any, Final, NamedTuple

from venire.serve.addresses import Allowed
from venire.serve.counters import Counters
from venire.serve.desk import Desk
from venire.serve.limits import Limits
from venire.serve.log_lines import LogLines
from venire.serve.refused import Refusal, error_document
from venire.serve.request_reply import Reply, Request
from venire.serve.routes import invocations, open_inference, own_routes
from venire.serve.tokens import Token

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Handler = Callable[[Desk, str, Request], Awaitable[Reply]]

SAFE_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
_ONCE = {
    "host", "origin", "authorization", "content-type", "content-length", "content-encoding", "transfer-encoding",
    "sec-fetch-site", "cookie",
}  # fmt: skip  # two of one of these could be read in two ways
UNKNOWN = "unknown"  # the route of a request that has none: paths of strangers are not logged


class Route(NamedTuple):
    """Where a path leads: `label` is its pattern, `name` the model, `shape` how its errors look."""

    label: str
    name: str
    method: str
    handler: Handler
    shape: str = "own"
    open: bool = False  # asked without the token: whether the server is there, and nothing else


class Application:
    """Answers requests. Call it as ASGI servers do."""

    def __init__(self, desk: Desk, allowed: Allowed, token: Token | None, log: LogLines) -> None:
        self._desk = desk
        self._allowed = allowed
        self._token = token
        self._log = log
        self._limits: Limits = desk.limits
        self._counters: Counters = desk.counters
        self._routes = dict(routes(desk.shelf.names))

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """One connection of any kind; only requests of HTTP are answered."""
        if scope["type"] != "http":
            raise RuntimeError(f"this server speaks HTTP, and no {scope['type']}")
        began = perf_counter()
        route = self._routes.get(scope["raw_path"].decode("latin-1"), _NOWHERE)  # no other spelling leads to a route
        self._counters.in_flight += 1
        code: str | None = None
        reply: Reply | None = None
        try:
            reply = await self._reply(route, scope, receive)
        except Refusal as refusal:
            reply, code = refused_reply(refusal, route.shape), refusal.code
        except ClientGone:
            code = "client_gone"
        except Exception as error:  # a defect of ours: the client hears that, and nothing about it
            self._log.event("defect", route=route.label, kind=type(error).__name__)
            reply, code = refused_reply(Refusal(500, "internal", "the server failed"), route.shape), "internal"
        finally:
            self._counters.in_flight -= 1
        if reply is not None:
            await _sent(reply, send)
        seconds, status = perf_counter() - began, 499 if reply is None else reply.status
        self._counters.answered(route.label, status, seconds)
        method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST") else "other"
        self._log.request(route.label, method, status, seconds, code, 0 if reply is None else reply.rows)

    async def _reply(self, route: Route, scope: Mapping[str, Any], receive: Receive) -> Reply:
        headers = headers_of(scope["headers"])
        host = headers.get("host")
        if host is None:
            raise Refusal(400, "no_host", "the request names no host")
        self._allowed.check(host, headers.get("origin"), headers.get("sec-fetch-site"))
        if self._token is not None and not route.open:
            self._token.check(headers.get("authorization"))
        if route is _NOWHERE:
            raise Refusal(
                404, "no_route", "there is nothing under this path", hint="GET /openapi.json lists what there is"
            )
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if method != route.method:
            raise Refusal(
                405, "wrong_method", f"this path takes {route.method} alone", headers=(("allow", route.method),)
            )
        body = await self._body(headers, receive)
        if method == "GET" and body:
            raise Refusal(400, "unwanted_body", "a GET has no body")
        try:
            query = scope["query_string"].decode("ascii")
        except UnicodeDecodeError:
            raise Refusal(400, "bad_query", "the query has signs beyond ASCII") from None
        return await route.handler(self._desk, route.name, Request(method, query, headers, body))

    async def _body(self, headers: Mapping[str, str], receive: Receive) -> bytes:
        """All of the body, refused as soon as it is known to be too large; a slow one is not waited for."""
        most = self._limits.body_bytes
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or len(length) > 18:
            raise Refusal(400, "bad_length", "the content length is no number")
        if int(length) > most:
            raise _too_large(most)
        message = await receive()
        if message["type"] == "http.request" and not message.get("more_body"):
            body: bytes = message.get("body", b"")
            if len(body) > most:
                raise _too_large(most)
            return body
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                return await _rest_of_body(message, receive, most)
        except TimeoutError:
            raise Refusal(408, "slow_body", "the body did not arrive in time") from None


class ClientGone(Exception):
    """Whoever asked has gone before the answer."""


async def _rest_of_body(message: Message, receive: Receive, most: int) -> bytes:
    parts = bytearray()
    while True:
        if message["type"] == "http.disconnect":
            raise ClientGone
        parts += message.get("body", b"")
        if len(parts) > most:
            raise _too_large(most)
        if not message.get("more_body"):
            return bytes(parts)
        message = await receive()


def _too_large(most: int) -> Refusal:
    return Refusal(413, "too_large", f"the body has more than {most:,} bytes", hint="send several requests")


def headers_of(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers by their names; what could be read in two ways is refused."""
    found: dict[str, str] = {}
    for name, value in pairs:
        key = name.decode("latin-1")
        if key in found and key in _ONCE:
            raise Refusal(400, "repeated_header", f"the header {key} is there twice")
        found[key] = value.decode("latin-1")
    return found


def refused_reply(refusal: Refusal, shape: str) -> Reply:
    """A refusal as an answer."""
    headers = (*refusal.headers, *((("connection", "close"),) if refusal.closes else ()))
    return Reply.of(error_document(refusal, shape), status=refusal.status)._replace(headers=headers)


async def _sent(reply: Reply, send: Send) -> None:
    further = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
    headers = [
        (b"content-type", reply.media_type.encode("ascii")),
        (b"content-length", str(len(reply.body)).encode("ascii")),
        *SAFE_HEADERS,
        *further,
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


async def _nothing(desk: Desk, name: str, request: Request) -> Reply:
    raise AssertionError("there is no route to this")


_NOWHERE = Route(UNKNOWN, "", "GET", _nothing)


def routes(names: list[str]) -> Iterable[tuple[str, Route]]:
    """Every path there is. Those without a name are of the first model."""
    own, v2, first = own_routes, open_inference, names[0]
    for path, handler, is_open in (
        ("/ping", own.health, True),
        ("/health", own.health, True),
        ("/version", own.server_version, False),
        ("/metrics", own.metrics, False),
        ("/openapi.json", own.openapi, False),
        ("/models", own.models, False),
    ):
        yield path, Route(path, first, "GET", handler, "own", is_open)
    for path, handler, is_open in (
        ("/v2", v2.server, False),
        ("/v2/health/live", v2.live, True),
        ("/v2/health/ready", v2.ready, True),
    ):
        yield path, Route(path, first, "GET", handler, "v2", is_open)
    for name in names:
        yield f"/models/{name}", Route("/models/{name}", name, "GET", own.model)
        yield from _of_model("v2", f"/v2/models/{name}", "/v2/models/{name}", name)
        yield from _of_model("own", f"/models/{name}", "/models/{name}", name)
    yield from _of_model("own", "", "", first)


def _of_model(kind: str, path: str, label: str, name: str) -> Iterable[tuple[str, Route]]:
    if kind == "own":
        yield f"{path}/predict", Route(f"{label}/predict", name, "POST", own_routes.predict)
        yield f"{path}/explain", Route(f"{label}/explain", name, "POST", own_routes.explain)
        yield f"{path}/invocations", Route(f"{label}/invocations", name, "POST", invocations.invocations, "mlflow")
    else:
        yield path, Route(label, name, "GET", open_inference.metadata, "v2")
        yield f"{path}/ready", Route(f"{label}/ready", name, "GET", open_inference.model_ready, "v2")
        yield f"{path}/infer", Route(f"{label}/infer", name, "POST", open_inference.infer, "v2")
