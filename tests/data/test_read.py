"""From a source to a table: formats, overrides, and inputs that must work with a note."""

import gzip
import json
import subprocess
import sys

import duckdb
import numpy as np
import pytest
import zstandard

from tests.data.written import CSV, ROWS, assert_is_the_table, codes, write
from venire.data import Kind, read_table
from venire.errors import DataError, UsageError

TEXTS = {
    "comma": ("t.csv", CSV),
    "no last line end": ("t.csv", CSV.rstrip("\n")),
    "tab": ("t.tsv", CSV.replace(",", "\t")),
    "semicolon": ("t.csv", CSV.replace(",", ";")),
    "pipe": ("t.txt", CSV.replace(",", "|")),
    "one space": ("t.txt", CSV.replace(",", " ")),
    "lined up with spaces": ("t.txt", "   a   b     y  \n" + CSV[6:].replace(",", "    ")),
    "semicolon and decimal comma": ("t.csv", CSV.replace(",", ";").replace(".", ",")),
    "tab and decimal comma": ("t.csv", CSV.replace(",", "\t").replace(".", ",")),
    "spaces around fields": ("t.csv", CSV.replace(",", " , ")),
    "all quoted": ("t.csv", "".join(",".join(f'"{f}"' for f in line.split(",")) + "\n" for line in CSV.split())),
    "single quotes": ("t.csv", CSV.replace(",u,", ",'u',").replace(",v,", ",'v',")),
    "windows line ends": ("t.csv", CSV.replace("\n", "\r\n")),
    "old line ends": ("t.csv", CSV.replace("\n", "\r")),
    "mixed line ends": ("t.csv", CSV.replace("\n", "\r\n", 9)),
    "blank lines": ("t.csv", "\n\n" + CSV.replace("\n", "\n\n") + "\n\n"),
    "byte order mark": ("t.csv", b"\xef\xbb\xbf" + CSV.encode()),
    "byte order mark and quotes": ("t.csv", b"\xef\xbb\xbf" + CSV.replace("a,b,y", '"a","b","y"').encode()),
    "UTF-16": ("t.csv", CSV.encode("utf-16")),
    "UTF-16 without a mark": ("t.csv", CSV.encode("utf-16-le")),
    "UTF-16, big end first": ("t.csv", CSV.encode("utf-16-be")),
    "UTF-32": ("t.csv", CSV.encode("utf-32")),
    "trailing delimiters": ("t.csv", CSV.replace("\n", ",\n").replace("y,\n", "y\n", 1)),
    "trailing delimiter in the header": ("t.csv", CSV.replace("y\n", "y,\n", 1)),
    "gzip": ("t.csv.gz", gzip.compress(CSV.encode())),
    "gzip without the ending": ("t.csv", gzip.compress(CSV.encode())),
    "zstd": ("t.csv.zst", zstandard.compress(CSV.encode())),
    "zstd in two frames": ("t.csv.zst", zstandard.compress(CSV[:50].encode()) + zstandard.compress(CSV[50:].encode())),
    "zstd, windows line ends": ("t.csv.zst", zstandard.compress(CSV.replace("\n", "\r\n").encode())),
    "title and blank line": ("t.csv", "Sales of the year\n\n" + CSV),
    "title of one word": ("t.csv", "Sales\n" + CSV),
    "title with other line ends": ("t.csv", "Sales\n" + CSV.replace("\n", "\r\n")),
    "titles padded with delimiters": ("t.csv", "Sales,,\nof 2024,,\n,,\n" + CSV),
    "title with a delimiter in quotes": ("t.csv", '"Sales, 2024",,\n' + CSV),
    "comments on top": ("t.csv", "# made by hand\n# a, b, c, d\n" + CSV),
    "JSON lines": ("t.jsonl", "".join(json.dumps({"a": a, "b": b, "y": y}) + "\n" for a, b, y in ROWS)),
    "JSON": ("t.json", json.dumps([{"a": a, "b": b, "y": y} for a, b, y in ROWS])),
    "JSON lines, gzip": (
        "t.jsonl.gz",
        gzip.compress("".join(json.dumps({"a": a, "b": b, "y": y}) + "\n" for a, b, y in ROWS).encode()),
    ),
}


@pytest.mark.parametrize("case", TEXTS, ids=str)
def test_the_same_table_in_every_dress(case, tmp_path):
    name, content = TEXTS[case]
    assert_is_the_table(read_table(write(tmp_path / name, content), "y"))


def test_parquet(tmp_path):
    write(tmp_path / "t.csv", CSV)
    duckdb.execute(f"COPY (FROM read_csv('{tmp_path}/t.csv')) TO '{tmp_path}/t.parquet' (FORMAT parquet)")
    assert_is_the_table(read_table(tmp_path / "t.parquet", "y"))
    called_csv = write(tmp_path / "u.csv", (tmp_path / "t.parquet").read_bytes())
    assert_is_the_table(read_table(called_csv, "y"))


def test_several_files_in_any_column_order(tmp_path):
    lines = CSV.splitlines(keepends=True)
    write(tmp_path / "part-1.csv", lines[0] + "".join(lines[1:11]))
    swapped = [";".join(reversed(line.strip().split(","))) + "\n" for line in lines[11:21]]
    write(tmp_path / "part-2.csv", "y;b;a\n" + "".join(swapped))
    write(tmp_path / "part-3.csv", (lines[0] + "".join(lines[21:])).encode("utf-16"))
    assert_is_the_table(read_table(str(tmp_path / "part-*.csv"), "y"))
    table = read_table([tmp_path / f"part-{k}.csv" for k in (1, 2, 3)], "y")
    assert_is_the_table(table)
    assert len(table.reading.files) == 3


def test_windows_1252_is_said(tmp_path):
    table = read_table(write(tmp_path / "t.csv", CSV.replace("u", "Zürich €").encode("cp1252")), "y")
    assert table.columns[1].categories == ("Zürich €", "v")
    assert "encoding" in codes(table)
    late = CSV * 2000 + "1,Zürich,p\n"
    late = late.replace("a,b,y\n", "")
    table = read_table(write(tmp_path / "late.csv", ("a,b,y\n" + late).encode("cp1252")), "y")
    assert table.columns[1].categories == ("Zürich", "u", "v")


def test_an_encoding_by_name(tmp_path):
    path = write(tmp_path / "t.csv", CSV.replace("u", "Łódź").encode("cp1250"))
    assert read_table(path, "y", encoding="cp1250").columns[1].categories == ("v", "Łódź")
    with pytest.raises(UsageError, match="no encoding 'klingon'"):
        read_table(path, encoding="klingon")


def test_no_header(tmp_path):
    body = CSV.split("\n", 1)[1]
    table = read_table(write(tmp_path / "t.csv", body), "column_3")
    assert table.rows == 30
    assert "no_header" in codes(table)
    with pytest.raises(UsageError, match="delimiter must be one character"):
        read_table(tmp_path / "t.csv", delimiter=",,")
    assert read_table(tmp_path / "t.csv", header=True).rows == 29


def test_names_that_work_with_a_note(tmp_path):
    table = read_table(
        write(tmp_path / "t.csv", ',<script>alert(1)</script>,"a, b",y\n' + "1.5,2.5,3.5,p\n2,3,5,q\n" * 6), "y"
    )
    assert [c.name for c in table.columns] == ["column_1", "<script>alert(1)</script>", "a, b"]
    assert "empty_name" in codes(table)


def test_names_that_differ_in_case_only(tmp_path):
    table = read_table(write(tmp_path / "t.csv", "a,A,y\n1.5,2.5,p\n3,4,q\n"), "y")
    assert table.X.tolist() == [[1.5, 2.5], [3.0, 4.0]]


def test_row_names_as_r_writes_them(tmp_path):
    lines = "".join(f'"{i}" {i * 0.5} "{"uv"[i % 2]}"\n' for i in range(1, 30))
    table = read_table(write(tmp_path / "t.txt", '"a" "b"\n' + lines))
    assert [c.name for c in table.columns] == ["a", "b"]
    assert [out.name for out in table.left_out] == ["row_names"]
    assert "header_short" in codes(table)


def test_ten_thousand_columns(tmp_path):
    X = np.round(np.random.default_rng(0).standard_normal((12, 10_000)), 3)
    header = ",".join(f"c{j}" for j in range(10_000))
    lines = "".join(",".join(map(repr, row)) + "\n" for row in X.tolist())
    table = read_table(write(tmp_path / "t.csv", header + "\n" + lines))
    np.testing.assert_array_equal(table.X, X)


def test_a_long_field_and_a_long_quoted_field(tmp_path):
    for field in ("x" * 9_000_000, '"' + "line of text\n" * 200_000 + '"'):
        body = CSV + f"1,{field},p\n" + CSV.split("\n", 1)[1]
        table = read_table(write(tmp_path / "t.csv", body), "y")
        assert table.rows == 61  # a line longer than the reader's buffer must not be lost
        assert max(map(len, table.columns[1].categories)) > 2_500_000


def test_many_blocks_keep_their_order(tmp_path):
    n = 400_000
    values = np.round(np.random.default_rng(1).random((n, 3)), 6)
    lines = "".join(f"{a},{b},{c}\n" for a, b, c in values.tolist())
    table = read_table(write(tmp_path / "t.csv", "a,b,c\n" + lines))
    np.testing.assert_array_equal(table.X, values)


def test_many_rows_with_texts_keep_their_order(tmp_path):
    n = 150_000
    lines = "".join(f"{i % 977}.5,w{i % 13},u{i % 20011}\n" for i in range(n))
    table = read_table(write(tmp_path / "t.csv", "a,b,c\n" + lines))
    assert [c.kind for c in table.columns] == [Kind.NUMERIC, Kind.CATEGORICAL, Kind.CATEGORICAL]
    for row in (0, 1, 70_000, n - 1):
        read = [column.categories[int(table.X[row, j])] for j, column in enumerate(table.columns) if j]
        assert [table.X[row, 0], *read] == [row % 977 + 0.5, f"w{row % 13}", f"u{row % 20011}"]


def test_a_word_after_many_numbers(tmp_path):
    lines = "".join(f"{i}.5,{i}.25\n" for i in range(20_000))
    table = read_table(write(tmp_path / "t.csv", "a,b\n" + lines + "oops,NA\n"))
    assert [c.kind for c in table.columns] == [Kind.NUMERIC, Kind.NUMERIC]
    assert [c.missing for c in table.columns] == [1, 1]
    assert "words_among_numbers" in codes(table)
    assert table.rows == 20_001


def test_numbers_too_large(tmp_path):
    table = read_table(write(tmp_path / "t.csv", "a,b\n1e400,99999999999999999999\n-inf,5\n2.5,6\n3.5,7\n"))
    assert table.columns[0].missing == 2
    assert np.isnan(table.X[:2, 0]).all()
    assert table.X[0, 1] == 1e20
    assert "infinite_values" in codes(table)


def test_every_kind_can_be_overruled(tmp_path):
    lines = "".join(f"{i + 1},{i % 3},{20240101 + i},{i % 2},{'xyz'[i % 3]},w{i},k\n" for i in range(20))
    path = write(tmp_path / "t.csv", "id,num,day,flag,cat,words,const\n" + lines)
    plain = read_table(path)
    assert [c.name for c in plain.columns] == ["num", "day", "flag", "cat"]
    assert [(out.name, out.kind) for out in plain.left_out] == [
        ("id", Kind.IDENTIFIER), ("words", Kind.IDENTIFIER), ("const", Kind.CONSTANT),
    ]  # fmt: skip
    table = read_table(
        path,
        numeric=["id"],
        categorical=["num", "words"],
        date=["day"],
        text=["cat"],
        identifier=["flag"],
        drop=["const"],
    )
    kinds = {c.name: c.kind for c in table.columns}
    assert kinds["id"] is Kind.NUMERIC
    assert kinds["num"] is kinds["words"] is Kind.CATEGORICAL
    assert "day.day" in kinds
    assert "day.year" not in kinds  # it does not vary
    assert [(out.name, out.kind) for out in table.left_out] == [
        ("flag", Kind.IDENTIFIER), ("cat", Kind.TEXT), ("const", None),
    ]  # fmt: skip
    assert read_table(path, kinds={"num": "categorical"}).columns[0].categories == ("0", "1", "2")
    assert read_table(path, boolean=["flag"]).columns[2].kind is Kind.BOOLEAN


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"numeric": ["cat"]}, DataError, "none of its values is a number"),
        ({"boolean": ["cat"]}, DataError, "3 different values"),
        ({"boolean": ["num"]}, DataError, "more than two different numbers"),
        ({"date": ["cat"]}, DataError, "no way of writing dates fits"),
        ({"date": ["num"]}, DataError, "neither like 20240131"),
        ({"drop": ["catt"]}, DataError, "did you mean 'cat'"),
        ({"categorical": ["zzzz"]}, DataError, "no column 'zzzz'"),
        ({"groups": "zzzz"}, DataError, "no column 'zzzz'"),
        ({"categorical": "cat"}, UsageError, "must be a list of names"),
        ({"missing": "cat"}, UsageError, "must be a list of texts"),
        ({"kinds": {"cat": "colour"}}, UsageError, "no kind 'colour'"),
        ({"numeric": ["cat"], "text": ["cat"]}, UsageError, "called numeric and text"),
        ({"task": "clustering"}, UsageError, "no task 'clustering'"),
        ({"positive": "x"}, UsageError, "need a target"),
        ({"target": "cat", "groups": "cat"}, UsageError, "cannot play two parts"),
        ({"target": "x", "positive": 1}, UsageError, "makes no sense when the target is a number"),
        ({"decimal": "x"}, UsageError, "decimal must be"),
    ],
)
def test_options_that_make_no_sense(options, error, message, tmp_path):
    path = write(tmp_path / "t.csv", "x,num,cat\n" + "".join(f"{i}.5,{i % 3},{'pqr'[i % 3]}\n" for i in range(30)))
    with pytest.raises(error, match=message):
        read_table(path, **options)


def test_missing_values_can_be_added_and_replaced(tmp_path):
    path = write(tmp_path / "t.csv", "a,b\n" + "1,x\n-9,NA\n3,none\n4,?\n5,x\n-9.0,y\n" * 3)
    assert [c.missing for c in read_table(path).columns] == [0, 6]
    assert [c.missing for c in read_table(path, missing=["-9", "none"]).columns] == [6, 9]
    assert [c.missing for c in read_table(path, missing={"a": ["-9"]}).columns] == [6, 6]
    only = read_table(path, missing=["?"], default_missing=False)
    assert [c.missing for c in only.columns] == [0, 3]
    assert only.columns[1].categories == ("NA", "none", "x", "y")
    assert only.reading.missing == ("", "?")


def test_comments_can_be_named(tmp_path):
    path = write(tmp_path / "t.csv", CSV.replace("\n", "\n! a remark\n", 5))
    assert_is_the_table(read_table(path, "y", comment="!"))


def test_a_lonely_identifier_is_kept(tmp_path):
    table = read_table(write(tmp_path / "t.csv", "id,y\n" + "".join(f"{i},{i * 1.5}\n" for i in range(20))), "y")
    assert [c.name for c in table.columns] == ["id"]
    assert "identifier_kept" in codes(table)


def test_the_same_file_gives_the_same_fingerprint(tmp_path):
    path = write(tmp_path / "t.csv", CSV)
    assert read_table(path, "y").fingerprint() == read_table(path, "y").fingerprint()
    assert read_table(path, "y").fingerprint() != read_table(path, "y", positive="p").fingerprint()


def test_neither_pandas_nor_pyarrow_is_needed(tmp_path):
    write(tmp_path / "t.csv", CSV)
    duckdb.execute(f"COPY (FROM read_csv('{tmp_path}/t.csv')) TO '{tmp_path}/t.parquet' (FORMAT parquet)")
    code = (
        "import sys\n"
        "for name in ('pandas', 'pyarrow', 'polars', 'pytz', 'zstandard'): sys.modules[name] = None\n"
        "from venire.data import read_table\n"
        f"assert read_table({str(tmp_path / 't.csv')!r}, 'y').rows == 30\n"
        f"assert read_table({str(tmp_path / 't.parquet')!r}, 'y').rows == 30\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_parquet_types(tmp_path):
    path = tmp_path / "t.parquet"
    duckdb.execute(
        f"""COPY (SELECT (i % 7)::DECIMAL(9, 2) AS money, (i % 5)::HUGEINT AS huge, i % 2 = 0 AS flag,
        DATE '2024-01-01' + i::INTEGER AS day, TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL (i) HOUR AS moment,
        TIME '10:00:00' AS clock, [i % 3] AS list, CASE WHEN i % 4 > 0 THEN i % 3 END AS holes
        FROM range(40) r(i)) TO '{path}' (FORMAT parquet)"""
    )
    table = read_table(path)
    kinds = {column.source: column.kind for column in table.columns if not column.part}
    assert kinds == {
        "money": Kind.NUMERIC, "huge": Kind.NUMERIC, "flag": Kind.BOOLEAN, "list": Kind.CATEGORICAL,
        "holes": Kind.NUMERIC,
    }  # fmt: skip
    assert {column.source for column in table.columns if column.part} == {"day", "moment"}
    assert [out.name for out in table.left_out] == ["clock"]
    assert next(column.missing for column in table.columns if column.name == "holes") == 10


def test_columns_with_a_part_of_their_own_are_told(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i * 0.7 % 1:.3f},g{i % 5},2024-01-{i % 28 + 1:02},{i % 3 + 1},{'uv'[i % 2]}\n" for i in range(40))
    path.write_text(f"a,g,day,w,y\n{rows}")
    table = read_table(path, "y", groups="g", time="day", weights="w")
    told = {note.column: note.message for note in table.notes if note.code.endswith("_column")}
    assert told == {
        "g": "it says which rows stay together, and predicts nothing",
        "day": "it orders the rows, and predicts nothing",
        "w": "it weighs rows, and predicts nothing",
    }
    assert not any(note.code.endswith("_column") for note in read_table(path, "y").notes)
