"""Results that need no database are the very bytes that it would write."""

from __future__ import annotations

import io

import numpy as np
import pytest

from venire.data.rows_as_text import Coded
from venire.use import writing
from venire.use.formats import Format
from venire.use.text_fields import plain_columns
from venire.use.writing import TableWriter

CODES = np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)
NUMBERS = np.array([0.1, -0.0, 1e-5, 1e16, 123456.75, np.nan])
TEXTS = ("plain", "=1+1", "-1.5", "@a", 'quo"te', "a,b", "a\tb", "two\nlines", "\rx", "#no comment", "", " ü ")


def written(columns, form: str) -> bytes:
    output = io.BytesIO()
    with TableWriter(None, Format(form), output) as writer:
        writer.add(columns)
        writer.add(columns)
    return output.getvalue()


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize(
    "labels",
    [
        *[np.array(TEXTS[first : first + 3]) for first in range(0, len(TEXTS), 3)],
        np.array([-1, 2, 30]),
        np.array([0.5, 1.0, -2e20]),
        np.array([False, True, True]),
    ],
    ids=str,
)
def test_the_same_bytes_with_and_without_a_database(monkeypatch, labels, form):
    columns = {
        "predicted": Coded(CODES, labels),
        "=p,\tq": NUMBERS,
        "in_set": CODES > 0,
        "set_size": CODES.astype(np.int64) - 1,
    }
    assert plain_columns(columns, form) is not None
    plain = written(columns, form)
    monkeypatch.setattr(writing, "plain_columns", lambda columns, form: None)
    assert plain == written(columns, form)


@pytest.mark.parametrize(
    "values",
    [
        np.array(["a"], dtype=object),
        np.ma.MaskedArray([1], [True]),
        np.array(["2024-01-01"], dtype="datetime64[us]"),
        np.zeros(1, dtype=np.float32),
    ],
    ids=lambda values: str(values.dtype),
)
def test_other_columns_are_left_to_the_database(values):
    assert plain_columns({"a": values}, "csv") is None
    assert plain_columns({"a": np.zeros(1)}, "parquet") is None
    assert written({"a": values, "b": np.zeros(1)}, "csv").startswith(b"a,b\n")
