from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from venire.data.read import read_table
from venire.data.store import column_writer, stores
from venire.data.store.contents import FILE
from venire.data.store.stored_matrix import StoredMatrix
from venire.errors import DataError

ROWS = 3000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two Parquet files with every kind of column."""
    place = tmp_path / "rows"
    place.mkdir()
    with duckdb.connect() as db:
        db.execute("SELECT setseed(0.5)")
        db.execute(
            f"CREATE TABLE t AS SELECT (random() * 9)::FLOAT AS single, random() AS double, i % 5 AS five, "
            f"['red', 'green', NULL][1 + i % 3] AS colour, i % 2 = 0 AS even, "
            f"DATE '2020-01-01' + (i % 900)::INT AS day, "
            f"CASE WHEN i % 7 = 0 THEN NULL ELSE i % 11 END AS gapped, ['no', 'yes'][1 + (random() > 0.4)::INT] AS y "
            f"FROM range({ROWS}) AS r(i)"
        )
        db.execute(f"COPY (SELECT * FROM t LIMIT 1000) TO '{place / 'a.parquet'}' (FORMAT parquet)")
        db.execute(f"COPY (SELECT * FROM t OFFSET 1000) TO '{place / 'b.parquet'}' (FORMAT parquet)")
        db.execute(f"COPY t TO '{tmp_path / 'rows.csv'}'")
        db.execute(f"COPY t TO '{tmp_path / 'rows.jsonl'}' (FORMAT json)")
    return place


def made() -> list[Path]:
    return sorted(Path(os.environ["VENIRE_HOME"]).glob(f"columns/*/{FILE}"))


def nothing_left() -> bool:
    return not made() and not beside_stores()


def beside_stores() -> list[str]:
    """What is on the shelf and no store."""
    return sorted(path.name for path in Path(os.environ["VENIRE_HOME"]).glob("columns/.*"))


@pytest.mark.parametrize("name", ["rows", "rows.csv", "rows.jsonl"])
def test_a_stored_table_is_the_table(folder: Path, name: str) -> None:
    source = folder.parent / name
    table, stored = read_table(source, "y"), read_table(source, "y", memory=0)
    assert isinstance(stored.X, StoredMatrix)
    assert np.array_equal(np.asarray(stored.X), table.X, equal_nan=True)
    assert stored.fingerprint() == table.fingerprint()
    assert np.array_equal(stored.y, table.y)
    for part in ("columns", "left_out", "notes", "reading", "source", "rows_without_target"):
        assert getattr(stored, part) == getattr(table, part), part
    target = table.target
    assert target is not None
    assert stored.target is not None
    assert (stored.target.classes, stored.target.positive) == (target.classes, target.positive)


def test_scalars_are_as_narrow_as_can_be(folder: Path) -> None:
    stored = read_table(folder, "y", memory=0)
    assert isinstance(stored.X, StoredMatrix)
    scalars = {column.name: c.scalar for column, c in zip(stored.columns, stored.X.columns, strict=True)}
    assert scalars["single"] == "<f4"
    assert scalars["double"] == "<f8"
    assert {scalars[name] for name in ("five", "colour", "even", "gapped")} == {"|u1"}


def test_a_store_is_reused_for_the_same_content_and_reading(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_table(folder, "y", memory=0)
    (first,) = made()
    written = first.stat().st_mtime_ns
    shutil.copytree(folder, folder.parent / "again")
    read_table(folder.parent / "again", "y", memory=0)  # the same content, elsewhere
    assert [path.stat().st_mtime_ns for path in made()] == [written]
    with monkeypatch.context() as known:
        known.setattr(stores, "_digest_of", lambda path: pytest.fail("known files are not read again"))
        read_table(folder, "y", memory=0)
    read_table(folder, "y", memory=0, drop=["five"])
    assert len(made()) == 2
    assert not beside_stores()


def test_groups_and_weights_are_kept(folder: Path) -> None:
    given: dict[str, Any] = {"groups": "five", "weights": "single", "time": "day"}
    table, stored = read_table(folder, "y", **given), read_table(folder, "y", memory=0, **given)
    for part in ("groups", "weights", "time"):
        assert np.array_equal(getattr(stored, part), getattr(table, part))
    assert stored.fingerprint() == table.fingerprint()


def test_files_with_other_columns_or_types_leave_nothing(folder: Path) -> None:
    other = folder / "c.parquet"
    duckdb.sql(f"COPY (SELECT 1 AS single) TO '{other}' (FORMAT parquet)")
    with pytest.raises(DataError, match=r"its columns differ") as raised:
        read_table(folder, "y", memory=0)
    assert raised.value.file == str(other)
    duckdb.sql(f"COPY (SELECT * REPLACE ('x' AS five) FROM '{folder / 'a.parquet'}') TO '{other}' (FORMAT parquet)")
    with pytest.raises(DataError, match=r"column 'five' is VARCHAR here") as raised:
        read_table(folder, "y", memory=0)
    assert raised.value.file == str(other)
    assert nothing_left()


def test_a_file_that_changes_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = column_writer.ColumnWriter.append

    def meddling(self: column_writer.ColumnWriter, column: Any) -> None:
        os.utime(folder / "b.parquet", ns=(1, 1))
        append(self, column)

    monkeypatch.setattr(column_writer.ColumnWriter, "append", meddling)
    with pytest.raises(DataError, match=r"this file changed while it was read") as raised:
        read_table(folder, "y", memory=0)
    assert raised.value.file == str(folder / "b.parquet")
    assert nothing_left()


def test_a_file_that_is_cut_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = column_writer.ColumnWriter.append

    def meddling(self: column_writer.ColumnWriter, column: Any) -> None:
        (folder / "b.parquet").write_bytes((folder / "a.parquet").read_bytes()[:300])
        append(self, column)

    monkeypatch.setattr(column_writer.ColumnWriter, "append", meddling)
    with pytest.raises(DataError, match=r"this file changed while it was read"):
        read_table(folder, "y", memory=0)
    assert nothing_left()


def test_no_room_is_found_before_anything_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "free_on_disk", lambda place: 1000)
    with pytest.raises(DataError, match=r"takes up to .*B are free") as raised:
        read_table(folder, "y", memory=0)
    assert raised.value.code == "no_room"
    assert nothing_left()


def test_a_disk_that_fills_up_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(view: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(column_writer, "checksum", full)
    with pytest.raises(DataError, match=r"no room for a column store .*No space left") as raised:
        read_table(folder, "y", memory=0)
    assert raised.value.code == "no_room"
    assert nothing_left()


def test_what_a_killed_process_left_is_removed(folder: Path) -> None:
    left = Path(os.environ["VENIRE_HOME"]) / "columns" / ".0123-dead"
    left.mkdir(parents=True)
    (left / "00000.f4").write_bytes(b"half")
    read_table(folder, "y", memory=0)
    assert not left.exists()


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
@pytest.mark.parametrize("file", ["00000.f4", "target.bin", FILE])
def test_a_damaged_store_is_named(folder: Path, file: str, damage: str) -> None:
    read_table(folder, "y", memory=0)
    path = made()[0].parent / file
    content = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[:-5])
    else:
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    if damage == "gone" and file == FILE:  # then it is no store, and is made again
        assert read_table(folder, "y", memory=0).rows == ROWS
        return
    with pytest.raises(DataError, match=r"this file of a column store is damaged") as raised:
        np.asarray(read_table(folder, "y", memory=0).X)
    assert raised.value.code == "damaged_store"
    assert raised.value.file == str(path)
    assert str(path.parent) in str(raised.value.hint)


def test_digests_that_are_no_json_are_made_again(folder: Path) -> None:
    read_table(folder, "y", memory=0)
    known = Path(os.environ["VENIRE_HOME"]) / "columns" / "files.json"
    assert len(json.loads(known.read_text())) == 2
    known.write_text("{")
    read_table(folder, "y", memory=0)
    assert len(made()) == 1


def test_memory_is_a_number_of_gigabytes(folder: Path) -> None:
    with pytest.raises(Exception, match=r"memory must be a number of gigabytes, not -1"):
        read_table(folder, "y", memory=-1)
    assert isinstance(read_table(folder, "y", memory=1).X, np.ndarray)
