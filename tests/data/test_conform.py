"""New rows in the shape of a known table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from venire.data import conform, read_table
from venire.errors import DataError

HEADER = "size,colour,flag,day,code,y\n"
ROWS = "".join(
    f"{i * 0.5},{colour},{['no', 'yes'][i % 2]},{i % 28 + 1}.{i % 12 + 1}.2024,{i % 4},{'pq'[i % 2]}\n"
    for i, colour in enumerate(["red", "blue", "green"] * 20)
)


@pytest.fixture
def known(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text(HEADER + ROWS)
    return read_table(path, "y", categorical=["code"])


def test_the_training_file_conforms_to_itself(known, tmp_path):
    again = conform(tmp_path / "train.csv", known.columns, target=known.target, reading=known.reading)
    np.testing.assert_array_equal(again.X, known.X)
    np.testing.assert_array_equal(again.y, known.y)
    assert again.X.flags.f_contiguous
    assert not again.notes


def test_some_of_the_columns_in_another_order(known, tmp_path):
    chosen = [7, 0, 2, 3, 1]
    again = conform(tmp_path / "train.csv", [known.columns[j] for j in chosen])
    np.testing.assert_array_equal(again.X, known.X[:, chosen])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_with_other_types(known, make):
    frame = make(
        {
            "extra": ["x", "y"],
            "code": [3, 0],
            "day": [pd.Timestamp("2024-05-01").to_pydatetime(), pd.Timestamp("2024-12-31").to_pydatetime()],
            "flag": [True, False],
            "colour": ["green", "blue"],
            "size": [7, 8],
        }
    )
    new = conform(frame, known.columns)
    by_name = {column.name: new.X[:, j].tolist() for j, column in enumerate(known.columns)}
    assert by_name["size"] == [7.0, 8.0]
    assert by_name["colour"] == [1.0, 0.0]
    assert by_name["flag"] == [1.0, 0.0]
    assert by_name["code"] == [3.0, 0.0]
    assert by_name["day.month"] == [5.0, 12.0]
    assert not new.notes


def test_surprises_become_missing_and_are_counted(known, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("size,colour,flag,day,code\nlarge,violet,maybe,soon,9\ninf,red,yes,3.4.2024,1.0\n,?,,,\n")
    new = conform(path, known.columns)
    assert np.isnan(new.X[0]).all()
    assert np.isnan(new.X[2]).all()
    found = {(note.code, note.column) for note in new.notes if note.column}
    assert {
        ("words_among_numbers", "size"), ("infinite_values", "size"), ("unreadable_dates", "day"),
    } <= found  # fmt: skip
    unknown = next(note for note in new.notes if note.code == "unknown_category")
    assert "3 columns ('colour', 'flag', 'code')" in unknown.message
    by_name = {column.name: new.X[1, j] for j, column in enumerate(known.columns)}
    assert (by_name["code"], by_name["day.month"]) == (1.0, 4.0)


def test_a_missing_column_is_an_error(known, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("size,color,flag,code\n1,red,yes,1\n2,red,no,2\n")
    with pytest.raises(DataError, match=r"lack 2 columns the model was trained on: 'colour', 'day'") as caught:
        conform(path, known.columns)
    assert (caught.value.code, caught.value.file) == ("missing_column", str(path))
    assert "'color'" in caught.value.hint


def test_no_column_is_taken_for_one_that_is_there_itself():
    known = pd.DataFrame({"savings_status": [1.5, 2.5, 3.5], "checking_status": [0.5, 1.5, 0.7]})
    columns = read_table(known.assign(y=["p", "q", "p"]), "y").columns
    with pytest.raises(DataError, match=r"lack 1 column the model was trained on: 'checking_status'") as caught:
        conform(known[["savings_status"]], columns)
    assert caught.value.hint == "give the columns the names they had in training"


def test_arrays_go_by_place():
    X = np.random.default_rng(0).random((20, 3))
    X[:, 1] = 7.0  # constant, so that x1 is left out
    table = read_table((X, np.arange(20) % 2))
    assert [column.name for column in table.columns] == ["x0", "x2"]
    np.testing.assert_array_equal(conform(X[:5], table.columns).X, X[:5][:, [0, 2]])
    np.testing.assert_array_equal(conform(X[:5][:, [0, 2]].copy(), known_as(table)).X, X[:5][:, [0, 2]])
    with pytest.raises(DataError, match="lack"):
        conform(X[:5, :1], table.columns)


def known_as(table):
    """The same attributes under names an array cannot have."""
    from dataclasses import replace

    return [replace(column, name=f"{column.name}_named") for column in table.columns]


def test_markers_of_the_training_count_again(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n-9,none\n3,y\n" * 5)
    table = read_table(path, missing={"a": ["-9"], "b": ["none"]})
    np.testing.assert_array_equal(conform(path, table.columns, reading=table.reading).X, table.X)
    np.testing.assert_array_equal(
        conform(np.array([[-9.0, np.nan]]), table.columns, reading=table.reading).X, [[np.nan] * 2]
    )


def test_labels_that_are_missing_or_unknown(known, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text(HEADER + "1,red,yes,3.4.2024,1,q\n2,red,no,3.4.2024,1,\n3,red,no,3.4.2024,1,z\n")
    new = conform(path, known.columns, target=known.target)
    assert new.y.tolist() == [1, -1, -1]
    path.write_text("size,colour,flag,day,code\n1,red,yes,3.4.2024,1\n2,red,no,3.4.2024,1\n")
    with pytest.raises(DataError, match="no target 'y'"):
        conform(path, known.columns, target=known.target)


def test_numbers_as_targets(tmp_path):
    X = np.random.default_rng(0).random((20, 2))
    table = read_table((X, X[:, 0] * 3))
    new = conform((X[:4], [1.5, 2.5, np.nan, 4]), table.columns, target=table.target)
    np.testing.assert_array_equal(new.y, [1.5, 2.5, np.nan, 4])


def test_dates_as_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("d,x\n" + "".join(f"{20240101 + i % 20},{i}.5\n" for i in range(40)))
    table = read_table(path, date=["d"])
    np.testing.assert_array_equal(conform(path, table.columns).X, table.X)
    path.write_text("d,x\n2024-01-05,1\n20240106,2\n")
    assert "unreadable_dates" in [note.code for note in conform(path, table.columns).notes]
