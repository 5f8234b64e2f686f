"""Jobs on disk: comparisons that the studio was asked for, waiting, running or ended.

    <home>/studio/jobs/<id>/job.json        what was asked, and when
    <home>/studio/jobs/<id>/started.json    when its process was begun
    <home>/studio/jobs/<id>/progress.json   how far it is, written by the process that works on it
    <home>/studio/jobs/<id>/end.json        how it ended
    <home>/studio/jobs/<id>/*.running       the sign of that process, locked while it lives

The files are all there is: a studio that is opened anew finds what another one began.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from venire.disk.locks import in_use
from venire.disk.regular_files import content
from venire.validation.evidence.atomic_writes import write_atomically

RUNNING_SIGN = ".running"
JOB, PROGRESS, END, STARTED = "job.json", "progress.json", "end.json", "started.json"
WAITING, RUNNING, DONE, STOPPED, FAILED = "waiting", "running", "done", "stopped", "failed"
FORGOTTEN = "forgotten"  # said of a job that is not there any more
_BEGINNING = 60.0  # seconds that a process may take to begin
_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)


@dataclass(frozen=True)
class Job:
    """One comparison that was asked for."""

    folder: Path

    @property
    def key(self) -> str:
        """Its name in addresses."""
        return self.folder.name

    @property
    def asked(self) -> dict[str, Any]:
        """What was asked: its recipe, and when."""
        return read_plain(self.folder / JOB)

    @property
    def state(self) -> str:
        """Waiting, running, done, stopped or failed. One whose process is gone without a word was stopped."""
        end = read_plain(self.folder / END).get("state")
        if isinstance(end, str):
            return end
        if in_use(self.folder, RUNNING_SIGN):
            return RUNNING
        begun = read_plain(self.folder / STARTED)
        if not begun:
            return WAITING
        return RUNNING if _is_beginning(begun) else STOPPED

    def document(self) -> dict[str, Any]:
        """All that a page shows of it."""
        state = self.state
        progress, end = read_plain(self.folder / PROGRESS), read_plain(self.folder / END)
        return {"id": self.key, "state": state, "progress": progress, **end, **_public(self.asked)}

    def again(self) -> None:
        """Have it wait again: what it computed is kept, and is not computed again."""
        for name in (END, PROGRESS, STARTED):
            (self.folder / name).unlink(missing_ok=True)

    def delete(self) -> None:
        """Forget it; the run it made stays."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class Jobs:
    """All jobs below a home, in the order they were asked for."""

    home: Path

    @property
    def _folder(self) -> Path:
        return self.home / "studio" / "jobs"

    def add(self, recipe: Mapping[str, Any], called: str, *, explain: bool = False) -> Job:
        """Write a job down; it waits for its turn. `explain`: with all pictures, however long they take."""
        job = Job(self._folder / secrets.token_hex(8))
        job.folder.mkdir(parents=True)
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        write_plain(job.folder / JOB, {"created": now, "called": called, "recipe": dict(recipe), "explain": explain})
        return job

    def find(self, key: str) -> Job | None:
        """The job of that name."""
        folder = self._folder / key
        return Job(folder) if is_key(key) and (folder / JOB).is_file() else None

    def all(self) -> list[Job]:
        """The oldest first."""
        found = [job for path in self._folder.glob("*") if (job := self.find(path.name))]
        return sorted(found, key=lambda job: str(job.asked.get("created")))


def is_key(text: str) -> bool:
    """Whether a text is the name of a job, of one that is there or not."""
    return _ID.fullmatch(text) is not None


def _is_beginning(begun: Mapping[str, Any]) -> bool:
    """Whether the process of a job may not have come to leave its sign yet."""
    pid, at = begun.get("pid"), begun.get("at")
    if not isinstance(pid, int) or not isinstance(at, float) or time.time() - at > _BEGINNING:
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def write_plain(path: Path, document: Mapping[str, Any]) -> None:
    """Keep a document; a reader sees the old one or the new one."""
    with suppress(FileNotFoundError):  # the job was deleted
        write_atomically(path, json.dumps(document).encode())


def read_plain(path: Path) -> dict[str, Any]:
    """A document, empty where there is none that can be read."""
    try:
        found = json.loads(content(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _public(asked: Mapping[str, Any]) -> dict[str, Any]:
    recipe = asked.get("recipe") or {}
    return {"created": asked.get("created"), "called": asked.get("called"), "target": recipe.get("target"),
            "budget": recipe.get("budget", 600.0),}  # fmt: skip
