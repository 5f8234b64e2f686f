"""The models in service, each under its name. A changed file takes the place of the old one between two requests."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from venire.errors import UsageError, VenireError
from venire.serve.batching import Batcher
from venire.serve.counters import Counters
from venire.serve.limits import Limits
from venire.serve.log_lines import LogLines
from venire.serve.served_model import ServedModel, loaded

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_LOOKS = 2.0  # seconds between two looks at the files

Stamp = tuple[int, int, int]


@dataclass(frozen=True, eq=False, slots=True)
class Shelved:
    """A model, and where its rows wait. Requests hold on to the one they began with."""

    served: ServedModel
    batcher: Batcher


class Shelf:
    """Models by name, the first one of which answers where no name is given."""

    def __init__(self, files: Mapping[str, Path], limits: Limits, counters: Counters, log: LogLines) -> None:
        self._files = dict(files)
        self._limits = limits
        self._counters = counters
        self._log = log
        self.pool = ThreadPoolExecutor(max_workers=max(2, len(files)), thread_name_prefix="venire-model")
        self._reading = asyncio.Lock()
        self._stamps = {name: _stamp(path) for name, path in self._files.items()}
        self._shelved = {name: self._ready(loaded(name, path)) for name, path in self._files.items()}

    @property
    def names(self) -> list[str]:
        """In the order of the command line."""
        return list(self._files)

    def __getitem__(self, name: str) -> Shelved:
        return self._shelved[name]

    def versions(self) -> list[tuple[str, str]]:
        """Every model with its version."""
        return [(name, held.served.version) for name, held in self._shelved.items()]

    async def reload(self) -> None:
        """Read every file anew; what cannot be read leaves its model as it was."""
        async with self._reading:
            for name, path in self._files.items():
                await self._reload(name, path)

    async def watch(self) -> None:
        """Look at the files for ever, and read anew those that changed."""
        while True:
            await asyncio.sleep(_LOOKS)
            async with self._reading:
                for name, path in self._files.items():
                    if _stamp(path) not in (None, self._stamps[name]):
                        await self._reload(name, path)

    def close(self) -> None:
        """Let go of the threads."""
        self.pool.shutdown(wait=False, cancel_futures=True)

    async def _reload(self, name: str, path: Path) -> None:
        stamp = _stamp(path)
        result = "same"
        code: str | None = None
        try:
            served = await asyncio.get_running_loop().run_in_executor(self.pool, loaded, name, path)
        except VenireError as error:
            result, code = "failed", error.code
        else:
            if served.checksum != self._shelved[name].served.checksum:
                self._shelved[name] = self._ready(served)
                result = "changed"
        self._stamps[name] = stamp
        self._counters.reloads[name, result] += 1
        self._log.event("reload", model=name, result=result, version=self._shelved[name].served.version, code=code)

    def _ready(self, served: ServedModel) -> Shelved:
        return Shelved(served, Batcher(served, self._limits, self._counters, self.pool))


def named_files(files: Sequence[str]) -> dict[str, Path]:
    """Model files by name: `name=path`, or a path whose file gives the name.

    >>> named_files(["bank.venire", "new=models/b2.venire"])["new"].name
    'b2.venire'
    """
    found: dict[str, Path] = {}
    for text in files:
        given, equals, rest = text.partition("=")
        name, path = (given, Path(rest)) if equals and _NAME.fullmatch(given) else (Path(text).stem, Path(text))
        name = name if _NAME.fullmatch(name) else re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-._")[:64] or "model"
        if name in found:
            raise UsageError(
                f"two models are called {name!r}", code="same_name", hint="give one of them another name: NAME=FILE"
            )
        found[name] = path
    return found


def _stamp(path: Path) -> Stamp | None:
    """What changes with a file; its content decides whether the model did."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
