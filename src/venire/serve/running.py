"""A server from its socket to its end: what it listens on, which signals it hears, and how it stops.

SIGHUP reads the model files anew. SIGTERM and Ctrl-C stop it: requests that are being answered are answered, and nobody
new is let in.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from venire.data import conform
from venire.data.spaced_rows import spaced_rows
from venire.errors import UsageError, VenireError
from venire.explain.shapley import MOST_BACKGROUND
from venire.serve.addresses import Allowed, Place, is_loopback
from venire.serve.application import Application
from venire.serve.counters import Counters
from venire.serve.desk import Desk
from venire.serve.limits import Limits
from venire.serve.log_lines import LogLines
from venire.serve.shelf import Shelf, named_files
from venire.serve.tokens import Token

LOOPBACK = "127.0.0.1"
_BACKLOG = 512
_SWITCH = 1e-3  # seconds after which a thread that computes lets another one read requests


@dataclass(frozen=True)
class Asked:
    """What a server is to be: which models, where, for whom.

    `host` is None for loopback. `hosts` are further names that clients know it by, `background` is a table of rows
    that stand for what is usual, for explanations.
    """

    files: Sequence[str]
    host: str | None = None
    port: int = 8000
    token: Token | None = None
    hosts: Sequence[str] = ()
    background: Path | None = None
    watch: bool = True
    quiet: bool = False
    limits: Limits = field(default_factory=Limits)

    @property
    def public(self) -> bool:
        """Whether others than this machine are let in."""
        place = None if self.host is None else Place.parsed(f"[{self.host}]" if ":" in self.host else self.host)
        return self.host is not None and (place is None or not is_loopback(place.host))


@dataclass(frozen=True)
class Running:
    """A server that listens."""

    port: int
    stop: Callable[[], None]  # may be called from any thread


def serve(asked: Asked, stream: TextIO | None = None, started: Callable[[Running], None] | None = None) -> int:
    """Serve until a signal asks to stop; the number of that signal.

    `stream` takes the log, stderr by default; `started` hears where the server listens, and how to stop it.
    """
    uvicorn = the_uvicorn()
    if asked.public and asked.token is None:
        raise UsageError("a server beyond loopback needs a token", code="no_token", hint="give one")
    log = LogLines(sys.stderr if stream is None else stream, requests=not asked.quiet)
    counters = Counters()
    line = listening(asked.host or LOOPBACK, asked.port)
    with contextlib.closing(line):
        port = line.getsockname()[1]
        shelf = Shelf(named_files(asked.files), asked.limits, counters, log)
        desk = Desk(shelf, asked.limits, counters, _backgrounds(shelf, asked.background))
        allowed = Allowed(port, asked.public, frozenset(places_of(asked.hosts)))
        application = Application(desk, allowed, asked.token, log)
        server = uvicorn_server(uvicorn, application, asked.limits)
        log.event(
            "start", host=asked.host or LOOPBACK, port=port, models=len(shelf.names), token=asked.token is not None
        )
        if started is not None:
            started(Running(port, lambda: setattr(server, "should_exit", True)))
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH)
        try:
            with threadpool_limits(1):  # a thread a prediction: the bits of linear algebra depend on their number
                number = asyncio.run(_until_stopped(server, line, shelf, watch=asked.watch))
        finally:
            sys.setswitchinterval(before)
            shelf.close()
            log.event("stop")
            log.flush()
    return number


def the_uvicorn() -> Any:
    """uvicorn with its fast parser, or the way to get them."""
    try:
        import httptools  # noqa: F401  # the protocol below needs it, and would fail in its own words
        import uvicorn
    except ModuleNotFoundError as error:
        raise UsageError(
            f"this needs the package {error.name}, which is not installed",
            code="missing_package",
            hint="install it with pip install 'venire[serve]'",
        ) from None
    return uvicorn


def listening(host: str, port: int) -> socket.socket:
    """A socket that nobody else has, before anything takes long."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        line = socket.socket(family, kind, protocol)
    except (socket.gaierror, UnicodeError, OverflowError):
        raise UsageError(f"there is no address {host!r}", code="no_address", hint="give one of this machine") from None
    try:
        if sys.platform != "win32":
            line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        line.bind(address)
        line.listen(_BACKLOG)
    except OSError as error:
        line.close()
        raise VenireError(
            f"port {port} of {host} cannot be had: {error.strerror or error}",
            code="port_busy",
            hint="stop the other server, or choose another --port",
        ) from None
    return line


def uvicorn_server(uvicorn: Any, application: Any, limits: Limits) -> Any:
    """uvicorn around an application, with our protocol and without its own ways of logging and stopping."""
    from venire.serve.wary_protocol import protocol_with

    config = uvicorn.Config(
        application,
        http=protocol_with(limits),
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=limits.stop_seconds,
    )

    class Server(uvicorn.Server):  # type: ignore[misc]  # imported late, so without types
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Ours are heard below: uvicorn would raise them again in the end."""
            yield

    return Server(config)


async def _until_stopped(server: Any, line: socket.socket, shelf: Shelf, *, watch: bool) -> int:
    loop = asyncio.get_running_loop()
    received: list[int] = []
    tasks: set[asyncio.Task[None]] = set()

    def stop(number: int, frame: FrameType | None) -> None:
        server.force_exit = bool(received)
        server.should_exit = True
        received.append(number)

    def reload(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(lambda: tasks.add(loop.create_task(shelf.reload())))

    if watch:
        tasks.add(loop.create_task(shelf.watch()))
    with handled({"SIGINT": stop, "SIGTERM": stop, "SIGHUP": reload}):
        await server.serve(sockets=[line])
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return received[0] if received else 0


@contextlib.contextmanager
def handled(handlers: dict[str, Any]) -> Iterator[None]:
    """Signals inside; none outside of the main thread, where Python has none."""
    there = {getattr(signal, name): handler for name, handler in handlers.items() if hasattr(signal, name)}
    if threading.current_thread() is not threading.main_thread():
        there = {}
    before = {number: signal.signal(number, handler) for number, handler in there.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def places_of(hosts: Sequence[str]) -> Iterator[Place]:
    """Hosts as their owner names them."""
    for text in hosts:
        place = Place.parsed(text)
        if place is None:
            raise UsageError(
                f"{text!r} is no host", code="bad_host", hint="write a name, perhaps with a port: a.example:80"
            )
        yield place


def _backgrounds(shelf: Shelf, path: Path | None) -> dict[str, NDArray[np.float64]]:
    if path is None:
        return {}
    found = {}
    for name in shelf.names:
        model = shelf[name].served.model
        rows = conform(path, model.columns_, reading=model.reading_).X
        found[name] = np.asfortranarray(rows[spaced_rows(len(rows), MOST_BACKGROUND)])
    return found
