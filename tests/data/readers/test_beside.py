"""A target, groups, times and weights given as values beside the table."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from venire.data import Table, read_table
from venire.errors import DataError, UsageError

ROWS = 24
_RNG = np.random.default_rng(5)
X = _RNG.normal(size=(ROWS, 2))
FRAME = pd.DataFrame(
    {
        "a": X[:, 0],
        "b": X[:, 1],
        "class": np.array(["no", "yes"])[np.arange(ROWS) % 2],
        "patient": np.arange(ROWS) // 4,
        "day": [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=int(d)) for d in _RNG.permutation(ROWS)],
        "weight": _RNG.uniform(1, 2, size=ROWS),
    }
)
PARTS = {"target": "class", "groups": "patient", "time": "day", "weights": "weight"}

# However the values are held, they are those of the frame's columns.
FORMS: dict[str, Any] = {
    "array": lambda name: FRAME[name].to_numpy(),
    "list": lambda name: FRAME[name].tolist(),
    "column of an array": lambda name: FRAME[name].to_numpy().reshape(-1, 1),
    "pandas": lambda name: FRAME[name],
    "pandas, another index": lambda name: FRAME[name].set_axis(np.arange(ROWS)[::-1]),
    "pandas, a frame": lambda name: FRAME[[name]],
    "polars": lambda name: pl.Series(name, FRAME[name].tolist()),
    "polars, lazy": lambda name: pl.LazyFrame({name: FRAME[name].tolist()}),
    "arrow": lambda name: pa.chunked_array([pa.array(FRAME[name])]),
}


def parts_of(table: Table) -> tuple[Any, ...]:
    return table.target.classes, table.y, table.groups, table.time, table.weights, table.X


@pytest.mark.parametrize("source", ["frame", "array", "list", "file"])
@pytest.mark.parametrize("form", FORMS)
def test_values_play_the_parts_that_columns_play(form: str, source: str, tmp_path: Path) -> None:
    FRAME[["a", "b"]].to_csv(tmp_path / "ab.csv", index=False)
    rows = {"frame": FRAME[["a", "b"]], "array": X, "list": X.tolist(), "file": tmp_path / "ab.csv"}[source]
    table = read_table(rows, **{part: FORMS[form](name) for part, name in PARTS.items()})
    for found, wanted in zip(parts_of(table), parts_of(read_table(FRAME, **PARTS)), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert [column.name for column in table.columns] == (["a", "b"] if source in ("frame", "file") else ["x0", "x1"])


def test_values_take_the_name_their_owner_gave_them_or_that_of_their_part() -> None:
    named = read_table(FRAME[["a", "b"]], FRAME["class"], groups=FRAME["patient"], weights=np.ones(ROWS))
    assert named.target.name == "class"
    assert {note.code: note.column for note in named.notes if note.code.endswith("_column")} == {
        "groups_column": "patient",
        "weights_column": "weights",
    }
    assert read_table(X, pd.Series(np.arange(ROWS) % 2, name=0)).target.name == "0"
    assert read_table((X, FRAME["class"]), "outcome", groups=FRAME["patient"]).target.name == "outcome"


def test_a_column_of_the_table_is_known_again_and_is_no_attribute() -> None:
    table = read_table(FRAME, **{part: FRAME[name] for part, name in PARTS.items()})
    for found, wanted in zip(parts_of(table), parts_of(read_table(FRAME, **PARTS)), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert [column.name for column in table.columns] == ["a", "b"]
    gaps = FRAME[["a", "b"]].assign(label=[None, "p", "q"] * 8)
    again = read_table(gaps, gaps["label"])
    assert (again.target.name, again.rows_without_target, len(again.columns)) == ("label", 8, 2)


def test_other_values_under_the_name_of_a_column_are_told() -> None:
    table = read_table(FRAME[["a", "b"]], FRAME["a"] ** 3)
    assert (table.target.name, [column.name for column in table.columns]) == ("a_", ["a", "b"])
    np.testing.assert_array_equal(table.X[:, 0], FRAME["a"])
    np.testing.assert_array_equal(table.y, FRAME["a"] ** 3)
    assert [note.message for note in table.notes if note.code == "same_name"] == [
        "the table has a column 'a' with other values, which stays; target is called 'a_'"
    ]


def test_rows_without_a_target_lose_their_group_and_weight_too() -> None:
    y = np.where(np.arange(ROWS) % 3 == 0, np.nan, X[:, 0])
    table = read_table(X, y, groups=FRAME["patient"].to_numpy(), weights=FRAME["weight"].tolist())
    known = np.arange(ROWS) % 3 != 0
    np.testing.assert_array_equal(table.weights, FRAME["weight"][known])
    np.testing.assert_array_equal(table.groups, np.unique(FRAME["patient"][known], return_inverse=True)[1])


@pytest.mark.parametrize("part", PARTS)
def test_a_wrong_length_is_one_clear_error(part: str) -> None:
    given = {"target": "class", part: FRAME[PARTS[part]].to_numpy()[:-1]}
    with pytest.raises(DataError, match=f"^the table has 24 rows, and {part} has 23 values$") as caught:
        read_table(FRAME, **given)
    assert caught.value.code == "lengths_differ"
    assert caught.value.hint == "give one value a row, or the name of a column"


@pytest.mark.parametrize(
    ("source", "given", "words"),
    [
        (X, {"target": X}, r"target must have one dimension, this one has shape \(24, 2\)"),
        (X, {"target": [[1], [1, 2]]}, "target has rows of different lengths"),
        (X, {"target": X[:, 0], "groups": np.array(3)}, "groups must have one dimension"),
        (X, {"target": (value for value in X[:, 0])}, "target must have one dimension"),
        ((X, X[:, 0]), {"target": X[:, 1]}, "given twice, as y"),
        (FRAME, {"target": "class", "groups": FRAME["class"]}, "'class' cannot play two parts"),
        ((FRAME, X[:, 1]), {"target": "a"}, "X has a column 'a' already"),
    ],
)
def test_values_that_make_no_sense(source: Any, given: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_table(source, **given)


def test_an_index_in_another_order_is_noted() -> None:
    turned = FRAME["class"].sample(frac=1, random_state=0)
    notes = [note.message for note in read_table((FRAME[["a", "b"]], turned)).notes if note.code == "index_order"]
    assert notes == ["the index of y has the labels of the table's rows in another order; values go by place"]
    for harmless in (
        FRAME["class"],
        turned.reset_index(drop=True),
        turned.to_numpy(),
        FRAME["class"].set_axis(np.arange(ROWS) + 7),
    ):
        assert not [note for note in read_table((FRAME[["a", "b"]], harmless)).notes if note.code == "index_order"]
