"""What a server did, as lines of JSON on stderr: when, what, how long; never a value, a name of a column or a token.

A line is made of what this module lets through, so that nobody can log a body by mistake. Lines are written together a
few times a second.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TextIO

_PAUSE = 0.2  # seconds between two writings
_MOST = 10_000  # lines kept; with a reader that has stopped, further ones are counted only


class LogLines:
    """Writes to a stream; a reader who has gone stops no server."""

    def __init__(self, stream: TextIO, *, requests: bool = True) -> None:
        self._stream = stream
        self._requests = requests
        self._lines: list[str] = []
        self._lost = 0
        self._planned = False

    def request(self, route: str, method: str, status: int, seconds: float, code: str | None, rows: int) -> None:
        """One request; those that went well are left out where the log is to be quiet."""
        if self._requests or status >= 500:
            self._add(
                "request",
                route=route,
                method=method,
                status=status,
                ms=round(1000 * seconds, 3),
                rows=rows,
                **({} if code is None else {"code": code}),
            )

    def event(self, event: str, **facts: str | int | float | None) -> None:
        """Something that happens to the server, such as a model that was read anew."""
        self._add(event, **facts)

    def flush(self) -> None:
        """Write what is kept."""
        self._planned = False
        if self._lost:
            self._lines.append(_line("lost_lines", count=self._lost))
        lines, self._lines, self._lost = self._lines, [], 0
        if lines:
            try:
                self._stream.write("\n".join(lines) + "\n")
                self._stream.flush()
            except (OSError, ValueError):  # nobody reads it any more
                self._requests = False

    def _add(self, event: str, **facts: str | int | float | None) -> None:
        if len(self._lines) >= _MOST:
            self._lost += 1
            return
        self._lines.append(_line(event, **facts))
        if not self._planned:
            try:
                asyncio.get_running_loop().call_later(_PAUSE, self.flush)
                self._planned = True
            except RuntimeError:  # before or after the loop
                self.flush()


def _line(event: str, **facts: str | int | float | None) -> str:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"time": now, "event": event, **facts})
