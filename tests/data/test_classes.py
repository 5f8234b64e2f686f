"""Classes: they come back as they went in, one of two is positive, and a target that is no class is refused."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.data.written import codes, write
from venire.data import Task, conform, describe, read_table
from venire.errors import DataError

X = np.arange(12.0)
INTS, BOOLS, WORDS = [1, 2, 2] * 4, [True, False, False] * 4, ["b", "a", "a"] * 4


def _frames() -> dict[str, tuple[Any, type | np.dtype[Any], list[Any]]]:
    """A frame of every kind with a target `y`, the type its classes have, and the classes."""
    of_text, of_int = pl.Enum(["b", "a"]), np.dtype(np.int64)
    pandas = {name: pd.DataFrame({"x": X, "y": y}) for name, y in (("int", INTS), ("bool", BOOLS), ("word", WORDS))}
    return {
        "list of bools": ((X[:, None], BOOLS), np.dtype(bool), [False, True]),
        "array of int8": ((X[:, None], np.array(INTS, np.int8)), np.dtype(np.int8), [1, 2]),
        "array of float32": ((X[:, None], np.array(INTS, np.float32)), np.dtype(np.float32), [1.0, 2.0]),
        "pandas bool": (pandas["bool"], np.dtype(bool), [False, True]),
        "pandas boolean": (pandas["bool"].astype({"y": "boolean"}), np.dtype(bool), [False, True]),
        "pandas object of bools": (pandas["bool"].astype({"y": object}), np.dtype(bool), [False, True]),
        "pandas int": (pandas["int"], of_int, [1, 2]),
        "pandas Int16": (pandas["int"].astype({"y": "Int16"}), np.dtype(np.int16), [1, 2]),
        "pandas float": (pandas["int"].astype({"y": float}), np.dtype(np.float64), [1.0, 2.0]),
        "pandas category of ints": (pandas["int"].astype({"y": "category"}), of_int, [1, 2]),
        "pandas category of bools": (pandas["bool"].astype({"y": "category"}), np.dtype(bool), [False, True]),
        "pandas category of texts": (pandas["word"].astype({"y": "category"}), str, ["a", "b"]),
        "polars Boolean": (pl.DataFrame({"x": X, "y": BOOLS}), np.dtype(bool), [False, True]),
        "polars UInt8": (pl.DataFrame({"x": X, "y": pl.Series(INTS, dtype=pl.UInt8)}), np.dtype(np.uint8), [1, 2]),
        "polars Enum": (pl.DataFrame({"x": X, "y": pl.Series(WORDS, dtype=of_text)}), str, ["a", "b"]),
        "polars Categorical": (pl.DataFrame({"x": X, "y": pl.Series(WORDS, dtype=pl.Categorical)}), str, ["a", "b"]),
        "arrow bool": (pa.table({"x": X, "y": BOOLS}), np.dtype(bool), [False, True]),
        "arrow int32": (pa.table({"x": X, "y": pa.array(INTS, pa.int32())}), np.dtype(np.int32), [1, 2]),
        "arrow dictionary": (pa.table({"x": X, "y": pa.array(WORDS).dictionary_encode()}), str, ["a", "b"]),
    }


@pytest.mark.parametrize("name", _frames())
def test_classes_have_the_type_of_the_target(name: str) -> None:
    source, kind, classes = _frames()[name]
    target = read_table(source, None if isinstance(source, tuple) else "y").target
    assert target is not None
    assert target.task is Task.CLASSIFICATION
    assert list(target.classes) == classes
    values = np.array(target.classes)
    assert all(isinstance(label, str) for label in target.classes) if kind is str else values.dtype == kind
    assert all(type(label) is str for label in target.labels)
    known = values[target.values].tolist()
    given = source[1] if isinstance(source, tuple) else source["y"]
    assert known == (given.to_pylist() if isinstance(given, pa.ChunkedArray) else list(given))


def test_labels_in_print_are_those_of_before() -> None:
    floats = read_table((X[:, None], np.array(INTS, float))).target
    assert floats is not None
    assert floats.labels == ("1", "2")
    bools = read_table((X[:, None], BOOLS)).target
    assert bools is not None
    assert bools.labels == ("False", "True")


def test_whole_numbers_too_long_for_a_double_stay_themselves() -> None:
    long = [9007199254740993, 9007199254740992, 2**62 + 1]
    target = read_table((X[:, None], np.array(long * 4))).target
    assert target is not None
    assert [type(label) for label in target.classes] == [int] * 3
    assert target.classes == tuple(sorted(long))


@pytest.mark.parametrize("form", ["parquet", "json"])
def test_typed_files_give_their_types(form: str, tmp_path: Any) -> None:
    frame = pl.DataFrame({"x": X, "b": BOOLS, "i": INTS, "f": np.array(INTS, float) / 2, "w": WORDS})
    path = tmp_path / f"t.{form}"
    frame.write_parquet(path) if form == "parquet" else frame.write_ndjson(path)
    for column, classes in (("b", (False, True)), ("i", (1, 2)), ("f", (0.5, 1.0)), ("w", ("a", "b"))):
        target = read_table(path, column, task="classification").target
        assert target is not None
        assert target.classes == classes
        assert [type(label) for label in target.classes] == [type(label) for label in classes]


def test_a_categorical_target_of_many_numbers_is_one_of_classes() -> None:
    frame = pd.DataFrame({"x": np.arange(150.0), "y": pd.Categorical(np.arange(150) % 15)})
    target = read_table(frame, "y").target
    assert target is not None
    assert (target.task, target.classes) == (Task.CLASSIFICATION, tuple(range(15)))


@pytest.mark.parametrize("written", [[True, False], ["true", "False"], [1, 0], ["yes", "no"]])
def test_new_rows_may_write_a_truth_value_otherwise(written: list[Any]) -> None:
    table = read_table(pd.DataFrame({"x": X, "y": BOOLS}), "y")
    new = conform(pd.DataFrame({"x": X[:2], "y": pd.Series(written)}), table.columns, target=table.target)
    assert new.y is not None
    assert new.y.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("values", "asked", "positive", "why"),
    [
        ("1 1 2", None, "2", "it is the rarer one"),
        ("1 2 2", None, "1", "it is the rarer one"),
        ("1 2", None, "2", "both are equally frequent, and it is the last in order"),
        ("a b", None, "b", "both are equally frequent, and it is the last in order"),
        ("0 1 1", None, "1", "its name says so"),
        ("-1 1 1", None, "1", "its name says so"),
        ("good good bad", None, "bad", "it is the rarer one"),
        ("good good bad", "good", "good", "as you asked"),
        ("0 1 1", 0, "0", "as you asked"),
        ("yes yes no", None, "yes", "its name says so"),
        ("yes yes maybe", None, "yes", "its name says so"),
        ("ja nein ja", None, "ja", "its name says so"),
        ("t t f", None, "t", "its name says so"),
        ("t t s", None, "s", "it is the rarer one"),
        ("pos neg pos", None, "pos", "its name says so"),
        ("1 1 2", 1, "1", "as you asked"),
        ("1 1 2", 1.0, "1", "as you asked"),
        ("1 1 2", "1", "1", "as you asked"),
        ("no no yes", "no", "no", "as you asked"),
    ],
)
def test_one_of_two_classes_is_positive_and_that_is_said(values, asked, positive, why, tmp_path):
    lines = "".join(f"{i * 0.5},{value}\n" for i, value in enumerate(values.split() * 4))
    table = read_table(write(tmp_path / "t.csv", "x,y\n" + lines), "y", positive=asked)
    assert table.target.labels[table.target.positive] == positive
    told = [note.message for note in table.notes if note.code == "positive_class"]
    assert told == [f"class {positive!r} is {'taken as ' if asked is None else ''}positive: {why}"]
    assert describe(table)["target"]["positive"] == positive


@pytest.mark.parametrize(("asked", "code"), [(True, 1), (False, 0), ("true", 1), ("False", 0), (np.False_, 0)])
def test_a_truth_value_can_be_called_positive(asked: Any, code: int) -> None:
    target = read_table((X[:, None], BOOLS), positive=asked).target
    assert target is not None
    assert target.positive == code


def test_among_many_classes_the_one_asked_for_is_said() -> None:
    table = read_table((X[:, None], ["a", "b", "c"] * 4), positive="c")
    assert "class 'c' is positive: as you asked" in [note.message for note in table.notes]
    assert "positive_class" not in codes(read_table((X[:, None], ["a", "b", "c"] * 4)))


def _names(classes: int, rows: int) -> list[str]:
    return [f"name {i % classes}" for i in range(rows)]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (_names(891, 891), "the target has 891 different values in 891 rows, 891 of them in a single row"),
        (_names(500, 891), "the target has 500 different values in 891 rows, 109 of them in a single row"),
        ([*_names(300, 300), *["a", "b"] * 100], "the target has 302 different values in 500 rows, 300 of them"),
        (_names(12, 24), "the target has 12 different values in 24 rows, none of them in a single row"),
    ],
)
def test_a_target_that_is_no_class_is_refused_at_once(names: list[str], said: str) -> None:
    frame = pd.DataFrame({"x": np.arange(len(names)), "y": names})
    with pytest.raises(DataError, match=said) as caught:
        read_table(frame, "y")
    assert (caught.value.code, caught.value.column) == ("no_class", "y")
    assert caught.value.hint is not None
    assert "task='classification'" in caught.value.hint
    assert read_table(frame, "y", task="classification").target.classes
    assert read_table(frame, "y", categorical=["y"]).target.classes


@pytest.mark.parametrize(("classes", "rows"), [(100, 1000), (50, 150), (10, 10), (2, 3), (26, 800)])
def test_many_classes_with_rows_enough_are_classes(classes: int, rows: int) -> None:
    target = read_table((np.arange(float(rows))[:, None], _names(classes, rows))).target
    assert target is not None
    assert len(target.classes) == classes


@pytest.mark.parametrize("options", [{}, {"task": "classification"}])
def test_more_classes_than_can_be_told_apart_are_refused(options: dict[str, Any]) -> None:
    frame = pd.DataFrame({"x": np.arange(280_000), "y": [f"{i % 70_000}e" for i in range(280_000)]})
    with pytest.raises(DataError, match=r"the target has 70,000 classes, and a model takes at most 10,000") as caught:
        read_table(frame, "y", **options)
    assert caught.value.code == "too_many_classes"
