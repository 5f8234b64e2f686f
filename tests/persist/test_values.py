"""Values as plain JSON: what can be written comes back as it was, and nothing else comes back."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from venire.data.table import Column, Kind
from venire.errors import ModelFormatError, UsageError
from venire.persist import values
from venire.persist.registry import kinds, kinds_by_class
from venire.persist.values import MOST_DEPTH, Reader, Writer


def back(value: Any) -> Any:
    writer = Writer(kinds_by_class())
    plain = json.loads(json.dumps(writer.plain(value), allow_nan=False))
    return Reader(kinds(), writer.arrays).value(plain)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, 2**70, 0.1, 5e-324, -0.0, math.inf, "", "wörd\n", [1, [2]], (), (1, (2, "a")), {},
        {1: "a", "b": (2,)}, {True: 1}, [{"x": None}], Kind.NUMERIC, Column("a", Kind.CATEGORICAL, ("x", "y")),
    ],
)  # fmt: skip
def test_values_come_back_as_they_were(value: Any) -> None:
    found = back(value)
    assert found == value
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_numbers_of_numpy_come_back_as_plain_ones() -> None:
    assert back([np.float64(0.1), np.int32(3), np.bool_(True), np.str_("a")]) == [0.1, 3, True, "a"]
    assert math.isnan(back(np.float64("nan")))


@pytest.mark.parametrize(
    "array",
    [
        np.array(["a", "bcd"]), np.array([], dtype="<U1"), np.array(["a", "b"], dtype=object),
        np.array([1, 2], dtype=object), np.zeros((2, 3), dtype=np.float32), np.asfortranarray(np.eye(3)),
        np.array([1, 2], dtype=">i4"),
    ],
)  # fmt: skip
def test_arrays_come_back_as_they_were(array: Any) -> None:
    found = back(array)
    assert found.dtype == array.dtype.newbyteorder("=")
    assert found.tolist() == array.tolist()
    assert found.flags.writeable


def test_equal_arrays_are_kept_once_and_come_back_apart() -> None:
    writer = Writer(kinds_by_class())
    plain = writer.plain([np.arange(3.0), np.arange(3.0)])
    assert len(writer.arrays) == 1
    one, other = Reader(kinds(), writer.arrays).value(plain)
    one[0] = 9.0
    assert other[0] == 0.0


def test_a_small_file_does_not_unfold_into_a_large_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_SHARED", 100)
    writer = Writer(kinds_by_class())
    assert len({entry["array"] for entry in writer.plain([np.zeros(10)] * 4)}) > 1
    with pytest.raises(ModelFormatError, match="names large arrays more than once"):
        Reader(kinds(), [np.zeros(10)]).value([{"array": 0}] * 3)
    with pytest.raises(ModelFormatError, match="texts that are too long"):
        Reader(kinds(), []).value({"texts": ["a" * 30, "b"]})


@pytest.mark.parametrize(
    ("plain", "wrong"),
    [
        ({}, "an object of no kind"),
        ({"set": []}, "an object of no kind"),
        ({"tuple": 3}, "an object of no kind"),
        ({"float": "1"}, "an object of no kind"),
        ({"float": ["nan"]}, "an object of no kind"),
        ({"kind": "tree"}, "an object of no kind"),
        ({"kind": "tree", "state": {}}, "is of the kind 'tree', which this venire does not know"),
        ({"kind": ["tree"], "state": {}}, "which this venire does not know"),
        ({"kind": "os.system", "state": {"command": "true"}}, "which this venire does not know"),
        ({"kind": "column", "state": []}, "has no state"),
        ({"kind": "column", "state": {"name": "a"}}, "Column has other fields: name"),
        ({"kind": "task", "state": {"value": "clustering"}}, "makes no task"),
        ({"kind": "task", "state": {}}, "makes no task"),
        ({"array": 1}, "names the array 1, which is not there"),
        ({"array": -1}, "names the array -1, which is not there"),
        ({"array": True}, "names the array True, which is not there"),
        ({"dict": [[1]]}, "a dictionary that is none"),
        ({"dict": [[[1], 2]]}, "a dictionary that is none"),
        ({"texts": [1]}, "texts that are none"),
        ({"objects": [[]]}, "something that is no label"),
        ("\ud800", "a text that is no text"),
        ([0, ["\udfff"]], "model.1.0 holds a text that is no text"),
    ],
)
def test_what_no_writer_leaves_is_refused_with_its_place(plain: Any, wrong: str) -> None:
    with pytest.raises(ModelFormatError, match=wrong):
        Reader(kinds(), [np.zeros(1)]).value(plain)


def test_nesting_has_an_end() -> None:
    deep: Any = []
    for _ in range(MOST_DEPTH + 1):
        deep = [deep]
    with pytest.raises(ModelFormatError, match="nested too deeply"):
        Reader(kinds(), []).value(deep)
    with pytest.raises(UsageError, match="nested too deeply"):
        Writer(kinds_by_class()).plain(deep)


@pytest.mark.parametrize("value", [print, {1, 2}, b"bytes", int, np.zeros(2, dtype=complex), 1j])
def test_what_cannot_be_written_says_so_and_names_a_way_out(value: Any) -> None:
    with pytest.raises(UsageError, match=r"cannot be written to a model file \(it is a.1 of the model\)") as caught:
        Writer(kinds_by_class()).plain({"a": [0, value]})
    assert caught.value.code == "cannot_save"
    assert "pickle" in str(caught.value.hint)
