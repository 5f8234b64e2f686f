"""Numbers as people write them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.data.columns.numbers import parse_numbers

WRITTEN = {
    "1": 1.0, "-1.5": -1.5, "+2.": 2.0, ".5": 0.5, "1e3": 1000.0, "1E-3": 0.001, "1,234": 1234.0,
    "1,234,567.5": 1234567.5, "1'234": 1234.0, "1 234": 1234.0, "1\u202f234.5": 1234.5, "$5": 5.0, "-$5.5": -5.5,
    "€ 7": 7.0, "12%": 12.0, "12 %": 12.0, "inf": np.inf, "-Infinity": -np.inf, "1e400": np.inf,
}  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN, ids=repr)
def test_a_number(text):
    parsed = parse_numbers([text])
    assert parsed.found.tolist() == [True]
    assert parsed.values.tolist() == [WRITTEN[text]]


@pytest.mark.parametrize(
    "text", ["", "-", "1.2.3", "0x10", "1_000", "12a", "1,23,456", "%", "$", "٣", "1e", "nan", "0,123,4"]
)
def test_no_number(text):
    assert parse_numbers([text]).found.tolist() == [False]


def test_the_decimal_sign_is_that_of_most():
    assert parse_numbers(["1,5", "1.234,5"]).values.tolist() == [1.5, 1234.5]
    assert parse_numbers(["1,234", "1,5"]).values.tolist() == [1.234, 1.5]
    assert parse_numbers(["1.234"], prefer=",").values.tolist() == [1234.0]
    assert parse_numbers(["1.5"], prefer=",").values.tolist() == [1.5]


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(".,"))
def test_what_python_writes_is_read(number, decimal):
    parsed = parse_numbers([repr(number).replace(".", decimal)], prefer=decimal)
    assert parsed.values.tolist() == [number]


@given(st.floats(-1e15, 1e15), st.booleans())
def test_thousands_are_read(number, comma):
    text = f"{number:,.3f}"
    if comma:
        text = text.replace(",", "_").replace(".", ",").replace("_", ".")
    parsed = parse_numbers([text], prefer="," if comma else ".")
    assert parsed.values.tolist() == [float(f"{number:.3f}")]
