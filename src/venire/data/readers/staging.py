"""Make a text file plain: UTF-8, with line ends DuckDB accepts. Untouched files are read in place."""

from __future__ import annotations

import codecs
import mmap
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from venire.advice import Advice, Option
from venire.data.readers.duck import said_by
from venire.data.table import Note
from venire.errors import DataError, UsageError

_HEAD = 1 << 16
_CHUNK = 1 << 22
# UTF-32 before UTF-16: its mark begins with the other's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PRINTABLE = bytes({*range(32, 127), *range(128, 256), 9, 10, 11, 12, 13, 27})


@dataclass(frozen=True)
class Plain:
    """A file of plain UTF-8 text, and where it came from."""

    path: Path
    shown: str  # the name the user knows it by
    encoding: str
    folder: Path  # for further copies; removed after reading
    notes: tuple[Note, ...] = ()


def new_file(folder: Path, ending: str) -> Path:
    """The path of a file that is not there yet."""
    return folder / f"{len(list(folder.iterdir()))}.{ending}"


def make_plain(path: Path, folder: Path, shown: str, encoding: str | None = None, *, in_blocks: bool = False) -> Plain:
    """Find the encoding and copy the file as UTF-8 when it is written in another one.

    Who reads it `in_blocks` looks for NUL bytes in each (`refuse_nul`): the file is then not gone through here.
    """
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if not head.strip():
        raise DataError("the file is empty", code="empty_file", file=shown, hint="check how it was written")
    chosen = _known(encoding) if encoding else _guess(head, shown)
    plain = Plain(path, shown, "utf-8" if chosen == "utf-8-sig" else chosen, folder)
    if chosen not in ("utf-8", "utf-8-sig", "ascii"):
        plain = transcoded(plain, chosen, guessed=encoding is None)
    if not in_blocks:
        refuse_nul(plain)
    if b"\r" in head and b"\n" not in head:
        plain = with_plain_line_ends(plain)
    return plain


def transcoded(plain: Plain, encoding: str, *, guessed: bool) -> Plain:
    """A copy of the file as UTF-8."""
    target = new_file(plain.folder, "utf8")
    try:
        with (
            plain.path.open(encoding=encoding, newline="") as text,
            target.open("w", encoding="utf-8", newline="") as out,
        ):
            shutil.copyfileobj(text, out, _CHUNK)
    except UnicodeError as error:
        raise DataError(
            f"the text is not valid {encoding} ({said_by(error)})",
            code="encoding",
            file=plain.shown,
            hint=Advice("name the encoding it is written in, for example ", Option("encoding", "latin-1")),
        ) from None
    notes = plain.notes
    if guessed and encoding == "cp1252":
        notes = (*notes, Note("encoding", f"{plain.shown} is not UTF-8; it was read as Windows-1252 (cp1252)"))
    return replace(plain, path=target, encoding=encoding, notes=notes)


def with_plain_line_ends(plain: Plain) -> Plain:
    r"""A copy whose lines all end in \n: DuckDB refuses files that mix line ends."""
    target = new_file(plain.folder, "lines")
    with plain.path.open(encoding="utf-8") as text, target.open("w", encoding="utf-8", newline="\n") as out:
        shutil.copyfileobj(text, out, _CHUNK)
    return replace(plain, path=target)


def line_at(path: Path, position: int) -> int:
    """The number of the line that holds this byte (or, from a line end, of the next line with something on it)."""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        while position < len(data) and data[position] in b"\r\n":
            position += 1
        return 1 + sum(data[start : min(start + _CHUNK, position)].count(b"\n") for start in range(0, position, _CHUNK))


def longest_line(path: Path, enough: int) -> int:
    """The length of the longest line, or `enough` when none is longer; hops over the file, at next to no cost."""
    longest, position = enough, 0
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        while len(data) - position > enough:
            end = data.rfind(b"\n", position, position + enough)
            if end < 0:
                end = data.find(b"\n", position)
                end = len(data) if end < 0 else end
                longest = max(longest, end - position)
            position = end + 1
    return longest


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise UsageError(
            f"there is no encoding {encoding!r}", hint="for example utf-8, utf-16, cp1252 or latin-1"
        ) from None


def _guess(head: bytes, shown: str) -> str:
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > 0.3 * len(head) and min(even, odd) < 0.01 * len(head):
        return "utf-16-le" if odd > even else "utf-16-be"
    if len(head.translate(None, _PRINTABLE)) > 0.02 * len(head):
        raise DataError(
            "this is a binary file, not a table of text",
            code="binary_file",
            file=shown,
            hint="venire reads CSV, TSV, JSON, Parquet and Excel (.xlsx)",
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def refuse_nul(plain: Plain) -> None:
    """Raise for a byte that no text has."""
    with plain.path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        position = data.find(b"\0")
    if position >= 0:
        raise DataError(
            "the line holds a NUL byte, which no text file should",
            code="nul_bytes",
            file=plain.shown,
            line=line_at(plain.path, position),
            hint="the file is damaged or not a text file; write it again",
        )
