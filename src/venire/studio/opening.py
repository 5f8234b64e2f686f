"""The studio from its socket to its end: where it listens, the address that is opened, and how it stops."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from venire.errors import UsageError
from venire.serve.addresses import Allowed, Place, is_loopback
from venire.serve.limits import MEGABYTE, Limits
from venire.serve.log_lines import LogLines
from venire.serve.running import LOOPBACK, handled, listening, places_of, the_uvicorn, uvicorn_server
from venire.serve.tokens import Token
from venire.studio.front import Front
from venire.studio.gate import Gate
from venire.studio.routes.every_route import routes
from venire.studio.workshop import Workshop

_STOP_SECONDS = 10.0
_LIMITS = Limits(head_seconds=10.0, connections=200, stop_seconds=2.0)


@dataclass(frozen=True)
class Wanted:
    """What a studio is to be: which folder, where, for whom. `host` is None for loopback."""

    folder: Path
    home: Path
    token: Token
    host: str | None = None
    port: int = 8750
    hosts: Sequence[str] = ()
    upload_bytes: int = 1024 * MEGABYTE
    quiet: bool = True


@dataclass(frozen=True)
class Open:
    """A studio that listens: the address with the token, and how to stop it from any thread."""

    address: str
    port: int
    stop: Callable[[], None]


def studio(wanted: Wanted, stream: TextIO | None = None, opened: Callable[[Open], None] | None = None) -> int:
    """Keep the studio open until a signal asks to stop; the number of that signal."""
    uvicorn = the_uvicorn()
    folder = wanted.folder.resolve()
    if not folder.is_dir():
        raise UsageError("this is no folder", code="no_folder", file=str(wanted.folder), hint="name a folder")
    log = LogLines(sys.stderr if stream is None else stream, requests=not wanted.quiet)
    line = listening(wanted.host or LOOPBACK, wanted.port)
    with contextlib.closing(line):
        port = line.getsockname()[1]
        allowed = Allowed(port, _public(wanted.host), frozenset(places_of(wanted.hosts)))
        address = f"http://{_written(wanted.host)}:{port}/?token={wanted.token.secret.decode()}"
        number = asyncio.run(_until_stopped(uvicorn, wanted, folder, (allowed, log), line, opened, address))
        log.flush()
    return number


async def _until_stopped(
    uvicorn: Any,
    wanted: Wanted,
    folder: Path,
    gate: tuple[Allowed, LogLines],
    line: Any,
    opened: Callable[[Open], None] | None,
    address: str,
) -> int:
    allowed, log = gate
    workshop = Workshop.at(folder, wanted.home.resolve(), wanted.upload_bytes)
    workshop.sweep()
    front = Front(Gate(allowed, wanted.token), routes(workshop), log)
    server = uvicorn_server(uvicorn, front, _LIMITS)
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        server.force_exit = bool(received)
        server.should_exit = True
        received.append(number)

    looking_after = asyncio.get_running_loop().create_task(workshop.queue.keep_going())
    if opened is not None:
        opened(Open(address, allowed.port, lambda: setattr(server, "should_exit", True)))
    with handled({"SIGINT": stop, "SIGTERM": stop}):
        await server.serve(sockets=[line])
    looking_after.cancel()
    await asyncio.gather(looking_after, return_exceptions=True)
    await workshop.live.close()
    await workshop.queue.close(_STOP_SECONDS)
    return received[0] if received else 0


def show_in_browser(address: str) -> None:
    """Open the address, where there is a browser to open it in."""
    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(address)


def _public(host: str | None) -> bool:
    place = None if host is None else Place.parsed(f"[{host}]" if ":" in host else host)
    return host is not None and (place is None or not is_loopback(place.host))


def _written(host: str | None) -> str:
    if host is None or host in ("0.0.0.0", "::"):
        return LOOPBACK
    return f"[{host}]" if ":" in host else host
