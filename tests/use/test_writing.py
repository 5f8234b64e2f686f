"""Tables of results keep their types, and texts are no formulas."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from venire.use.formats import Format
from venire.use.text_fields import guarded
from venire.use.workbooks import write_workbook
from venire.use.writing import TableWriter

TEXTS = ["=1+1", "+a", "-b", "@c", "\td", "\re", "-1.5", "plain", None, 'quo"te', "a,b", "ü"]


def test_texts_are_guarded_alike_in_python_and_in_the_file(tmp_path):
    goal = tmp_path / "out.csv"
    with TableWriter(goal, Format("csv")) as writer:
        writer.add({"=name": np.array(TEXTS, dtype=object), "n": np.arange(len(TEXTS))})
    found = pd.read_csv(goal, keep_default_na=False, dtype={0: str})
    assert list(found) == ["'=name", "n"]
    assert found["'=name"].tolist() == ["" if text is None else guarded(text) for text in TEXTS]
    assert [guarded(text) for text in TEXTS[:7]] == [f"'{text}" for text in TEXTS[:6]] + ["-1.5"]


def test_types_stay_over_parts_with_gaps(tmp_path):
    goal = tmp_path / "out.parquet"
    with TableWriter(goal, Format("parquet")) as writer:
        for gap in (False, True):
            writer.add(
                {
                    "whole": np.ma.MaskedArray([1, 2], [gap, False]),
                    "text": np.array([None, None if gap else "x"], dtype=object),
                    "truth": np.array([True, False]),
                    "when": np.array(["2024-01-01", "NaT"], dtype="datetime64[us]"),
                }
            )
    found = pd.read_parquet(goal, dtype_backend="numpy_nullable")
    assert [str(kind) for kind in found.dtypes] == ["Int64", "string", "boolean", "datetime64[us]"]
    assert found["whole"].isna().tolist() == [False, False, True, False]


def test_without_a_file_parts_go_to_the_output_as_they_come():
    output = io.BytesIO()
    with TableWriter(None, Format("csv"), output) as writer:
        writer.add({"a": np.array([0.1])})
        assert output.getvalue() == b"a\n0.1\n"
        writer.add({"a": np.array([1e-300])})
    assert output.getvalue() == b"a\n0.1\n1e-300\n"


def test_a_workbook_holds_texts_as_texts(tmp_path):
    rows = [(text, 1.5, True, 7) for text in TEXTS]
    write_workbook(tmp_path / "a.xlsx", ["=t", "x", "b", "n"], [rows[:5], rows[5:]])
    write_workbook(tmp_path / "b.xlsx", ["=t", "x", "b", "n"], [rows])
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    openpyxl = pytest.importorskip("openpyxl")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    cells = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert cells[0] == ["=t", "x", "b", "n"]
    assert [row[0] for row in cells[1:]] == TEXTS
    assert cells[1][1:] == [1.5, True, 7]
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)


def test_a_workbook_has_room_for_so_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("venire.use.writing.MOST_ROWS", 3)
    from venire.errors import UsageError

    with (
        pytest.raises(UsageError, match="a workbook holds 3 rows, and there are more"),
        TableWriter(tmp_path / "out.xlsx", Format("xlsx")) as writer,
    ):
        writer.add({"a": np.zeros(4)})
    assert list(tmp_path.iterdir()) == []
