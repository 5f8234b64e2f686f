"""From what the caller named to files on disk, and what each file really is (by its first bytes, not its name)."""

from __future__ import annotations

import errno
import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from venire.data.columns.names import brief, near
from venire.data.readers.folders import files_of
from venire.data.readers.pipes import STANDARD_INPUT, STDIN, is_pipe, is_standard_input
from venire.errors import DataError, UsageError

_WILD = re.compile(r"[*?\[]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

_OLD_EXCEL = "an old Excel workbook (.xls), or one with a password"
_OTHERWISE = {_OLD_EXCEL: "save it as .xlsx without a password, or "}  # before the way out that all have

# First bytes → what it is. The first group is read, the rest is refused by name.
_READ = ((b"PAR1", "parquet"), (b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip"))
_REFUSED = (
    (b"\xd0\xcf\x11\xe0", _OLD_EXCEL),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"SQLite format 3", "an SQLite database"),
    (b"ARROW1", "an Arrow IPC (Feather) file"),
    (b"FEA1", "a Feather file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array file"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"ORC", "an ORC file"),
)

_JSON = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*[\"}]")


def resolve(source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files and pipes a path, a folder, a glob or a list of them stands for; a missing one is an error."""
    if isinstance(source, str | os.PathLike):
        return _expand(os.fspath(source))
    parts = [os.fspath(part) for part in source]
    if not parts:
        raise UsageError("the list of files is empty", hint="name at least one file")
    if sum(map(is_standard_input, parts)) > 1:
        raise UsageError(f"{STANDARD_INPUT} can be read once, and is named more often", hint="name - a single time")
    return [path for part in parts for path in _expand(part)]


def _expand(name: str) -> list[Path]:
    if _URL.match(name):
        raise DataError(
            "venire reads files, not addresses on the network",
            code="url",
            file=name,
            hint="download it first and give the path of the file",
        )
    path = STDIN if is_standard_input(name) else Path(name).expanduser()
    _refuse_what_is_no_path(path, name)
    if is_pipe(path):  # to open it only to see whether that works would take from it
        return [path]
    if not path.exists() and _WILD.search(name):
        found = sorted(Path(match) for match in glob.glob(str(path), recursive=True) if os.path.isfile(match))
        if not found:
            raise DataError(
                "no file matches this pattern", code="no_match", file=name, hint="check the folder and the ending"
            )
        return found
    files = files_of(path, name) if path.is_dir() else [path]
    for file in files:
        _require_file(file, name if file is path else str(file))
    return files


def _refuse_what_is_no_path(path: Path, name: str) -> None:
    """Raise for a text that cannot be a path, such as the table itself, and for a device or a socket."""
    try:
        mode = path.stat().st_mode if path != STDIN else 0
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno != errno.ENAMETOOLONG:
            return  # a pattern, or nothing that is there: said where the file is opened
        raise DataError(
            f"this is no path of a file ({getattr(error, 'strerror', None) or error})",
            code="missing_file",
            file=brief(name),
            hint="write the table to a file, or give a frame",
        ) from None
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        what = "socket" if stat.S_ISSOCK(mode) else "device"
        raise DataError(f"this is a {what}, not a file", code="not_a_file", file=name, hint="give the path of a file")


def _require_file(path: Path, name: str) -> None:
    if not path.exists():
        raise DataError(
            "there is no such file", code="missing_file", file=name, hint=_neighbours(path) or "check the path"
        )
    try:
        with path.open("rb"):
            pass
    except PermissionError:
        raise DataError(
            "this file may not be read", code="permission_denied", file=name, hint="check its permissions"
        ) from None


@contextmanager
def unchanged(paths: Iterable[Path]) -> Iterator[None]:
    """Reading looks at a file more than once; one that is written meanwhile would be a mixture, so it is an error."""
    before = {path: _marks(path) for path in paths if not is_pipe(path)}
    try:
        yield
    except DataError:  # the change may be what went wrong
        _require_marks(before)
        raise
    _require_marks(before)


def _marks(path: Path) -> tuple[int, ...] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _require_marks(before: dict[Path, tuple[int, ...] | None]) -> None:
    for path, marks in before.items():
        if _marks(path) != marks:
            raise DataError(
                "this file changed while it was read",
                code="changed_file",
                file=str(path),
                hint="wait until it is written, then try again",
            ) from None


def _neighbours(path: Path) -> str:
    try:
        alike = near(path.name, [entry.name for entry in path.parent.iterdir()])
    except OSError:
        return f"the folder {str(path.parent)!r} does not exist"
    return f"the folder has {', '.join(map(repr, alike))}" if alike else ""


def identify(path: Path, shown: str) -> str:
    """What the file is: parquet, gzip, zstd, zip or text. Known formats that venire does not read are refused."""
    with path.open("rb") as stream:
        start = stream.read(16)
    if not start:
        raise DataError("the file is empty", code="empty_file", file=shown, hint="check how it was written")
    for magic, what in _READ:
        if start.startswith(magic):
            return what
    for magic, what in _REFUSED:
        if start.startswith(magic):
            raise unsupported(what, shown)
    return "text"


def unsupported(what: str, shown: str) -> DataError:
    """The error for a known format that is not read."""
    hint = f"{_OTHERWISE.get(what, '')}export it as CSV or Parquet"
    return DataError(f"this is {what}, which venire does not read", code="unsupported_format", file=shown, hint=hint)


def begins_like_json(path: Path) -> bool:
    """Whether a text begins with an object, or an array of them: no header of a table does."""
    with path.open("rb") as stream:
        return _JSON.match(stream.read(256)) is not None
