"""The target, its task and its classes; groups, time and weights."""

import numpy as np
import pytest

from tests.data.written import CSV, assert_is_the_table, codes, write
from venire.data import Task, read_table
from venire.errors import DataError


def test_rows_without_target_are_left_out_counted_and_noted(tmp_path):
    table = read_table(write(tmp_path / "t.csv", CSV + "7,u,\n8,v,NA\n9,u,?\n"), "y")
    assert_is_the_table(table)
    assert table.rows_without_target == 3
    note = next(note for note in table.notes if note.code == "rows_without_target")
    assert "3 rows" in note.message


def test_kinds_are_decided_on_the_rows_that_stay(tmp_path):
    table = read_table(write(tmp_path / "t.csv", "a,b,y\n" + "1,u,p\n2,u,q\n" * 5 + "3,v,\n"), "y")
    assert [out.name for out in table.left_out] == ["b"]


@pytest.mark.parametrize(
    ("values", "options", "task", "classes"),
    [
        (["0", "1"] * 5, {}, Task.CLASSIFICATION, (0, 1)),
        (["1.0", "2.0"] * 5, {}, Task.CLASSIFICATION, (1, 2)),
        (["-1", "10", "9"] * 4, {}, Task.CLASSIFICATION, (-1, 9, 10)),
        ([str(i) for i in range(10)], {}, Task.CLASSIFICATION, tuple(range(10))),
        ([str(i) for i in range(11)], {}, Task.REGRESSION, ()),
        ([str(i) for i in range(11)], {"task": "classification"}, Task.CLASSIFICATION, tuple(range(11))),
        (["0", "1"] * 5, {"task": Task.REGRESSION}, Task.REGRESSION, ()),
        (["0", "1"] * 5, {"numeric": ["y"]}, Task.REGRESSION, ()),
        (["0.5", "1.5"] * 5, {}, Task.REGRESSION, ()),
        (["0.5", "1.5"] * 5, {"task": "classification"}, Task.CLASSIFICATION, (0.5, 1.5)),
        (["01", "02"] * 5, {}, Task.CLASSIFICATION, ("01", "02")),
        (["true", "false"] * 5, {}, Task.CLASSIFICATION, ("false", "true")),
        ([" <=50K", " >50K"] * 5, {}, Task.CLASSIFICATION, ("<=50K", ">50K")),
    ],
)
def test_the_task_and_the_classes(values, options, task, classes, tmp_path):
    lines = "".join(f"{i * 0.5},{value}\n" for i, value in enumerate(values))
    table = read_table(write(tmp_path / "t.csv", "x,y\n" + lines), "y", **options)
    assert table.target.task is task
    assert table.target.classes == classes
    assert [type(label) for label in table.target.classes] == [type(label) for label in classes]
    assert table.y.dtype == (np.int32 if classes else np.float64)


def test_a_close_call_is_said(tmp_path):
    lines = "".join(f"{i * 0.5},{i % 7}\n" for i in range(40))
    assert "task_guessed" in codes(read_table(write(tmp_path / "t.csv", "x,y\n" + lines), "y"))
    assert "task_guessed" not in codes(read_table(tmp_path / "t.csv", "y", task="regression"))


def test_a_class_with_a_single_row_is_said(tmp_path):
    table = read_table(write(tmp_path / "t.csv", CSV + "1,u,z\n"), "y")
    assert [n.message for n in table.notes if n.code == "single_row_class"] == ["1 class has a single row: z"]
    many = "".join(f"1,u,t{i:03}\n" for i in range(120))
    table = read_table(write(tmp_path / "t.csv", CSV + many), "y", task="classification")
    assert [n.message for n in table.notes if n.code == "single_row_class"] == [
        "120 classes have a single row: t000, t001, t002, t003, t004 and 115 more"
    ]


def test_groups_and_time(tmp_path):
    lines = "".join(f"{i * 0.5},g{i % 4},{i % 28 + 1:02d}.03.2024,{'pq'[i % 2]}\n" for i in range(20))
    table = read_table(write(tmp_path / "t.csv", "x,g,t,y\n" + lines + "1,,01.04.2024,p\n"), "y", groups="g", time="t")
    assert [c.name for c in table.columns] == ["x"]
    assert table.groups.dtype == np.int32
    assert table.groups[:5].tolist() == [0, 1, 2, 3, 0]
    assert table.groups[-1] == 4
    assert "rows_without_group" in codes(table)
    assert np.diff(table.time[:20]).tolist() == [1.0] * 19
    with pytest.raises(DataError, match="time must be numbers or dates"):
        read_table(tmp_path / "t.csv", "y", time="g", missing=["nothing"], drop=["t"])


def test_a_missing_time_is_an_error(tmp_path):
    path = write(tmp_path / "t.csv", "x,t,y\n1,1,p\n2,,q\n3,3,p\n")
    with pytest.raises(DataError, match="1 row without a time"):
        read_table(path, "y", time="t")


def test_weights_are_read_beside_the_attributes(tmp_path):
    path = write(tmp_path / "t.csv", "x,w,y\n1,0.5,p\n2,2,q\n3,0,\n4,1,p\n")
    table = read_table(path, "y", weights="w")
    assert [c.name for c in table.columns] == ["x"]
    assert table.weights.tolist() == [0.5, 2.0, 1.0]
    assert table.fingerprint() != read_table(path, "y", drop=["w"]).fingerprint()


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("1,-2,1", r"1 row without a usable weight; the first is row 2, with -2"),
        ("1,,1", r"the first is row 2, with nothing"),
        ("0,0,0", "every weight is 0"),
        ("low,high,low", "weights must be numbers, found 'low'"),
        ("2024-01-01,2024-01-02,2024-01-03", "weights must be numbers, found"),
    ],
)
def test_weights_that_cannot_be_used_are_an_error(tmp_path, column, message):
    lines = "".join(f"{i},{w},{'pq'[i % 2]}\n" for i, w in enumerate(column.split(",")))
    with pytest.raises(DataError, match=message) as caught:
        read_table(write(tmp_path / "t.csv", "x,w,y\n" + lines), "y", weights="w")
    assert caught.value.code == "bad_weights"


def test_a_target_whose_squares_overflow_is_refused():
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20.0) * 1e299
    with pytest.raises(DataError, match=r"the target reaches 1\.9e\+300, and errors of that size") as caught:
        read_table((X, y))
    assert caught.value.code == "target_too_large"
    assert read_table((X, y / 1e250)).rows == 20


@pytest.mark.parametrize(("classes", "named"), [(2, "'a0', 'a1'"), (30, "'a2', 'a29', 'a28'")])
def test_an_unknown_positive_class_names_those_there_are(classes, named):
    labels = np.array([f"a{i % classes}" for i in range(90)])
    with pytest.raises(DataError, match=f"no class 'a2x' to call positive; it has {named}"):
        read_table((np.arange(90.0)[:, None], labels), positive="a2x")


def test_classes_and_categories_that_differ_in_capitals_are_told(tmp_path):
    rows = "".join(f"{['Rot', 'rot', 'blau'][i % 3]},{['Yes', 'yes ', 'NO', 'no'][i % 4]}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(f"colour,y\n{rows}")
    table = read_table(tmp_path / "t.csv", "y")
    told = {note.column: note.message for note in table.notes if note.code == "alike_but_for_case"}
    assert told == {
        "y": "'NO' and 'no' differ in capitals only, and are kept apart",
        "colour": "'Rot' and 'rot' differ in capitals only, and are kept apart",
    }
    assert table.target.labels == ("NO", "Yes", "no", "yes")
