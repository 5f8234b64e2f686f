"""A table in parts that are read one after the other, each a source of its own: memory does not grow with the table.

Delimited text is cut into blocks of whole records. Parquet and JSON go through a database on disk. A workbook and a
frame are in memory anyway, and are one part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from venire.data.columns.raw import Source
from venire.data.readers import staging
from venire.data.readers.blocks import BLOCK_BYTES
from venire.data.readers.delimited import delimited_chunks
from venire.data.readers.files import resolve, unchanged
from venire.data.readers.sources import Options, is_paths, open_whole, rows_of, staged
from venire.data.readers.stored import in_slices
from venire.disk.scratch import room_for_copies, scratch_folder
from venire.errors import DataError

SLICE_ROWS = 1 << 17
DATABASE_MEMORY = "512MB"


@contextmanager
def open_chunks(
    source: Any, options: Options, as_text: Collection[str] = (), *, block_bytes: int = BLOCK_BYTES
) -> Iterator[Iterator[Source]]:
    """The sources in the order of the rows. One at a time is open: the next closes it."""
    with scratch_folder() as folder:
        sources = _sources(source, options, as_text, folder, block_bytes)
        try:
            yield _one_at_a_time(sources, str(resolve(source)[0]) if is_paths(source) else None)
        finally:
            sources.close()


def _one_at_a_time(sources: Iterator[Source], shown: str | None) -> Iterator[Source]:
    """Each source is closed before the next is made; a table without a row is an error."""
    found: Source | None = None
    while True:
        with room_for_copies():
            following = next(sources, None)
        if following is None:
            break
        found = following
        try:
            yield found
        finally:
            found.close()
    if found is None:
        raise DataError("the table has no rows", code="header_only", file=shown, hint="check how it was written")


def _sources(
    source: Any, options: Options, as_text: Collection[str], folder: Path, block_bytes: int
) -> Any:  # a generator, which is closed
    if not is_paths(source):
        yield open_whole(source, options, as_text, folder)
        return
    paths = resolve(source)
    with unchanged(paths):
        yield from _in_parts(paths, options, as_text, folder, block_bytes)


def _in_parts(
    paths: list[Path], options: Options, as_text: Collection[str], folder: Path, block_bytes: int
) -> Iterator[Source]:
    files, form = staged(paths, options, folder)
    if form == "xlsx":
        yield open_whole([file.path for file in files], options, as_text, folder)
    elif form == "parquet":
        yield from in_slices(files, form, options.missing, SLICE_ROWS, folder, DATABASE_MEMORY)
    else:
        plain = [
            staging.make_plain(file.path, folder, file.shown, options.encoding, in_blocks=form == "csv")
            for file in files
        ]
        if form == "json":
            rows = [rows_of(part) for part in plain]
            yield from in_slices(rows, form, options.missing, SLICE_ROWS, folder, DATABASE_MEMORY)
        else:
            for part in plain:
                yield from delimited_chunks(part, options.given, options.missing, as_text, block_bytes)
