"""From whatever the caller has (a path, a glob, a frame, arrays) to a source of columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from venire.data.columns.missing import Missing
from venire.data.columns.raw import Source
from venire.data.readers import staging
from venire.data.readers.beside import Values, is_values, row_labels, with_values
from venire.data.readers.delimited import read_delimited
from venire.data.readers.files import begins_like_json, identify, resolve, unchanged, unsupported
from venire.data.readers.frames import is_frame, read_array, read_frame
from venire.data.readers.oriented import as_rows
from venire.data.readers.pipes import ENDING, on_disk
from venire.data.readers.sniff import Given
from venire.data.readers.stored import Stored, read_json, read_parquet
from venire.data.readers.unpacking import Limit, decompress
from venire.data.readers.workbook import is_workbook, read_workbook
from venire.disk.scratch import room_for_copies, scratch_folder
from venire.errors import DataError, UsageError


@dataclass(frozen=True)
class Options:
    """How to read; everything left alone is found out."""

    missing: Missing = field(default_factory=Missing)
    given: Given = field(default_factory=Given)
    encoding: str | None = None
    max_unpacked: float | None = None  # in gigabytes
    sheet: str | int | None = None  # of a workbook
    lean: bool = False  # column by column, or through a database on disk: the table does not fit into memory

    def __post_init__(self) -> None:
        Limit(self.max_unpacked)  # a limit that is none is said before a file is looked for


@contextmanager
def open_source(
    source: Any, options: Options, parts: Mapping[str, Any], as_text: Collection[str] = ()
) -> Iterator[tuple[Source, dict[str, str]]]:
    """The source, and the name of the column that plays each part; `parts` has names or values, one a row."""
    if isinstance(source, tuple) and len(source) == 2 and not _is_paths(source):
        source, parts = source[0], _with_y(parts, source[1])
    with ExitStack() as stack:
        with room_for_copies():
            folder = stack.enter_context(scratch_folder())
            opened = open_whole(source, options, as_text, folder)
        stack.callback(opened.close)
        if is_paths(source):  # columns may still be in their files
            stack.enter_context(unchanged(resolve(source)))
        yield with_values(opened, parts, row_labels(source))


def _with_y(parts: Mapping[str, Any], y: Any) -> Mapping[str, Any]:
    """The parts with `y` of (X, y) as the target, which may have been given a name."""
    name = parts.get("target")
    if y is None:
        return parts
    if is_values(name):
        raise UsageError("the target was given twice, as y of (X, y) and as target", hint="leave one of them out")
    return {**parts, "target": Values(y, "y", None if name is None else str(name))}


def open_whole(source: Any, options: Options, as_text: Collection[str], folder: Path) -> Source:
    """All of the table as one source; copies that have to be made are in the folder."""
    if is_paths(source):
        paths = resolve(source)
        with unchanged(paths):
            return _read_files(paths, options, as_text, folder)
    if is_frame(source):
        return read_frame(source, options.missing)
    if isinstance(source, np.ndarray | list | tuple) or hasattr(source, "toarray"):
        return read_array(source, options.missing)
    raise UsageError(
        f"cannot read a table from {type(source).__name__}",
        hint="give a path, a pattern, a list of paths, a pandas, polars or Arrow frame, an array, or (X, y)",
    )


def is_paths(source: object) -> bool:
    """Whether these are names of files, one or several."""
    return isinstance(source, str | os.PathLike) or _is_paths(source)


def _is_paths(source: object) -> bool:
    return (
        isinstance(source, Sequence)
        and not isinstance(source, str | bytes)
        and all(isinstance(part, str | os.PathLike) for part in source)
    )


def staged(paths: list[Path], options: Options, folder: Path) -> tuple[list[Stored], str]:
    """The files on disk and without their compression, and the format that all of them have."""
    given = [on_disk(path, folder) for path in paths]
    unpacked = [_unpacked(file, folder, Limit(options.max_unpacked)) for file in given]
    forms = [form for _, form in unpacked]
    if len(set(forms)) > 1:
        odd = next(file for file, form in zip(given, forms, strict=True) if form != forms[0])
        raise DataError(
            f"this is not a {forms[0]} file like {given[0].shown}",
            code="mixed_formats",
            file=odd.shown,
            hint="read files of one format at a time",
        )
    if options.sheet is not None and forms[0] != "xlsx":
        raise UsageError(f"sheet={options.sheet!r} is for Excel workbooks, and this is {forms[0]}", hint="leave it out")
    return [file for file, _ in unpacked], forms[0]


def _read_files(paths: list[Path], options: Options, as_text: Collection[str], folder: Path) -> Source:
    files, form = staged(paths, options, folder)
    if form == "xlsx":
        return _read_workbook(files, options)
    database = folder / "staged.duckdb" if options.lean else None
    if form == "parquet":
        return read_parquet(files, options.missing, database)
    plain = [staging.make_plain(file.path, folder, file.shown, options.encoding) for file in files]
    if form == "json":
        return read_json([rows_of(part) for part in plain], options.missing, database)
    return read_delimited(plain, options.given, options.missing, as_text, database)


def _unpacked(file: Stored, folder: Path, limit: Limit) -> tuple[Stored, str]:
    """The file without its compression, and its format: parquet, xlsx, json or csv."""
    path, shown = file.path, file.shown
    what = identify(path, shown)
    plain = path
    if what in ("gzip", "zstd"):
        plain = decompress(path, what, folder, shown, limit)
        what = identify(plain, shown)
    if what in ("gzip", "zstd"):
        raise DataError("this file is compressed twice", code="unsupported_format", file=shown, hint="unpack it once")
    if what == "zip":
        if not is_workbook(plain, shown):
            raise unsupported("a zip archive", shown)
        return Stored(plain, shown), "xlsx"
    return Stored(plain, shown), what if what == "parquet" else _form_of_text(plain, path, shown)


def _read_workbook(files: list[Stored], options: Options) -> Source:
    if len(files) > 1:
        raise DataError(
            f"{len(files)} workbooks are named, and one workbook at a time is read",
            code="mixed_formats",
            file=files[1].shown,
            hint="put their rows into one sheet, or export them as CSV or Parquet",
        )
    limit = Limit(options.max_unpacked)
    return read_workbook(files[0], options.missing, sheet=options.sheet, header=options.given.header, limit=limit)


def rows_of(part: staging.Plain) -> Stored:
    """A JSON file with one object a row, whichever way the table is written in it."""
    path, notes = as_rows(part)
    return Stored(path, part.shown, (*part.notes, *notes))


def _form_of_text(plain: Path, path: Path, shown: str) -> str:
    endings = {ending.lower() for ending in path.suffixes}
    if endings & {".parquet", ".pq"}:
        raise DataError(
            "the file is called Parquet but does not begin like one",
            code="truncated_parquet",
            file=shown,
            hint="fetch or write it again",
        )
    if endings & {".json", ".jsonl", ".ndjson"} or (ENDING in endings and begins_like_json(plain)):
        return "json"
    return "csv"
