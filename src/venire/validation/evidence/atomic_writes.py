"""Files that appear whole or not at all: written under another name, then given their own."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

OWN, SHARED = 0o600, 0o666  # readable by its owner; by whoever the umask lets
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_atomically(path: Path | str, *parts: bytes | memoryview, mode: int = OWN) -> None:
    """Write a file so that a reader sees the old one or the new one."""
    with _written(path, parts, mode) as name:
        os.replace(name, path)


def write_once(path: Path | str, *parts: bytes | memoryview) -> bool:
    """Write a file unless there is one: of two who write at a time, the first one's stays. Whether it is ours."""
    with _written(path, parts, OWN) as name:
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
def _written(path: Path | str, parts: tuple[bytes | memoryview, ...], mode: int) -> Iterator[str]:
    """The parts in a file beside the goal, which is gone in the end, one way or the other."""
    handle, name = _beside(path, mode)
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


def _beside(path: Path | str, mode: int) -> tuple[int, str]:
    """A new file that nobody else writes to."""
    folder, goal = os.path.split(path)
    for turn in count():
        name = os.path.join(folder, f".{goal}.{os.getpid()}-{threading.get_ident()}-{turn}.part")
        # One that is there was left by a process that was killed, or is of another machine that shares the disk.
        with suppress(FileExistsError):
            return os.open(name, _NEW, mode), name
    raise AssertionError("there is always a next number")


def _write(handle: int, part: bytes | memoryview) -> None:
    left = memoryview(part)
    while left:  # a system may take less than all of it
        left = left[os.write(handle, left) :]
