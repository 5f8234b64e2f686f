"""Numbers as text come back as the same doubles, in the fewest digits, and no array is taken for another."""

from __future__ import annotations

import numpy as np
import pytest

from venire._core import rows_of
from venire.data import rows_as_text as module
from venire.data.rows_as_text import Words, rows_as_text

EDGES = (
    0.0, -0.0, 1.0, -1.0, 0.1, 1e-4, 9.999e-5, 1e-5, 123456789012345.6, 999999999999999.9, 1e15, 1e16, 1.5e16, 1e22,
    1e23, 1e100, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**53, 0.30000000000000004, np.inf, -np.inf,
)  # fmt: skip


def said(values) -> list[str]:
    return b"".join(rows_as_text([np.asarray(values)], ",")).decode().split("\n")[:-1]


def test_a_number_is_written_as_python_writes_it():
    rng = np.random.default_rng(0)
    anything = rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    rounded = np.round(rng.normal(size=5_000) * 10.0 ** rng.integers(-6, 18, 5_000), 3)
    values = np.concatenate([EDGES, anything[~np.isnan(anything)], rounded])
    assert said(values) == list(map(repr, values.tolist()))


def test_what_is_missing_is_nothing():
    codes = np.array([0, -1], dtype=np.int32)
    assert b"".join(rows_as_text([np.array([np.nan, 1.5]), Words(codes, ["a"])], "\t")) == b"\ta\n1.5\t\n"


def test_whole_numbers_to_the_last():
    values = np.array([0, -1, np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    assert said(values) == list(map(str, values.tolist()))


def test_pieces_are_the_rows_in_their_order(monkeypatch):
    columns = [np.arange(10.0), Words(np.arange(10, dtype=np.int32) % 3, ["a", "bb", ""])]
    whole = b"".join(rows_as_text(columns, ","))
    monkeypatch.setattr(module, "PIECE_ROWS", 3)
    assert len(list(rows_as_text(columns, ","))) == 4
    assert b"".join(rows_as_text(columns, ",")) == whole


def test_columns_with_a_step_are_followed():
    assert said(np.arange(6.0)[::2]) == ["0.0", "2.0", "4.0"]


@pytest.mark.parametrize(
    ("columns", "rows", "what"),
    [
        ([np.zeros(2), np.zeros(3)], 2, "the columns differ in length"),
        ([(np.array([0, 1], dtype=np.int32), ["a"])], 2, "a code has no word"),
        ([], 0, "a row has at least one column"),
    ],
)
def test_columns_that_do_not_go_together_are_refused(columns, rows, what):
    with pytest.raises(ValueError, match=what):
        rows_of(columns, rows, ",")


def test_a_delimiter_is_one_byte():
    with pytest.raises(ValueError, match="one byte"):
        rows_of([np.zeros(1)], 1, "ab")


def test_other_types_are_refused_not_converted():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        rows_of([np.zeros(2, dtype=np.float32)], 2, ",")
