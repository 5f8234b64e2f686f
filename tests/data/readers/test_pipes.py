"""A table that is piped in is the table that would be read from a file."""

import gzip
import io
import os
import subprocess
import sys
import threading

import duckdb
import numpy as np
import pytest

from venire.data import read_table
from venire.data.conform import conform
from venire.errors import DataError, UsageError

ROWS = [(i * 0.5, "uv"[i % 2], "pqr"[i % 3]) for i in range(30)]
CSV = ("a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in ROWS)).encode()
LINES = b"".join(b'{"a": %.1f, "b": "%s", "y": "%s"}\n' % (a, b.encode(), y.encode()) for a, b, y in ROWS)
ARRAY = b" [" + b", ".join(LINES.splitlines()) + b"]"


@pytest.fixture
def piped(monkeypatch):
    """Makes these bytes the standard input."""

    def pipe(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return pipe


def parquet(tmp_path):
    (tmp_path / "t.csv").write_bytes(CSV)
    duckdb.execute(f"COPY (SELECT * FROM '{tmp_path / 't.csv'}') TO '{tmp_path / 't.parquet'}'")
    return (tmp_path / "t.parquet").read_bytes()


def assert_is_the_table(table, shown="standard input"):
    assert [column.name for column in table.columns] == ["a", "b"]
    assert table.X[:, 0].tolist() == [a for a, _, _ in ROWS]
    assert [table.target.classes[code] for code in table.y] == [y for _, _, y in ROWS]
    assert (table.source, table.reading.files) == (shown, (shown,))


@pytest.mark.parametrize(
    "content",
    [CSV, CSV.decode().encode("utf-16"), gzip.compress(CSV), LINES, ARRAY, gzip.compress(LINES)],
    ids=["csv", "utf-16", "gzip", "json lines", "json array", "json lines in gzip"],
)
def test_every_format_comes_through_a_pipe(piped, content):
    piped(content)
    assert_is_the_table(read_table("-", "y"))


def test_parquet_comes_through_a_pipe(piped, tmp_path):
    piped(parquet(tmp_path))
    assert_is_the_table(read_table("-", "y"))


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_pipe_between_processes(name):
    code = f"from venire.data import read_table; t = read_table({name!r}, 'y'); print(t.rows, t.source)"
    done = subprocess.run([sys.executable, "-c", code], input=CSV, capture_output=True, check=True)
    assert done.stdout.decode().split(maxsplit=1) == ["30", "standard input\n"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_named_pipe_keeps_its_name(tmp_path):
    path = tmp_path / "named"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(CSV,))
    writer.start()
    try:
        assert_is_the_table(read_table(path, "y"), str(path))
    finally:
        writer.join()


def test_a_pipe_and_a_file_are_one_table(piped, tmp_path):
    (tmp_path / "t.csv").write_bytes(CSV)
    piped(CSV)
    table = read_table([tmp_path / "t.csv", "-"], "y")
    assert table.rows == 60
    assert table.reading.files == (str(tmp_path / "t.csv"), "standard input")


def test_new_rows_come_through_a_pipe(piped, tmp_path):
    (tmp_path / "t.csv").write_bytes(CSV)
    known = read_table(tmp_path / "t.csv", "y")
    piped(CSV)
    np.testing.assert_array_equal(conform("-", known.columns).X, known.X)


def test_a_file_called_by_the_sign_is_read_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").write_bytes(CSV)
    assert read_table("./-", "y").rows == 30


def test_nothing_of_a_pipe_is_left_behind(piped, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    piped(CSV + b"1,2\n")
    with pytest.raises(DataError, match=r"standard input, line 32: this row has 2 fields"):
        read_table("-", "y")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (b"", "empty_file", "standard input: the file is empty"),
        (b"a,b\n", "header_only", "standard input: the file has a header but no rows"),
        (b"PK\x03\x04 and so on", "truncated_file", "standard input: the workbook is damaged or cut short"),
        (CSV + b"1,\0,2\n", "nul_bytes", "standard input, line 32: the line holds a NUL byte"),
        (LINES[:-9], "bad_json", "standard input"),
    ],
    ids=["empty", "header only", "excel", "nul", "cut json"],
)
def test_errors_are_those_of_a_file(piped, content, code, message):
    piped(content)
    with pytest.raises(DataError, match=message) as caught:
        read_table("-")
    assert caught.value.code == code


def test_it_can_be_read_once(piped):
    piped(CSV)
    with pytest.raises(UsageError, match="standard input can be read once"):
        read_table(["-", "/dev/stdin"])


def test_a_terminal_brings_no_table(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", terminal)
    with pytest.raises(UsageError, match="no table was piped in"):
        read_table("-")


def test_without_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataError, match="it is closed"):
        read_table("-")
