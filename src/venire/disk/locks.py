"""Locks that end with their process, however it ends: the system gives them back.

Only exclusive locks on files of their own, which every system has. Where a disk has none (some network disks), nobody
is kept out: whoever asks for a lock goes on without one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PAUSE = 0.05  # seconds between two tries
_SIGNING = 60.0  # seconds for which an empty sign counts as one that is about to be locked


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of that name, which may mean to wait for it; its file stays."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        while not _taken(handle):
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)  # closing gives it back


@contextmanager
def marked(folder: Path, ending: str) -> Iterator[None]:
    """A locked file in a folder, under a name of its own, for as long as this lasts: a sign that it is in use."""
    path = folder / f"{os.getpid()}-{os.urandom(4).hex()}{ending}"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _taken(handle)
        os.write(handle, b"locked\n")
        yield
    finally:
        os.close(handle)
        with suppress(OSError):  # the folder may be gone
            path.unlink()


def in_use(folder: Path, ending: str) -> bool:
    """Whether a living process holds a sign in the folder; signs of dead ones say nothing."""
    return any(_is_held(path) for path in signs(folder, ending))


def signs(folder: Path, ending: str) -> list[Path]:
    """The signs in a folder, those of dead processes among them; none where it is gone, or not ours to look into."""
    try:
        return [folder / name for name in os.listdir(folder) if name.endswith(ending)]
    except OSError:
        return []


def _is_held(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
    except OSError:  # gone by now, or not ours to open: then it is not ours to delete either
        return path.exists()
    try:
        facts = os.fstat(handle)
        if not facts.st_size and time.time() - facts.st_mtime < _SIGNING:
            return True
        return not _taken(handle)
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _taken(handle: int) -> bool:
        """Lock an open file unless somebody else has."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(handle: int) -> bool:
        """Lock an open file unless somebody else has."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a disk without locks
            return True
        return True
