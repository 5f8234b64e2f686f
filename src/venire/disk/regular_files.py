"""Reading files of which nobody knows whether they are files: a pipe would wait for ever, a device has no end."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO

_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class NotAFile(OSError):
    """There is something of that name, and it is a folder, a pipe, a device or a socket."""


def opened(path: Path | str) -> IO[bytes]:
    """The file of that name, to be read."""
    handle = os.open(path, os.O_RDONLY | _NO_WAIT)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotAFile(f"{path} is no regular file")
    return os.fdopen(handle, "rb")


def content(path: Path | str) -> bytes:
    """All that is in the file of that name."""
    with opened(path) as file:
        return file.read()
