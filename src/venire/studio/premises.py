"""The folder that the studio works in: which tables are there, and the only place where a file may be opened.

What a request names is a path relative to the folder. It is resolved, links too, and has to lie below the folder.
Uploads get a name of ours and lie in the home of the runs.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venire.serve.refused import Refusal

TABLES = (".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".json", ".jsonl", ".ndjson",
          ".csv.gz", ".tsv.gz", ".txt.gz", ".jsonl.gz", ".csv.zst", ".tsv.zst", ".txt.zst", ".jsonl.zst")  # fmt: skip
_MOST_FILES = 300  # that are listed
_DEEPEST = 3  # folders below the folder
_LOOKED_AT = 20_000  # entries of folders
_NAME = re.compile(r"[^A-Za-z0-9._ -]+")


@dataclass(frozen=True)
class Premises:
    """A folder, the home of its runs, and how large an upload may be."""

    folder: Path
    home: Path
    upload_bytes: int

    def tables(self) -> list[dict[str, Any]]:
        """The tables below the folder, the newest first."""
        found: list[dict[str, Any]] = []
        for path in self._walked(self.folder, 0, [_LOOKED_AT]):
            facts = path.lstat()
            if stat.S_ISREG(facts.st_mode):
                found.append({"path": path.relative_to(self.folder).as_posix(), "bytes": facts.st_size,
                              "changed": facts.st_mtime})  # fmt: skip
        return sorted(found, key=lambda one: -float(one["changed"]))[:_MOST_FILES]

    def table(self, name: str) -> Path:
        """The table that a request names: an upload, or a file below the folder."""
        uploaded = self._uploads / name.removeprefix("uploads:")
        if name.startswith("uploads:"):
            if _clean(name.removeprefix("uploads:")) != name.removeprefix("uploads:") or not uploaded.is_file():
                raise _nowhere()
            return uploaded
        if not name or len(name) > 1000 or "\0" in name or name.startswith(("/", "~")) or "\\" in name:
            raise _nowhere()
        try:
            found = (self.folder / name).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise _nowhere() from None
        if not found.is_relative_to(self.folder) or not found.is_file() or found.is_relative_to(self.home):
            raise _nowhere()
        return found

    def shown(self, path: str) -> str:
        """A path as pages print it: relative to the folder where it lies below it."""
        found = Path(path)
        if found.is_relative_to(self._uploads):
            return found.name.partition("-")[2] or found.name
        return found.relative_to(self.folder).as_posix() if found.is_relative_to(self.folder) else found.name

    async def kept(self, name: str, stream: AsyncIterator[bytes]) -> str:
        """Write an upload as it arrives, and give the name that requests know it by."""
        clean = _clean(name)
        if not clean.lower().endswith(TABLES):
            raise Refusal(415, "wrong_type", "this is no table that the studio reads",
                          hint=f"tables end in {', '.join(TABLES)}")  # fmt: skip
        self._uploads.mkdir(parents=True, exist_ok=True)
        path = self._uploads / f"{secrets.token_hex(4)}-{clean}"
        written = 0
        try:
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                async for piece in stream:
                    written += len(piece)
                    if written > self.upload_bytes:
                        raise Refusal(413, "too_large", f"the file has more than {self.upload_bytes:,} bytes",
                                      hint="put it into the folder of the studio, or raise --max-upload")  # fmt: skip
                    file.write(piece)
            if not written:
                raise Refusal(400, "empty_file", "the file is empty")
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return f"uploads:{path.name}"

    def forget_upload(self, source: Any, used: set[str]) -> None:
        """Remove a table that was uploaded for a run, when no other one is made of it."""
        path = Path(source) if isinstance(source, str) else None
        if path is not None and path.parent == self._uploads and source not in used:
            path.unlink(missing_ok=True)

    def sweep(self, used: set[str], before: float) -> None:
        """Remove uploads that nothing was made of, and predictions that nobody has fetched, from before a moment."""
        for path in (*self._uploads.glob("*"), *self.predictions.glob("*")):
            with suppress(OSError):
                if str(path) not in used and path.lstat().st_mtime < before:
                    path.unlink()

    @property
    def predictions(self) -> Path:
        """Where predictions of files wait to be fetched."""
        return self.home / "studio" / "predicted"

    @property
    def _uploads(self) -> Path:
        return self.home / "studio" / "uploads"

    def _walked(self, folder: Path, depth: int, left: list[int]) -> list[Path]:
        found: list[Path] = []
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return []
        for entry in entries:
            left[0] -= 1
            if left[0] < 0 or entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir() and depth < _DEEPEST and entry.name not in ("node_modules", "__pycache__"):
                found += self._walked(Path(entry.path), depth + 1, left)
            elif entry.name.lower().endswith(TABLES):
                found.append(Path(entry.path))
        return found


def _clean(name: str) -> str:
    """A name without anything that leads elsewhere.

    >>> _clean("../../etc/pass wd.csv"), _clean(".csv")
    ('pass wd.csv', 'table.csv')
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    found = _NAME.sub("_", last)[-100:].strip(" ")
    return f"table{found}" if found.startswith(".") else found


def _nowhere() -> Refusal:
    return Refusal(404, "no_file", "there is no such table below the studio's folder")
