"""Frames and arrays as sources."""

import datetime

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from venire.data import Kind, Task, read_table
from venire.errors import DataError, UsageError

COLUMNS = {
    "a": [0.5, None, 2.5, 3.5] * 5,
    "n": [3, 1, 2, 7] * 5,
    "b": ["u", "v", None, "u"] * 5,
    "flag": [True, False, True, True] * 5,
    "day": [datetime.datetime(2024, 1, 1 + i, 6) for i in range(4)] * 5,
    "y": ["p", "q", "p", "p"] * 5,
}

FRAMES = {
    "pandas": pd.DataFrame,
    "pandas, nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas, categories": lambda columns: pd.DataFrame(columns).astype({"b": "category"}),
    "pandas, objects": lambda columns: pd.DataFrame(columns).astype(object),
    "pandas, pyarrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "polars, categories": lambda columns: pl.DataFrame(columns).with_columns(pl.col("b").cast(pl.Categorical)),
    "arrow": pa.table,
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns)),
}


@pytest.mark.parametrize("make", FRAMES, ids=str)
def test_a_frame(make):
    table = read_table(FRAMES[make](COLUMNS), "y")
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds == {
        "a": Kind.NUMERIC, "n": Kind.NUMERIC, "b": Kind.CATEGORICAL, "flag": Kind.BOOLEAN,
        "day.day": Kind.NUMERIC, "day.weekday": Kind.NUMERIC, "day.day_of_year": Kind.NUMERIC, "day.days": Kind.NUMERIC,
    }  # fmt: skip
    np.testing.assert_array_equal(table.X[:4, 0], [0.5, np.nan, 2.5, 3.5])
    np.testing.assert_array_equal(table.X[:4, 2], [0, 1, np.nan, 0])
    np.testing.assert_array_equal(table.X[:4, 3], [1, 0, 1, 1])
    np.testing.assert_array_equal(table.X[:4, 4], [1, 2, 3, 4])
    assert table.target.classes == ("p", "q")
    assert table.columns[0].missing == 5


def test_dates_and_time_zones():
    utc = pd.to_datetime(["2024-01-01 23:30", "2024-01-02 00:30"] * 5).tz_localize("America/New_York")
    table = read_table(pd.DataFrame({"t": utc, "x": range(10)}))
    hours = table.X[:, [column.name for column in table.columns].index("t.hour")]
    assert set(hours) == {4.0, 5.0}
    days = pl.DataFrame({"d": [datetime.date(2024, 1, 1 + i) for i in range(12)]})
    assert "d.days" in [column.name for column in read_table(days).columns]


def test_arrays():
    X = np.arange(12.0).reshape(6, 2)
    table = read_table((X, [0, 1, 0, 1, 0, 1]))
    assert [column.name for column in table.columns] == ["x0", "x1"]
    assert (table.target.name, table.target.classes) == ("target", (0, 1))
    np.testing.assert_array_equal(table.X, X)
    table = read_table((X.tolist(), np.array([0.5, 1.5, 2, 3, 4, 5])), "price")
    assert (table.target.name, table.target.task) == ("price", Task.REGRESSION)


def test_a_running_number_in_an_array_is_an_attribute():
    table = read_table((np.arange(20).reshape(-1, 1), np.arange(20) * 1.5))
    assert [column.kind for column in table.columns] == [Kind.NUMERIC]


def test_x_as_a_frame_and_y_as_a_series():
    X = pd.DataFrame({"a": [1.5, 2.5, 3.5, 4.5]})
    assert read_table((X, pd.Series(["p", "q", "p", "q"], name="label"))).target.name == "label"
    assert read_table((pl.DataFrame(X), pl.Series("a", [1, 0, 1, 0]))).target.name == "a_"
    assert read_table((X, np.array([[1], [0], [1], [0]]))).target.classes == (0, 1)


def test_integer_column_names():
    frame = pd.DataFrame(np.random.default_rng(0).random((20, 4)))
    assert [column.name for column in read_table(frame).columns] == ["0", "1", "2", "3"]
    table = read_table(frame, 2, weights=np.int64(3), kinds={0: "numeric"}, missing={1: ["-9"]})
    assert (table.target.name, [column.name for column in table.columns]) == ("2", ["0", "1"])
    np.testing.assert_array_equal(table.y, frame[2])
    np.testing.assert_array_equal(table.weights, frame[3])
    assert [column.name for column in read_table(frame, target=0, drop=[1]).columns] == ["2", "3"]
    with pytest.raises(DataError, match="there is no column '7' to use as the target"):
        read_table(frame, target=7)
    with pytest.raises(UsageError, match="drop must be a list of names, not 1") as caught:
        read_table(frame, target=0, drop=1)
    assert caught.value.hint == "write drop=[1]"


def test_texts_in_a_typed_source_stay_texts_as_classes():
    table = read_table(pl.DataFrame({"x": [1.5, 2.5, 3.5, 4.5], "y": ["0", "1", "0", "1"]}), "y")
    assert table.target.classes == ("0", "1")


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (42, UsageError, "cannot read a table from int"),
        ((np.zeros((3, 2)), [1, 2]), DataError, "the table has 3 rows, and y has 2 values"),
        ((np.zeros(3), [1, 2, 3]), UsageError, "must have two dimensions"),
        ((np.zeros((3, 2)), np.zeros((3, 2))), UsageError, "y must have one dimension"),
        (([[1, 2], [3]], [1, 2]), UsageError, "X has rows of different lengths"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), DataError, "'a' 2 times"),
        (pd.DataFrame({"a": []}), DataError, "no rows"),
    ],
)
def test_what_cannot_be_read(source, error, message):
    with pytest.raises(error, match=message):
        read_table(source)


def test_a_sparse_matrix_is_refused():
    from scipy import sparse

    with pytest.raises(UsageError, match="sparse"):
        read_table((sparse.eye_array(3).tocsr(), [1, 2, 3]))


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_lengths_of_time_are_numbers_of_seconds(convert):
    spent = pd.to_timedelta([60.0, None, 1.5, 3600.0], unit="s")
    table = read_table(convert(pd.DataFrame({"spent": spent, "n": [1.5, 2.0, 2.5, 3.0]})))
    np.testing.assert_array_equal(table.X[:, 0], [60.0, np.nan, 1.5, 3600.0])
    assert table.columns[0].kind is Kind.NUMERIC
    assert table.columns[0].missing == 1
