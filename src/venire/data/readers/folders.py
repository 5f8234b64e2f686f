"""A folder as one table: the data files in it and below it, in the order of their paths."""

from __future__ import annotations

import os
from pathlib import Path

from venire.errors import DataError

_BESIDE = ("_", ".")  # what other programs put beside data: _SUCCESS, _metadata, .part-0.parquet.crc
_DATA = (".parquet", ".pq", ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson")
_PACKED = (".gz", ".zst")


def files_of(folder: Path, name: str) -> list[Path]:
    """The files of a folder that hold rows. Files of another kind are an error: nothing is left out without a word."""
    found: list[Path] = []
    for where, folders, files in os.walk(folder, onerror=lambda error: _refuse(error, name)):
        folders[:] = [each for each in folders if not each.startswith(_BESIDE)]
        found += [Path(where, each) for each in files if not each.startswith(_BESIDE)]
    found.sort(key=lambda path: path.relative_to(folder).parts)
    if not found:
        raise DataError(
            "there is no file with rows in this folder",
            code="empty_folder",
            file=name,
            hint="give a folder of Parquet, CSV or JSON files; names that begin with _ or . do not count",
        )
    for path in found:
        if not is_data(path):
            raise DataError(
                "this file of the folder is no table by its ending",
                code="mixed_formats",
                file=str(path),
                hint=f"move it away, or give a pattern such as {os.path.join(name, '*' + _commonest(found))!r}",
            )
    return found


def is_data(path: Path) -> bool:
    """Whether the ending is one of a table.

    >>> is_data(Path("day=1/part-0.parquet")), is_data(Path("rows.csv.gz")), is_data(Path("README.md"))
    (True, True, False)
    """
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in _PACKED:
        endings.pop()
    return bool(endings) and endings[-1] in _DATA


def _commonest(paths: list[Path]) -> str:
    """The ending that most of the tables have."""
    endings = ["".join(path.suffixes[-2:] if path.suffix in _PACKED else path.suffixes[-1:]) for path in paths]
    known = [ending for ending, path in zip(endings, paths, strict=True) if is_data(path)]
    return max(sorted(set(known)), key=known.count) if known else ".csv"


def _refuse(error: OSError, name: str) -> None:
    where = str(error.filename or name)
    raise DataError("this folder may not be read", code="permission_denied", file=where, hint="check its permissions")
