"""Tables that a JSON file holds as one object: pandas' default `to_json`, its "index" and "split", one list a column.

        {"size": {"0": 1.5, "1": 2.5}, "ok": {"0": true, "1": false}}
        {"0": {"size": 1.5, "ok": true}, "1": {"size": 2.5, "ok": false}}
        {"columns": ["size", "ok"], "index": [0, 1], "data": [[1.5, true], [2.5, false]]}
        {"size": [1.5, 2.5], "ok": [true, false]}

They are written again as one object a row, which is what the reader of JSON takes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from venire.data.columns.names import brief
from venire.data.readers.staging import Plain, new_file
from venire.data.table import Note
from venire.errors import DataError

MOST_OBJECT = 100_000_000  # bytes of one object, here and in DuckDB's reader
_HEAD = 1 << 16
_NESTED = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[\[{]')
_SPLIT = {"columns", "index", "data"}
_HINT = "write one object a row: with pandas, to_json(orient='records', lines=True)"


def as_rows(plain: Plain) -> tuple[Path, tuple[Note, ...]]:
    """The file itself; or one with an object a row, and a note, where it holds the whole table in one object."""
    table = _only_object(plain.path)
    if not table or not all(isinstance(entry, dict | list) for entry in table.values()):
        return plain.path, ()
    how, rows = _rows(table, plain.shown)
    target = new_file(plain.folder, "jsonl")
    with target.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return target, (Note("json_orientation", f"{plain.shown} holds one object with {how}; it was read as rows"),)


def _only_object(path: Path) -> dict[str, Any] | None:
    """The object a file consists of; None of a file with several, and where finding out is the reader's to fail at."""
    with path.open("rb") as stream:
        if not _NESTED.match(stream.read(_HEAD)) or path.stat().st_size > MOST_OBJECT:
            return None
    text = path.read_text(encoding="utf-8-sig").strip()
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return found if end == len(text) and isinstance(found, dict) else None


def _rows(table: dict[str, Any], shown: str) -> tuple[str, Iterator[Mapping[str, Any]]]:
    if set(table) == _SPLIT and all(isinstance(entry, list) for entry in table.values()):
        return "columns and data (pandas' split)", _of_split(table, shown)
    if all(isinstance(entry, dict) and _flat(entry.values()) for entry in table.values()):
        if _numbered(table) and not _numbered(next(iter(table.values()))):
            return "an entry a row (pandas' index)", iter(table.values())
        return "an entry a column (pandas' default)", _of_columns(table, shown)
    if all(isinstance(entry, list) and _flat(entry) for entry in table.values()):
        return "a list a column", _of_lists(table, shown)
    entries = "1 entry" if len(table) == 1 else f"{len(table):,} entries"
    raise _problem(f"the file is one JSON object of {entries}, and they do not make the columns of a table", shown)


def _numbered(entries: Mapping[str, Any]) -> bool:
    """Whether the keys are those of pandas' own index: 0, 1, 2 and so on."""
    return all(key == str(place) for place, key in enumerate(entries))


def _flat(values: Any) -> bool:
    return not any(isinstance(value, dict | list) for value in values)


def _of_columns(table: dict[str, dict[str, Any]], shown: str) -> Iterator[Mapping[str, Any]]:
    first, rows = next(iter(table.items()))
    for name, column in table.items():
        for less, more, key in ((name, first, rows.keys() - column.keys()), (first, name, column.keys() - rows.keys())):
            if key:
                said = f"{brief(less)} lacks {brief(min(key))}, which {brief(more)} has"
                raise _problem(f"its columns have different rows: {said}", shown)
    return ({name: column[key] for name, column in table.items()} for key in rows)


def _of_lists(table: dict[str, list[Any]], shown: str) -> Iterator[Mapping[str, Any]]:
    first, rows = next(iter(table.items()))
    for name, column in table.items():
        if len(column) != len(rows):
            said = f"{brief(first)} has {len(rows):,} and {brief(name)} has {len(column):,}"
            raise _problem(f"its columns have different rows: {said}", shown)
    return (dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True))


def _of_split(table: dict[str, list[Any]], shown: str) -> Iterator[Mapping[str, Any]]:
    names, data = [str(name) for name in table["columns"]], table["data"]
    odd = next((row for row in data if not isinstance(row, list) or len(row) != len(names)), None)
    if odd is not None:
        found = f"{len(odd):,} values" if isinstance(odd, list) else "no list of values"
        raise _problem(f"a row of its data has {found} for {len(names):,} columns", shown)
    return (dict(zip(names, row, strict=True)) for row in data)


def _problem(message: str, shown: str) -> DataError:
    return DataError(message, code="bad_json", file=shown, hint=_HINT)
