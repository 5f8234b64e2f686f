"""The processes behind open pages: begun when first asked, ended when others need their place."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

from venire.serve.refused import Refusal
from venire.studio.kept_models import MODEL, kept_file

_MOST = 2  # at a time: each holds a table
_SECONDS = 120.0  # for an answer
_LONGEST = 64 << 20  # bytes of one


class LiveProcesses:
    """Asks the process of a run, one question after the other."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._held: OrderedDict[str, _Process] = OrderedDict()

    async def ask(self, key: str, what: str, given: dict[str, Any]) -> Any:
        """The answer of the process of a run."""
        process, fitted = self._held.get(key), _fitted(self._home, key)
        if process is None or process.ended or process.fitted != fitted:
            others = [self._held.pop(key)] if process is not None else []
            while len(self._held) >= _MOST:
                others.append(self._held.popitem(last=False)[1])
            process = self._held[key] = _Process(self._home, key, fitted)  # before anybody else may ask for it
            for other in others:
                await other.end()
        self._held.move_to_end(key)
        said = await process.ask({"what": what, "with": given})
        if "error" in said:
            error = said["error"]
            raise Refusal(500 if error["code"] == "internal" else 400, error["code"], error["message"],
                          hint=error["hint"])  # fmt: skip
        return said["answer"]

    async def forget(self, key: str) -> None:
        """End the process of a run, whose files change."""
        if process := self._held.pop(key, None):
            await process.end()

    async def close(self) -> None:
        """End them all."""
        for key in list(self._held):
            await self.forget(key)


def _fitted(home: Path, key: str) -> int:
    """When the model of a run was written; a process holds the model of one such moment."""
    path = kept_file(home / "runs" / key, MODEL)
    return 0 if path is None else path.stat().st_mtime_ns


class _Process:
    """One process; whoever asks waits for those before."""

    def __init__(self, home: Path, key: str, fitted: int) -> None:
        self.fitted = fitted
        self._home = home
        self._arguments = (sys.executable, "-m", "venire.studio.live_process", str(home), key)
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self.ended = False

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        async with self._turn:
            if self._process is None:
                self._process = await asyncio.create_subprocess_exec(
                    *self._arguments,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,
                    cwd=self._home,
                    limit=_LONGEST,
                    start_new_session=True,
                )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            try:
                self._process.stdin.write(json.dumps(question).encode() + b"\n")
                await self._process.stdin.drain()
                line = await asyncio.wait_for(self._process.stdout.readline(), _SECONDS)
                found: dict[str, Any] = json.loads(line)
            except TimeoutError:
                await self.end()
                raise Refusal(503, "too_slow", "this takes too long for a page") from None
            except (OSError, ValueError):
                await self.end()
                raise Refusal(500, "internal", "the process of this run ended") from None
            return found

    async def end(self) -> None:
        self.ended = True
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
