"""A folder is the table that its files are, in the order of their paths; anything odd in it is named."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from venire.data import read_table
from venire.data.readers import sources
from venire.data.streamed import Asked, streamed
from venire.errors import DataError


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"size": rng.normal(size=90), "colour": rng.choice(["red", "blue"], 90), "y": rng.choice(["no", "yes"], 90)}
    )


@pytest.fixture
def folder(frame, tmp_path):
    """Three Parquet files, one of them below, with what Spark leaves beside them."""
    (tmp_path / "rows" / "later").mkdir(parents=True)
    for name, part in zip(["a.parquet", "b.parquet", "later/c.parquet"], np.array_split(np.arange(90), 3), strict=True):
        frame.iloc[part].to_parquet(tmp_path / "rows" / name)
    for name in ("_SUCCESS", ".a.parquet.crc", "later/_metadata"):
        (tmp_path / "rows" / name).write_bytes(b"x")
    return tmp_path / "rows"


def test_a_folder_is_its_files_in_order(folder, frame):
    table, whole = read_table(folder, "y"), read_table(frame, "y")
    assert np.array_equal(table.X, whole.X)
    assert np.array_equal(table.target.values, whole.target.values)
    assert [os.path.basename(name) for name in table.reading.files] == ["a.parquet", "b.parquet", "c.parquet"]


def test_a_folder_of_text_files(frame, tmp_path):
    for number, part in enumerate(np.array_split(np.arange(90), 3)):
        frame.iloc[part].to_csv(tmp_path / f"{number}.csv.gz", index=False)
    assert np.allclose(read_table(tmp_path, "y").X, read_table(frame, "y").X)


def test_a_folder_part_by_part(folder, frame):
    table = read_table(frame, "y")
    rows = [part.rows.X for part in streamed(folder, Asked(table.columns, table.target))]
    assert np.array_equal(np.vstack(rows), table.X)


def test_an_empty_folder(tmp_path):
    (tmp_path / "_SUCCESS").touch()
    with pytest.raises(DataError, match="no file with rows") as caught:
        read_table(tmp_path)
    assert caught.value.code == "empty_folder"
    assert caught.value.file == str(tmp_path)


def test_a_file_that_is_no_table_is_not_left_out_in_silence(folder):
    (folder / "README.md").write_text("about")
    with pytest.raises(DataError, match="no table by its ending") as caught:
        read_table(folder)
    assert caught.value.file == str(folder / "README.md")
    assert "*.parquet" in caught.value.hint


def test_files_of_two_formats(folder, frame):
    frame.to_csv(folder / "d.csv", index=False)
    with pytest.raises(DataError, match="not a parquet file like") as caught:
        read_table(folder)
    assert caught.value.file == str(folder / "d.csv")


def test_a_file_with_other_columns(folder, frame):
    frame.rename(columns={"size": "length"}).to_parquet(folder / "b.parquet")
    with pytest.raises(DataError, match=r"its columns differ from those of .*a\.parquet, first in 'size'") as caught:
        read_table(folder)
    assert (caught.value.file, caught.value.column) == (str(folder / "b.parquet"), "size")


@pytest.mark.parametrize("other", [str, bool, "datetime64[us]"])
def test_a_file_with_other_types(folder, frame, other):
    kind = frame["size"].round().astype("int64").astype(other)
    frame.assign(size=kind).to_parquet(folder / "b.parquet")
    with pytest.raises(DataError, match=r"column 'size' is \w+ here and DOUBLE in .*a.parquet") as caught:
        read_table(folder)
    assert (caught.value.code, caught.value.file) == ("different_types", str(folder / "b.parquet"))


def test_numbers_of_other_widths_go_together(folder, frame):
    frame.iloc[30:60].assign(size=1).to_parquet(folder / "b.parquet")
    table = read_table(folder, "y")
    assert (table.X[30:60, 0] == 1).all()


def test_a_file_that_changes_while_it_is_read(folder, monkeypatch):
    file = folder / "b.parquet"
    read = sources.read_parquet

    def meanwhile(*given):
        opened = read(*given)
        file.write_bytes(file.read_bytes()[:-10])
        return opened

    monkeypatch.setattr(sources, "read_parquet", meanwhile)
    with pytest.raises(DataError, match="changed while it was read") as caught:
        read_table(folder)
    assert (caught.value.code, caught.value.file) == ("changed_file", str(file))


def test_a_file_that_grows_between_two_parts(tmp_path, frame):
    file = tmp_path / "rows.csv"
    pd.concat([frame] * 50).to_csv(file, index=False)
    table = read_table(file, "y")
    parts = streamed(file, Asked(table.columns, table.target), block_bytes=4096)
    next(parts)
    with file.open("a") as stream:
        stream.write("0.5,red,no\n")
    with pytest.raises(DataError, match="changed while it was read"):
        list(parts)
