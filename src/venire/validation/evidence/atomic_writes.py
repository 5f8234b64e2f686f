"""Files that appear whole or not at all: written under another name, then given their own."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_atomically(path: Path | str, *parts: bytes | memoryview) -> None:
    """Write a file so that a reader sees the old one or the new one."""
    with _written(path, parts) as name:
        os.replace(name, path)


def write_once(path: Path | str, *parts: bytes | memoryview) -> bool:
    """Write a file unless there is one: of two who write at a time, the first one's stays. Whether it is ours."""
    with _written(path, parts) as name:
        try:
            os.link(name, path)
        except FileExistsError:
            return False
        except OSError:  # a disk without links: the time between looking and renaming is as short as can be
            if os.path.exists(path):
                return False
            os.replace(name, path)
    return True


@contextmanager
def _written(path: Path | str, parts: tuple[bytes | memoryview, ...]) -> Iterator[str]:
    """The parts in a file beside the goal, which is gone in the end, one way or the other."""
    handle, name = _beside(path)
    try:
        try:
            for part in parts:
                _write(handle, part)  # not synced: after a power cut a checksum tells
        finally:
            os.close(handle)
        yield name
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _beside(path: Path | str) -> tuple[int, str]:
    """A new file that nobody else writes to, readable by its owner."""
    folder, goal = os.path.split(path)
    name = os.path.join(folder, f".{goal}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        return os.open(name, _NEW, 0o600), name
    except FileExistsError:  # left by a process that was killed, or of another machine that shares the disk
        return tempfile.mkstemp(dir=folder or os.curdir, prefix=".", suffix=".part")


def _write(handle: int, part: bytes | memoryview) -> None:
    left = memoryview(part)
    while left:  # a system may take less than all of it
        left = left[os.write(handle, left) :]
