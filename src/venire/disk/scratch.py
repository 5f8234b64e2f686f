"""Temporary folders that do not outlive their owner for long.

One is removed by whoever made it. Of a process that was killed it stays, and is removed by the next one that makes or
looks for such folders: the sign of its owner in it is no longer locked. No number of a process is trusted for this,
because containers that share a disk count their own.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from venire.disk.locks import in_use, marked, signs
from venire.errors import DataError

PREFIX = "venire-"
OWNER = ".owner"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder in the temporary one, for as long as this lasts."""
    sweep()
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with marked(folder, OWNER):
            yield folder


@contextmanager
def room_for_copies() -> Iterator[None]:
    """Say in one error that the temporary folder has no room, or is none."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            said = "there is no room for a copy of the table in the temporary folder"
        elif error.filename is None or Path(error.filename).parent == Path(tempfile.gettempdir()):
            said = "a copy of the table cannot be written to the temporary folder"
        else:
            raise
        raise DataError(
            f"{said} {tempfile.gettempdir()!r} ({error.strerror or error})",
            code="no_room",
            hint="make room there, or name another folder in the environment variable TMPDIR",
        ) from None


def sweep() -> list[Path]:
    """Remove the folders that killed processes left behind; those that were there."""
    left = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        # A folder without a sign is of somebody else, or so new that its owner has not signed yet.
        if not folder.is_symlink() and signs(folder, OWNER) and not in_use(folder, OWNER):
            shutil.rmtree(folder, ignore_errors=True)
            left.append(folder)
    return left
