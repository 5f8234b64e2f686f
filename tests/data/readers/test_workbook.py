"""Excel workbooks: types, headers, sheets and merged cells; and bad ones, each with one clear error."""

import datetime as dt
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from tests.data.written import codes
from venire.data import Kind, describe, read_table
from venire.data.readers import unpacking, workbook
from venire.errors import DataError, UsageError

DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=9 * i) for i in range(20)]
ROWS = [[i * 0.5, i % 4, "uvw"[i % 3], i % 2 == 0, DAYS[i], dt.timedelta(hours=i), "pq"[i % 2]] for i in range(20)]
NAMES = ["size", "count", "sort", "ok", "day", "took", "y"]


def saved(path: Path, rows: list[list[Any]], **more: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Data"
    for row in rows:
        sheet.append(row)
    for name, others in more.items():
        added = book.create_sheet(name)
        for row in others:
            added.append(row)
    book.save(path)
    return path


def edited(path: Path, member: str, old: str, new: str) -> Path:
    """The workbook with one text in one of its files replaced."""
    with zipfile.ZipFile(path) as package:
        held = {name: package.read(name) for name in package.namelist()}
    assert old.encode() in held[member]
    held[member] = held[member].replace(old.encode(), new.encode(), 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in held.items():
            package.writestr(name, content)
    return path


def test_cells_have_their_types(tmp_path: Path) -> None:
    table = read_table(saved(tmp_path / "t.xlsx", [NAMES, *ROWS]), "y")
    kinds = {column.source: column.kind for column in table.columns}
    assert kinds == {
        "size": Kind.NUMERIC, "count": Kind.NUMERIC, "sort": Kind.CATEGORICAL, "ok": Kind.BOOLEAN,
        "day": Kind.NUMERIC, "took": Kind.NUMERIC,
    }  # fmt: skip
    held = {column.name: table.X[:, j] for j, column in enumerate(table.columns)}
    assert held["size"].tolist() == [row[0] for row in ROWS]
    assert held["took"].tolist() == [3600.0 * i for i in range(20)]
    assert held["day.month"].tolist() == [day.month for day in DAYS]
    assert describe(table)["reading"]["format"] == "xlsx"
    for target, classes in (("count", (0, 1, 2, 3)), ("ok", (False, True))):
        found = read_table(tmp_path / "t.xlsx", target).target
        assert found is not None
        assert found.classes == classes
        assert type(found.classes[1]) is type(classes[1])


def test_empty_cells_and_errors_are_missing_and_texts_stay_texts(tmp_path: Path) -> None:
    rows = [
        [None if i == 3 else i * 0.5, "#N/A" if i == 4 else "01067" if i % 2 else "80331", "pq"[i % 2]]
        for i in range(20)
    ]
    rows.insert(7, [None, None, None])
    table = read_table(saved(tmp_path / "t.xlsx", [["x", "zip", "y"], *rows]), "y")
    assert table.rows == 20
    assert [(column.name, column.missing) for column in table.columns] == [("x", 1), ("zip", 1)]
    assert table.columns[1].categories == ("01067", "80331")


def test_titles_empty_columns_and_no_header(tmp_path: Path) -> None:
    body = [[None, row[0], row[2], None, row[6]] for row in ROWS]
    titled = saved(tmp_path / "t.xlsx", [["Sales of 2024"], [], [None, "size", "sort", None, "y"], *body])
    table = read_table(titled, "y")
    assert ([column.name for column in table.columns], table.rows) == (["size", "sort"], 20)
    assert "lines_skipped" in codes(table)
    two = read_table(
        saved(tmp_path / "two.xlsx", [["Sales of 2024"], ["sort", "size"], *([i % 2, i % 7 / 4] for i in range(20))])
    )
    assert ([column.name for column in two.columns], two.rows) == (["sort", "size"], 20)
    bare = read_table(saved(tmp_path / "b.xlsx", [[row[0], row[1]] for row in ROWS]), "column_2")
    assert (bare.rows, bare.reading.header) == (20, False)
    forced = read_table(saved(tmp_path / "n.xlsx", [[2020, 2021.5], *([i, i / 7] for i in range(20))]), header=True)
    assert (forced.rows, [out.name for out in forced.left_out], forced.columns[0].name) == (20, ["2020"], "2021.5")


def test_a_sheet_is_chosen_by_name_or_number(tmp_path: Path) -> None:
    path = saved(tmp_path / "t.xlsx", [NAMES, *ROWS], Other=[["a", "b"], *([i, i % 2] for i in range(12))], Empty=[])
    first = read_table(path, "y")
    assert (first.rows, "first_sheet" in codes(first)) == (20, True)
    for asked in ("Other", 2, "2"):
        assert read_table(path, "b", sheet=asked).rows == 12
    with pytest.raises(DataError, match="has no sheet 'Othr'; it has 'Other'") as caught:
        read_table(path, sheet="Othr")
    assert caught.value.code == "unknown_sheet"
    with pytest.raises(DataError, match="has no sheet '9'; it has 'Data', 'Other', 'Empty'"):
        read_table(path, sheet=9)
    with pytest.raises(DataError, match="the sheet 'Empty' is empty"):
        read_table(path, sheet="Empty")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="sheet='Other' is for Excel workbooks"):
        read_table(tmp_path / "t.csv", sheet="Other")


def test_every_row_of_a_merged_cell_has_its_value(tmp_path: Path) -> None:
    path = saved(
        tmp_path / "t.xlsx", [["shop", "x", "y"], *([["n", "s"][i // 10], i * 0.5, "pq"[i % 2]] for i in range(20))]
    )
    book = openpyxl.load_workbook(path)
    sheet = book["Data"]
    sheet.merge_cells("A2:A11")
    sheet.merge_cells("A12:A21")
    book.save(path)
    table = read_table(path, "y")
    assert table.X[:, 0].tolist() == [0.0] * 10 + [1.0] * 10
    assert [note.message for note in table.notes if note.code == "merged_cells"] == [
        "the 2 merged cells of the sheet: every row in it has its value"
    ]


def test_formulas_count_as_the_value_stored_with_them(tmp_path: Path) -> None:
    rows = [["x", "z", "y"], *([i * 0.5, f"=A{i + 2}*2", "pq"[i % 2]] for i in range(20))]
    path = saved(tmp_path / "t.xlsx", rows)
    table = read_table(path, "y")
    assert [note.message[:42] for note in table.notes if note.code == "empty_formulas"] == [
        "20 formula(s) of the sheet have no stored "
    ]
    for i in range(20):
        edited(path, "xl/worksheets/sheet1.xml", f"<f>A{i + 2}*2</f><v />", f"<f>A{i + 2}*2</f><v>{2.5 * i}</v>")
    table = read_table(path, "y")
    assert table.X[:, 1].tolist() == [2.5 * i for i in range(20)]
    assert "empty_formulas" not in codes(table)


def test_a_workbook_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = saved(tmp_path / "t.xlsx", [NAMES, *ROWS]).read_bytes()
    with zipfile.ZipFile(tmp_path / "t.xlsx") as package:
        cells = package.getinfo("xl/worksheets/sheet1.xml").header_offset + 200
    entry = whole.index(b"PK\x01\x02")  # of the list of contents: the version it needs, its flags, its name
    newer, named = bytearray(whole), bytearray(whole)
    newer[entry + 6] = 228
    named[entry + 9] |= 8
    named[entry + 46] = 0xFF
    broken = {
        "newer": (newer, "truncated_file", r"damaged or cut short \(zip file version 22.8\)"),
        "named": (named, "truncated_file", "damaged or cut short"),
        "cut": (whole[: len(whole) // 2], "truncated_file", "damaged or cut short"),
        "damaged": (whole[:cells] + bytes(200) + whole[cells + 200 :], "truncated_file", "damaged or cut short"),
        "junk": (b"PK\x03\x04" + bytes(100), "truncated_file", "damaged or cut short"),
        "locked": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "unsupported_format", "or one with a password"),
    }
    for name, (content, code, said) in broken.items():
        path = tmp_path / f"{name}.xlsx"
        path.write_bytes(content)
        with pytest.raises(DataError, match=said) as caught:
            read_table(path)
        assert (caught.value.code, caught.value.file) == (code, str(path))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as package:
        package.writestr("readme.txt", "no table")
    with pytest.raises(DataError, match="this is a zip archive, which venire does not read"):
        read_table(tmp_path / "other.zip")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(UsageError, match="needs the package python-calamine") as missing:
        read_table(tmp_path / "t.xlsx")
    assert "venire[excel]" in str(missing.value.hint)


def test_a_workbook_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "t.xlsx", [NAMES, *ROWS])
    far = edited(path, "xl/worksheets/sheet1.xml", 'r="A21"', 'r="XFD1048576"')
    with pytest.raises(DataError, match="spread over 1,048,576 rows and 16,384 columns") as caught:
        read_table(far)
    assert caught.value.code == "sheet_too_large"
    with zipfile.ZipFile(far, "a", zipfile.ZIP_DEFLATED) as package:
        package.writestr("xl/media/bomb.bin", bytes(5_000_000))
    monkeypatch.setattr(unpacking, "ALWAYS_ALLOWED", 1_000_000)
    with pytest.raises(DataError, match="unpacks to more than") as caught:
        read_table(far)
    assert caught.value.code == "unpacks_too_large"


def test_several_workbooks_are_refused(tmp_path: Path) -> None:
    for name in "ab":
        saved(tmp_path / f"{name}.xlsx", [NAMES, *ROWS])
    with pytest.raises(DataError, match="one workbook at a time"):
        read_table(str(tmp_path / "*.xlsx"), "y")


def test_a_workbook_through_a_pipe_and_as_new_rows(tmp_path: Path) -> None:
    from venire.data import conform

    path = saved(tmp_path / "t.xlsx", [NAMES, *ROWS], More=[NAMES, *ROWS[:5]])
    table = read_table(path, "y")
    new = conform(path, table.columns, target=table.target, sheet="More")
    np.testing.assert_array_equal(new.X, table.X[:5])
    assert new.y is not None
    assert new.y.tolist() == table.y[:5].tolist()
    assert workbook.is_workbook(path, "t.xlsx")
