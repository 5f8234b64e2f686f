"""Generated tables of any number of rows, in the shape of D1: 28 columns of single precision, two classes.

Rows come in stretches, each from a seed of its own, so that the first rows are the same however many there are, and no
more than a stretch is in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from venire.data.store.column import STRETCH, Stretches
from venire.data.store.stored_matrix import StoredMatrix
from venire.disk.checksums import checksum

COLUMNS = 28
AT_ONCE = 4 * STRETCH
_MIDDLE = 2.58  # about the median of the signal: classes of about the same size

Rows = NDArray[np.float32]
Classes = NDArray[np.int32]


def stretches(rows: int) -> Iterator[tuple[int, Rows, Classes]]:
    """Number of the first row, features [row, column] by columns, classes."""
    for begin in range(0, rows, AT_ONCE):
        x, y = _stretch(begin // AT_ONCE)
        some = min(AT_ONCE, rows - begin)
        yield begin, x[:some], y[:some]


def in_memory(rows: int) -> tuple[NDArray[np.float64], Classes]:
    """All of it as a table in memory has it: double precision, by columns."""
    X, y = np.empty((rows, COLUMNS), order="F"), np.empty(rows, np.int32)
    for begin, x, classes in stretches(rows):
        X[begin : begin + len(x)], y[begin : begin + len(x)] = x, classes
    return X, y


def write_store(rows: int, folder: Path) -> None:
    """A column store of it, as `venire compare` on files would make one, and the classes beside it."""
    if (folder / "sums.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sums: list[list[int]] = [[] for _ in range(COLUMNS)]
    with ExitStack() as open_files:
        files = [open_files.enter_context(_column(folder, j).open("wb")) for j in range(COLUMNS)]
        target = open_files.enter_context((folder / "target.i4").open("wb"))
        for _, x, classes in stretches(rows):
            for j, file in enumerate(files):
                column = np.ascontiguousarray(x[:, j])
                file.write(column.data)
                sums[j] += [checksum(column[at : at + STRETCH].data.cast("B")) for at in range(0, len(column), STRETCH)]
            target.write(classes.data)
    (folder / "sums.json").write_text(json.dumps(sums))


def read_store(rows: int, folder: Path) -> tuple[StoredMatrix, Classes]:
    """What was written."""
    sums = json.loads((folder / "sums.json").read_text())
    columns = tuple(Stretches(_column(folder, j), "<f4", rows, tuple(sums[j])) for j in range(COLUMNS))
    return StoredMatrix(columns, rows), np.fromfile(folder / "target.i4", np.int32)


def stretches_of_store(
    rows: int, folder: Path, columns: Sequence[int] = range(COLUMNS)
) -> Iterator[tuple[int, Rows, Classes]]:
    """Number of the first row, some features [row, column] by rows, classes: out of the files of a store."""
    target = np.fromfile(folder / "target.i4", np.int32, rows)
    for begin in range(0, rows, AT_ONCE):
        some = min(AT_ONCE, rows - begin)
        x = np.empty((some, len(columns)), np.float32)
        for place, j in enumerate(columns):
            x[:, place] = np.fromfile(_column(folder, j), np.float32, some, offset=4 * begin)
        yield begin, x, target[begin : begin + some]


def write_parquet(rows: int, folder: Path) -> None:
    """A folder of Parquet files of four million rows each."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    held: list[pa.Table] = []
    file = 0
    for begin, x, classes in stretches(rows):
        named = {f"x{j}": x[:, j] for j in range(COLUMNS)} | {"y": classes}
        held.append(pa.table({name: pa.array(np.ascontiguousarray(values)) for name, values in named.items()}))
        if len(held) == 4 or begin + len(x) == rows:
            parquet.write_table(pa.concat_tables(held), folder / f"{file:04d}.parquet")
            held, file = [], file + 1


def _column(folder: Path, j: int) -> Path:
    return folder / f"{j:05d}.f4"


def _stretch(number: int) -> tuple[Rows, Classes]:
    rng = np.random.default_rng([1, number])
    x = np.empty((AT_ONCE, COLUMNS), np.float32, order="F")
    for j in range(21):
        x[:, j] = rng.standard_normal(AT_ONCE, dtype=np.float32)
    x[:, 14:21] = np.abs(x[:, 14:21]) ** 1.5
    for j in range(21, COLUMNS):
        x[:, j] = rng.random(AT_ONCE, dtype=np.float32)
    z = _signal(x) - _MIDDLE
    return x, (z * 0.95 + rng.logistic(size=AT_ONCE) > 0).astype(np.int32)


def _signal(x: Rows) -> Rows:
    found = 2 * np.sin(np.pi * x[:, 21] * x[:, 22]) + 4 * (x[:, 23] - 0.5) ** 2 + x[:, 0] * x[:, 1]
    found += 0.8 * np.abs(x[:, 2]) + 0.9 * np.maximum(x[:, 3], x[:, 4]) - 0.7 * x[:, 14] * (x[:, 5] > 0)
    found += 0.6 * np.tanh(x[:, 6] * x[:, 7]) + 0.5 * x[:, 8] - 0.5 * x[:, 24] * x[:, 9] + 0.6 * np.cos(2 * x[:, 10])
    return np.asarray(found + 0.3 * x[:, 15])
