"""Bad input: one clear error, with a code, the place and the way out. Thirty broken files and more."""

import gzip
import os
import re

import duckdb
import numpy as np
import pytest
import zstandard

from benchmarks.reliability.fuzzing import counted, fuzz
from benchmarks.reliability.table_files import TableFiles
from venire.data import read_table
from venire.errors import DataError, UsageError

SHORT_RUN = 90
HEADER = "a,b,y\n"
ROWS = "".join(f"{i * 0.5},{'uv'[i % 2]},{i % 3}\n" for i in range(30))
GZIP = gzip.compress((HEADER + ROWS * 50).encode())
ZSTD = zstandard.compress((HEADER + ROWS * 50).encode())


def parquet_bytes(tmp_path):
    path = tmp_path / "whole.bin"
    duckdb.execute(f"COPY (SELECT range AS a, range % 2 AS y FROM range(1000)) TO '{path}' (FORMAT parquet)")
    return path.read_bytes()


# name of the file, its content, code, line, column, a piece of the message
BROKEN = {
    "empty": ("t.csv", b"", "empty_file", None, None, "empty"),
    "only blank lines": ("t.csv", b"\n \n\n", "empty_file", None, None, "empty"),
    "only comments": ("t.csv", b"\xef\xbb\xbf", "empty_file", None, None, "no rows|empty"),
    "header only": ("t.csv", HEADER, "header_only", None, None, "header but no rows"),
    "header only without line end": ("t.csv", "a,b,y", "header_only", None, None, "header but no rows"),
    "short row": ("t.csv", HEADER + ROWS + "1,2\n" + ROWS, "ragged_row", 32, None, "2 fields where the header has 3"),
    "long row": ("t.csv", HEADER + ROWS + "1,2,3,4\n", "ragged_row", 32, None, "4 fields where the header has 3"),
    "first row short": ("t.csv", HEADER + "1,2\n" + ROWS, "ragged_row", 2, None, "2 fields"),
    "last row short": ("t.csv", HEADER + ROWS + "1,2", "ragged_row", 32, None, "2 fields"),
    "short row after quoted line ends": (
        "t.csv",
        (HEADER + '1,"x\ny\nz",2\n' + ROWS + "1,2\n").replace("\n", "\r\n"),
        "ragged_row", 35, None, "2 fields",
    ),
    "short row of text only": ("t.csv", "p,q\n" + "u,v\n" * 9 + "u\n", "ragged_row", 11, None, "1 field"),
    "short row in UTF-16": ("t.csv", (HEADER + ROWS + "1,2\n").encode("utf-16"), "ragged_row", 32, None, "2 fields"),
    "short row in cp1252": (
        "t.csv", (HEADER + ROWS + "1,é,2\n1,2\n").encode("cp1252"), "ragged_row", 33, None, "2 fields",
    ),
    "short row, old line ends": (
        "t.csv", (HEADER + ROWS + "1,2\n").replace("\n", "\r"), "ragged_row", 32, None, "2 fields",
    ),
    "short row among aligned ones": (
        "t.txt", " a  b  y\n" + ROWS.replace(",", "   ") + "1   2\n", "ragged_row", 32, None, "2 fields",
    ),
    "comment in the middle": ("t.csv", HEADER + ROWS + "# a note\n" + ROWS, "ragged_row", 32, None, "1 field"),
    "unclosed quote": ("t.csv", HEADER + ROWS + '1,"u,2\n' + ROWS, "unclosed_quote", 32, None, "not closed"),
    "unclosed quote at the end": ("t.csv", HEADER + ROWS + '1,u,"2', "unclosed_quote", 32, None, "not closed"),
    "unclosed quote in the header": ("t.csv", 'a,"b,y\n' + ROWS, "unclosed_quote", 1, None, "header is not closed"),
    "NUL byte": ("t.csv", (HEADER + ROWS).encode() + b"1,\0,2\n", "nul_bytes", 32, None, "NUL byte"),
    "binary junk": ("t.csv", np.random.default_rng(0).bytes(5000), "binary_file", None, None, "binary file"),
    "little junk": ("t.csv", np.random.default_rng(1).bytes(60), "binary_file", None, None, "binary file"),
    "no known encoding": ("t.csv", (HEADER + ROWS).encode() + b"1,\x81\x8d,2\n", "encoding", None, None, "not valid"),
    "cut gzip": ("t.csv.gz", GZIP[: len(GZIP) // 2], "truncated_file", None, None, "damaged or cut short"),
    "damaged gzip": ("t.csv.gz", GZIP[:60] + b"xxxx" + GZIP[64:], "truncated_file", None, None, "damaged"),
    "empty gzip": ("t.csv.gz", gzip.compress(b""), "empty_file", None, None, "empty"),
    "gzip twice": ("t.csv.gz", gzip.compress(GZIP), "unsupported_format", None, None, "compressed twice"),
    "cut zstd": ("t.csv.zst", ZSTD[: len(ZSTD) // 2], "truncated_file", None, None, "damaged or cut short"),
    "damaged zstd": ("t.csv.zst", ZSTD[:50] + b"x" * 8 + ZSTD[58:], "truncated_file", None, None, "damaged"),
    "not Parquet": ("t.parquet", HEADER + ROWS, "truncated_parquet", None, None, "does not begin like one"),
    "duplicate header": ("t.csv", "a,b,a\n1,2,3\n4,5,6\n", "duplicate_header", 1, "a", "columns 1, 3"),
    "Excel": ("t.xlsx", b"PK\x03\x04" + bytes(100), "truncated_file", None, None, "workbook is damaged"),
    "old Excel": ("t.xls", b"\xd0\xcf\x11\xe0" + bytes(100), "unsupported_format", None, None, "Excel"),
    "SQLite": ("t.csv", b"SQLite format 3\0" + bytes(99), "unsupported_format", None, None, "SQLite"),
    "bad JSON line": ("t.jsonl", '{"a": 1}\n{"a": \n{"a": 3}\n', "bad_json", 3, None, "not valid JSON"),
    "JSON numbers": ("t.jsonl", "1\n2\n", "bad_json", None, None, "not JSON objects"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN, ids=str)
def test_a_broken_file_gives_one_clear_error(case, tmp_path):
    name, content, code, line, column, message = BROKEN[case]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=message) as caught:
        read_table(path, target="y" if code not in ("header_only", "duplicate_header") else None)
    error = caught.value
    assert (error.code, error.line, error.column, error.file) == (code, line, column, str(path))
    assert error.hint
    assert "\n" not in str(error)


def test_a_binary_file_is_told_every_format_there_is(tmp_path):
    (tmp_path / "t.csv").write_bytes(np.random.default_rng(0).bytes(5000))
    with pytest.raises(DataError, match="binary file") as caught:
        read_table(tmp_path / "t.csv")
    assert caught.value.hint == "venire reads CSV, TSV, JSON, Parquet and Excel (.xlsx)"


@pytest.mark.parametrize("width", [1, 2, 4, 5, 8, 12, 100, 1200])
@pytest.mark.parametrize("others", [0, 1, 7])
def test_the_fields_of_a_ragged_row_are_counted(width, others, tmp_path):
    rows = [ROWS, ",".join("1" * width) + "\n", ROWS, "1,2,3,4,5,6\n" * others]
    path = tmp_path / "t.csv"
    path.write_text(HEADER + "".join(rows))
    more = f" (and {others} more such row{'s' if others > 1 else ''})" if others else ""
    said = f"this row has {width} field{'s' if width > 1 else ''} where the header has 3{more}"
    with pytest.raises(DataError, match=f": {re.escape(said)}$"):
        read_table(path, target="y")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1," * 11_999 + "x\n", "at least 10003 fields where the header has 3"),
        (("1," * 119 + "x\n") * 500, "has 120 fields where the header has 3 (and at least 85 more such rows)"),
    ],
)
def test_more_than_is_kept_count_of_is_called_at_least(content, said, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(HEADER + ROWS + content)
    with pytest.raises(DataError, match=f"{re.escape(said)}$"):
        read_table(path, target="y")


@pytest.mark.parametrize("kept", [0.5, 0.99])
def test_a_cut_parquet_file(kept, tmp_path):
    whole = parquet_bytes(tmp_path)
    path = tmp_path / "cut.parquet"
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(DataError, match="damaged or cut short") as caught:
        read_table(path)
    assert caught.value.code == "truncated_parquet"


def test_of_several_parquet_files_the_cut_one_is_named(tmp_path):
    whole = parquet_bytes(tmp_path)
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(whole)
    (folder / "b.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="damaged or cut short") as caught:
        read_table(folder)
    assert str(caught.value.file).endswith("b.parquet")


def test_a_missing_file_names_its_neighbours(tmp_path):
    (tmp_path / "bank.csv").write_text(HEADER + ROWS)
    with pytest.raises(DataError, match="no such file") as caught:
        read_table(tmp_path / "bnak.csv")
    assert caught.value.code == "missing_file"
    assert "'bank.csv'" in caught.value.hint


def test_a_missing_folder(tmp_path):
    with pytest.raises(DataError, match="no such file") as caught:
        read_table(tmp_path / "nowhere" / "bank.csv")
    assert "does not exist" in caught.value.hint


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(HEADER + ROWS)
    path.chmod(0)
    with pytest.raises(DataError, match="may not be read") as caught:
        read_table(path)
    assert caught.value.code == "permission_denied"


def test_an_address(tmp_path):
    with pytest.raises(DataError, match="not addresses on the network"):
        read_table("https://example.org/bank.csv")


def test_a_pattern_without_files(tmp_path):
    with pytest.raises(DataError, match="no file matches"):
        read_table(str(tmp_path / "*.csv"))


def test_no_files_at_all():
    with pytest.raises(UsageError, match="list of files is empty"):
        read_table([])


def test_files_with_different_columns(tmp_path):
    (tmp_path / "1.csv").write_text(HEADER + ROWS)
    (tmp_path / "2.csv").write_text("a,b,Y\n" + ROWS)
    with pytest.raises(DataError, match="lacks 'y' and has 'Y' besides") as caught:
        read_table(str(tmp_path / "*.csv"), "y")
    assert caught.value.code == "different_headers"
    assert caught.value.file == str(tmp_path / "2.csv")
    assert "is 'Y' the same column?" in caught.value.hint


def test_files_of_different_formats(tmp_path):
    (tmp_path / "1.csv").write_text(HEADER + ROWS)
    (tmp_path / "2.csv").write_bytes(parquet_bytes(tmp_path))
    with pytest.raises(DataError, match="not a csv file like"):
        read_table(str(tmp_path / "*.csv"))


def test_the_error_in_the_second_file_names_it(tmp_path):
    (tmp_path / "1.csv").write_text(HEADER + ROWS)
    (tmp_path / "2.csv").write_text(HEADER + ROWS + "1\n")
    with pytest.raises(DataError, match="1 field where") as caught:
        read_table(str(tmp_path / "*.csv"), "y")
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "2.csv"), 32)


TARGETS = {
    "unknown, near name": ("play", "pla", "unknown_target", "did you mean 'play'"),
    "unknown, other case": ("play", "PLAY", "unknown_target", "did you mean 'play'"),
    "unknown, no near name": ("play", "zzzzz", "unknown_target", "the columns are 'x', 'play'"),
}


@pytest.mark.parametrize("case", TARGETS, ids=str)
def test_an_unknown_target(case, tmp_path):
    name, asked, code, message = TARGETS[case]
    path = tmp_path / "t.csv"
    path.write_text(f"x,{name}\n1,a\n2,b\n")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        read_table(path, asked)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("values", "options", "code", "message"),
    [
        (["a", "a", "a"], {}, "one_class", "one class only"),
        (["", "NA", "?"], {}, "target_all_missing", "every value of the target is missing"),
        (["1.5", "1.5", "1.5"], {}, "constant_target", "same number"),
        (["a", "b", "a"], {"task": "regression"}, "target_not_numeric", "regression needs numbers"),
        (["a", "b", "a"], {"positive": "c"}, "unknown_class", "no class 'c'"),
    ],
)
def test_a_target_that_cannot_be_used(values, options, code, message, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i},{value}\n" for i, value in enumerate(values)))
    with pytest.raises(DataError, match=message) as caught:
        read_table(path, "y", **options)
    assert (caught.value.code, caught.value.column) == (code, "y")


def test_no_attribute_is_left(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "7,a\n7,b\n" * 5)
    with pytest.raises(DataError, match="no column is left to predict 'y' from") as caught:
        read_table(path, "y")
    assert caught.value.code == "no_attributes"
    assert caught.value.hint == "give a table with a column to predict from, whose values differ"


def test_the_hint_when_no_attribute_is_left_names_a_column_that_is_there(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y\na\nb\na\n")
    with pytest.raises(DataError, match="there is no other column") as caught:
        read_table(path, "y")
    assert caught.value.hint == "give a table with a column to predict from, whose values differ"
    path.write_text("said,y\n" + "".join(f"the {i}th thing they said,{'ab'[i % 2]}\n" for i in range(30)))
    with pytest.raises(DataError, match="said: free text") as caught:
        read_table(path, "y")
    assert caught.value.hint == "name the kind of a column to keep it, for example categorical=['said']"
    with pytest.raises(DataError, match="said: as you asked") as caught:
        read_table(path, "y", drop=["said"])
    assert caught.value.hint == "drop fewer columns"


def test_mutated_files_are_refused_or_read():
    outcomes, faults = counted(fuzz(TableFiles(), range(SHORT_RUN), 0))
    assert faults == []
    assert outcomes["refused"] > SHORT_RUN / 4
    assert outcomes["read"] > SHORT_RUN / 20
