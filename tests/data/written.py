"""A small table, written to a file in any dress and told again when it was read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from venire.data import Kind, Task
from venire.data.table import Table

ROWS = [(i * 0.5, "uv"[i % 2], "pqr"[i % 3]) for i in range(30)]
CSV = "a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in ROWS)


def write(path: Path, content: str | bytes) -> Path:
    """The path, with this content."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def codes(table: Table) -> set[str]:
    """Of all notes."""
    return {note.code for note in table.notes}


def assert_is_the_table(table: Table) -> None:
    """Is it `ROWS`, with the target in the last column?"""
    assert [(c.name, c.kind) for c in table.columns] == [("a", Kind.NUMERIC), ("b", Kind.CATEGORICAL)]
    assert table.columns[1].categories == ("u", "v")
    assert table.X[:, 0].tolist() == [a for a, _, _ in ROWS]
    assert table.X[:, 1].tolist() == [float("uv".index(b)) for _, b, _ in ROWS]
    assert table.X.flags.f_contiguous
    assert table.X.dtype == np.float64
    assert table.target is not None
    assert table.target.task is Task.CLASSIFICATION
    assert table.target.classes == ("p", "q", "r")
    assert [table.target.classes[code] for code in table.y] == [y for _, _, y in ROWS]
