"""Tables that come through a pipe. A pipe can be read once and has no end to look at, and reading a table looks at its
bytes several times, so what it brings is first copied to a file in a folder only this user may enter.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import BinaryIO

from venire.data.readers.stored import Stored
from venire.errors import DataError, UsageError

STANDARD_INPUT = "standard input"
ENDING = ".pipe"  # of the copies: they have no name that would say what is in them
STDIN = Path("/dev/stdin")  # stands for it on every system
_NAMES = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_CHUNK = 1 << 20


def is_standard_input(name: str) -> bool:
    """Whether this name stands for what is piped into the process.

    >>> is_standard_input("-"), is_standard_input("./-")
    (True, False)
    """
    return name in _NAMES


def is_pipe(path: Path) -> bool:
    """Whether there is something at this path that can only be read from beginning to end."""
    return path == STDIN or path.is_fifo()


def on_disk(path: Path, folder: Path) -> Stored:
    """The file itself, or a copy in the folder of what a pipe brings."""
    if not is_pipe(path):
        return Stored(path, str(path))
    target = folder / f"{len(list(folder.iterdir()))}{ENDING}"
    if path != STDIN:
        with path.open("rb") as stream:
            return _copied(stream, target, str(path))
    return _copied(_standard_input(), target, STANDARD_INPUT)


def _standard_input() -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise DataError(
            "it is closed, so no table can come from it",
            code="no_standard_input",
            file=STANDARD_INPUT,
            hint="pipe a table in, or name a file",
        )
    if sys.stdin.isatty():
        raise UsageError(
            "it is a terminal, and no table was piped in",
            code="no_standard_input",
            file=STANDARD_INPUT,
            hint="put `cat table.csv |` before the command, or name the file instead of -",
        )
    return sys.stdin.buffer


def _copied(stream: BinaryIO, target: Path, shown: str) -> Stored:
    with target.open("wb") as copy:
        shutil.copyfileobj(stream, copy, _CHUNK)
    return Stored(target, shown)
