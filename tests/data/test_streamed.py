"""Rows that come part by part are the rows that come at once, and memory does not grow with them."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from venire.data import conform, read_table
from venire.data.columns.raw import Numbers, Texts
from venire.data.readers import in_chunks
from venire.data.streamed import Asked, Written, added_up, streamed
from venire.errors import DataError, UsageError

ROWS = 500


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": np.where(rng.random(ROWS) < 0.1, np.nan, rng.normal(size=ROWS).round(3)),
            "colour": rng.choice(["red", "green, dark", 'the "blue"', "line\nend"], ROWS),
            "day": pd.date_range("2024-01-01", periods=ROWS, freq="7h").strftime("%Y-%m-%d"),
            "ok": rng.choice(["yes", "no"], ROWS),
        }
    )


def whole_of(parts) -> np.ndarray:
    return np.vstack([part.rows.X for part in parts])


def written_as(frame: pd.DataFrame, folder: Path, ending: str) -> Path:
    path = folder / f"rows.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "csv.gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    elif ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_excel(path, index=False)
    return path


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "jsonl", "xlsx"])
def test_parts_are_the_whole_in_every_format(frame, tmp_path, monkeypatch, ending):
    monkeypatch.setattr(in_chunks, "SLICE_ROWS", 64)
    path = written_as(frame, tmp_path, ending)
    columns = read_table(frame).columns
    parts = list(streamed(path, Asked(columns), block_bytes=2000))
    assert len(parts) == {"xlsx": 1, "parquet": 8, "jsonl": 8}.get(ending, len(parts))
    assert ending == "xlsx" or len(parts) > 4
    np.testing.assert_array_equal(whole_of(parts), conform(path, columns).X)


def test_words_that_come_late_are_missing_and_counted(frame, tmp_path):
    columns = read_table(frame).columns
    frame["size"] = frame["size"].astype(object)
    frame.loc[[400, 450, 499], "size"] = "far too large"
    frame.loc[:9, "colour"] = "pink"
    frame.loc[490:, "colour"] = "violet"
    path = written_as(frame, tmp_path, "csv")
    parts = list(streamed(path, Asked(columns), block_bytes=2000))
    lost = {(one.code, one.column): one for one in added_up(each for part in parts for each in part.rows.lost)}
    assert lost["words_among_numbers", "size"].rows == 3
    assert lost["unknown_category", "colour"].rows == 20
    assert lost["unknown_category", "colour"].examples == ("pink", "violet")
    np.testing.assert_array_equal(whole_of(parts), conform(path, columns).X)


def test_an_error_names_the_line_of_the_file(frame, tmp_path):
    columns = read_table(frame[["size", "ok"]]).columns
    path = written_as(frame[["size", "ok"]], tmp_path, "csv")
    lines = path.read_text().splitlines()
    lines[420] = "1,2,3"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match="line 421: this row has 3 fields where the header has 2"):
        list(streamed(path, Asked(columns), block_bytes=1000))


def test_columns_are_handed_through_as_they_are_written(frame, tmp_path):
    columns = read_table(frame).columns
    frame["id"] = [f"{row:05}" for row in range(ROWS)]
    text = list(streamed(written_as(frame, tmp_path, "csv"), Asked(columns, keep=("id", "size")), block_bytes=2000))
    first = text[0].kept["id"]
    assert isinstance(first, Texts)
    assert first.levels[0] == "00000"
    frame["id"] = range(ROWS)
    typed = next(streamed(written_as(frame, tmp_path, "parquet"), Asked(columns, keep=("id",)))).kept["id"]
    assert isinstance(typed, Numbers)
    assert typed.type == "int64"
    with pytest.raises(DataError, match="there is no column 'Id' to keep"):
        next(streamed(tmp_path / "rows.csv", Asked(columns, keep=("Id",))))


def test_columns_that_are_not_there_are_an_error_or_missing(frame, tmp_path):
    columns = read_table(frame).columns
    path = written_as(frame.drop(columns=["size", "day"]), tmp_path, "csv")
    with pytest.raises(DataError, match=r"lack 2 columns the model was trained on: 'size', 'day'"):
        next(streamed(path, Asked(columns)))
    rows = next(streamed(path, Asked(columns, fill_absent=True))).rows
    assert rows.absent == ("size", "day")
    filled = [column.source in rows.absent for column in columns]
    assert np.isnan(rows.X[:, filled]).all()
    assert not np.isnan(rows.X[:, ~np.array(filled)]).any()
    other = written_as(pd.DataFrame({"z": [1.5]}), tmp_path, "csv")
    with pytest.raises(DataError, match="the rows lack 4"):
        next(streamed(other, Asked(columns, fill_absent=True)))


def test_how_the_file_is_written_can_be_said(frame, tmp_path):
    columns = read_table(frame).columns
    path = tmp_path / "rows.csv"
    path.write_bytes(frame.to_csv(index=False, sep=";").encode("utf-16"))
    np.testing.assert_array_equal(whole_of(streamed(path, Asked(columns))), conform(path, columns).X)
    with pytest.raises(UsageError, match="there is no encoding 'latin-one'"):
        next(streamed(path, Asked(columns), Written(encoding="latin-one")))


def test_a_table_without_rows_is_an_error(frame, tmp_path):
    path = written_as(frame.iloc[:0], tmp_path, "csv")
    with pytest.raises(DataError, match="no rows"):
        next(streamed(path, Asked(read_table(frame).columns)))


def test_nul_bytes_in_any_block_are_an_error(frame, tmp_path):
    path = written_as(frame[["size", "ok"]], tmp_path, "csv")
    path.write_bytes(path.read_bytes() + b"1,\0\n")
    with pytest.raises(DataError, match="NUL byte"):
        list(streamed(path, Asked(read_table(frame[["size", "ok"]]).columns), block_bytes=1000))


_PEAK = """
import sys
from pathlib import Path
from venire.data.streamed import Asked, streamed
from venire.data.table import Column, Kind
columns = tuple(Column(f"x{j}", Kind.NUMERIC) for j in range(5))
rows = sum(len(part.rows.X) for part in streamed(sys.argv[1], Asked(columns), block_bytes=1 << 20))
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(rows, status["VmHWM"].split()[0])  # not ru_maxrss, which a process takes over from its parent
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there the system tells the peak otherwise")
def test_memory_does_not_grow_with_the_file(tmp_path):
    block = "\n".join(",".join(map(repr, row)) for row in np.random.default_rng(0).normal(size=(10_000, 5)).tolist())
    peaks = []
    for times in (4, 40):
        path = tmp_path / f"{times}.csv"
        path.write_text("x0,x1,x2,x3,x4\n" + (block + "\n") * times)
        done = subprocess.run([sys.executable, "-c", _PEAK, path], capture_output=True, text=True, check=True)
        rows, peak = map(int, done.stdout.split())
        assert rows == times * 10_000
        peaks.append(peak * 1024)
    assert peaks[1] - peaks[0] < 36 * len(block) / 4, "of the 36 MB more in the file"
