"""What a store holds beside its columns: the rest of the table, as plain JSON and a few arrays, with checksums.

<store>/table.json      a checksum, then columns, target and the account of the reading
<store>/00000.f4 …      the columns, one a file (column.py)
<store>/target.bin …    the target; groups, time and weights where there are any
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.store.column import Stretches, damaged
from venire.data.store.column_writer import room_in
from venire.data.store.stored_matrix import StoredMatrix
from venire.data.table import Column, Kind, LeftOut, Note, Reading, Table, Target, Task
from venire.disk.checksums import checksum
from venire.disk.regular_files import content

FORMAT = "venire columns 1"
FILE = "table.json"
_PARTS = ("groups", "time", "weights")


def write_contents(table: Table, folder: Path) -> None:
    """Write what is not in the columns, whose files are in the folder."""
    assert isinstance(table.X, StoredMatrix)
    assert table.target is not None
    arrays = {"target": table.target.values, **{part: getattr(table, part) for part in _PARTS}}
    with room_in(folder):
        there = {name: values for name, values in arrays.items() if values is not None}
        kept = {name: _write_array(values, folder / f"{name}.bin") for name, values in there.items()}
        facts = {
            "format": FORMAT,
            "rows": table.rows,
            "digest": table.fingerprint(),
            "matrix": [{"file": c.path.name, "scalar": c.scalar, "sums": c.sums} for c in table.X.columns],
            "arrays": kept,
            "columns": [asdict(column) for column in table.columns],
            "target": {
                "name": table.target.name,
                "task": table.target.task,
                "classes": [c.item() if isinstance(c, np.generic) else c for c in table.target.classes],
                "positive": table.target.positive,
                "categorical": table.target.categorical,
            },
            "left_out": [asdict(out) for out in table.left_out],
            "notes": [asdict(note) for note in table.notes],
            "rows_without_target": table.rows_without_target,
            "source": table.source,
            "reading": asdict(table.reading),
        }
        text = json.dumps(facts).encode()
        (folder / FILE).write_bytes(b"%08x\n" % checksum(text) + text)


def read_contents(folder: Path) -> Table:
    """The table of a store; its columns stay in their files."""
    path = folder / FILE
    try:
        sign, _, text = content(path).partition(b"\n")
    except OSError as error:
        raise damaged(path, error.strerror or str(error)) from None
    if sign != b"%08x" % checksum(text):
        raise damaged(path, "its checksum is another")
    facts = json.loads(text)
    rows, target = facts["rows"], facts["target"]
    columns = tuple(Stretches(folder / c["file"], c["scalar"], rows, tuple(c["sums"])) for c in facts["matrix"])
    arrays: dict[str, Any] = {name: _read_array(folder / f"{name}.bin", kept) for name, kept in facts["arrays"].items()}
    return Table(
        X=StoredMatrix(columns, rows),  # type: ignore[arg-type]  # stands where an array would
        columns=tuple(map(_column, facts["columns"])),
        target=Target(
            target["name"],
            Task(target["task"]),
            arrays.pop("target"),
            tuple(target["classes"]),
            target["positive"],
            target["categorical"],
        ),
        left_out=tuple(map(_left_out, facts["left_out"])),
        notes=tuple(Note(**note) for note in facts["notes"]),
        rows_without_target=facts["rows_without_target"],
        source=facts["source"],
        reading=_reading(facts["reading"]),
        _digest=[facts["digest"]],
        **arrays,
    )


def _column(facts: Mapping[str, Any]) -> Column:
    return Column(**{**facts, "kind": Kind(facts["kind"]), "categories": tuple(facts["categories"])})


def _left_out(facts: Mapping[str, Any]) -> LeftOut:
    return LeftOut(facts["name"], None if facts["kind"] is None else Kind(facts["kind"]), facts["reason"])


def _reading(facts: Mapping[str, Any]) -> Reading:
    listed = tuple((name, tuple(texts)) for name, texts in facts["missing_by_column"])
    texts = {name: tuple(facts[name]) for name in ("files", "missing", "missing_in_numbers")}
    return Reading(**{**facts, **texts, "missing_by_column": listed})


def _write_array(values: NDArray[Any], path: Path) -> dict[str, Any]:
    kept = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    view = kept.data.cast("B")
    path.write_bytes(view)
    return {"scalar": kept.dtype.str, "rows": len(kept), "sum": checksum(view)}


def _read_array(path: Path, kept: Mapping[str, Any]) -> NDArray[Any]:
    try:
        values = np.fromfile(path, kept["scalar"])
    except OSError as error:
        raise damaged(path, error.strerror or str(error)) from None
    if len(values) != kept["rows"] or checksum(values.data.cast("B")) != kept["sum"]:
        raise damaged(path, "it is not what was written")
    return values
