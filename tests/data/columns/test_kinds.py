"""What a column is taken for, on small columns whose truth is plain."""

import numpy as np
import pytest

from venire.data import Kind
from venire.data.columns.interpreted import Rules
from venire.data.columns.kinds import interpret
from venire.data.columns.missing import Missing
from venire.data.columns.raw import Dates, Numbers, encode_texts

RULES = Rules(Missing())


def of_texts(values, name="column", rules=RULES, forced=None):
    return interpret(name, encode_texts(values, len(values)), rules, forced)


def of_numbers(values, name="column", rules=RULES, forced=None):
    return interpret(name, Numbers(np.array(values, dtype=float)), rules, forced)


WORDS = ["alpha", "beta", "gamma"]
TEXTS = {
    "words": (WORDS * 10, Kind.CATEGORICAL),
    "numbers as texts": (["1.5", "2", "-3e2"] * 10, Kind.NUMERIC),
    "numbers and blanks": (["29.85", " ", "1889.5", ""] * 10, Kind.NUMERIC),
    "numbers and weak markers": (["1", "-", "3", "None", "4", "."] * 10, Kind.NUMERIC),
    "decimal comma": (["1,5", "2,25", "3,0"] * 10, Kind.NUMERIC),
    "thousands": (["1,234", "12,345,678.5", "7"] * 10, Kind.NUMERIC),
    "currency": (["$1,200.50", "-$3", "$17"] * 10, Kind.NUMERIC),
    "per cent": (["12%", "3.5 %"] * 10, Kind.NUMERIC),
    "padded codes": (["01067", "80331", "10115"] * 10, Kind.CATEGORICAL),
    "t and f": (["t", "f", "?"] * 10, Kind.BOOLEAN),
    "yes and no": (["Yes", "No"] * 10, Kind.BOOLEAN),
    "TRUE and FALSE": (["TRUE", "FALSE"] * 10, Kind.BOOLEAN),
    "M and F": (["M", "F"] * 10, Kind.CATEGORICAL),
    "yes or blank": (["yes", ""] * 10, Kind.CATEGORICAL),
    "one word": (["same"] * 20, Kind.CONSTANT),
    "nothing": (["", "NA", "?", "null"] * 5, Kind.CONSTANT),
    "ISO dates": (["2024-01-31", "2023-12-01"] * 10, Kind.DATE),
    "ISO times": (["2024-01-31T10:20:30", "2023-12-01 08:00"] * 10, Kind.DATE),
    "American dates": (["1/31/2011", "12/1/2012"] * 10, Kind.DATE),
    "German dates": (["31.1.2011", "1.12.2012", "-"] * 10, Kind.DATE),
    "dates with names": (["31 Jan 2011", "1 Dec 2012"] * 10, Kind.DATE),
    "impossible dates": (["2024-13-31", "2023-12-01"] * 10, Kind.CATEGORICAL),
    "months": (["jan", "feb", "mar"] * 10, Kind.CATEGORICAL),
    "codes": ([f"{i:04d}-XY{i}" for i in range(40)], Kind.IDENTIFIER),
    "sentences": ([f"the quick brown fox number {i}" for i in range(40)], Kind.TEXT),
    "few rows, all different": (["a", "b", "c"], Kind.CATEGORICAL),
    "mostly numbers": ([str(i) for i in range(95)] + ["bad"] * 5, Kind.NUMERIC),
    "many numbers, one word": ([str(i) for i in range(80)] + ["bad"] * 20, Kind.NUMERIC),
    "few numbers and words": (["1", "2", "3", "4+"] * 10, Kind.CATEGORICAL),
    "None among words": (["Stone", "None", "Brick"] * 10, Kind.CATEGORICAL),
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTS, ids=str)
def test_texts(case):
    values, kind = TEXTS[case]
    assert of_texts(values).kind is kind


NUMBERS = {
    "measurements": ([0.5, 1.5, 2.5] * 5, "column", Kind.NUMERIC),
    "0 and 1": ([0, 1] * 8, "column", Kind.BOOLEAN),
    "0, 1 and missing": ([0, 1, np.nan] * 8, "column", Kind.BOOLEAN),
    "1 and 2": ([1, 2] * 8, "column", Kind.NUMERIC),
    "one number": ([7] * 20, "column", Kind.CONSTANT),
    "one number or missing": ([7, np.nan] * 10, "column", Kind.NUMERIC),
    "nothing": ([np.nan] * 20, "column", Kind.CONSTANT),
    "only infinite": ([np.inf, -np.inf] * 10, "column", Kind.CONSTANT),
    "running from 1": (range(1, 31), "column", Kind.IDENTIFIER),
    "running from 0": (range(30), "column", Kind.IDENTIFIER),
    "years": (range(1960, 1990), "year", Kind.NUMERIC),
    "different whole numbers": (np.arange(30) * 7 % 31, "weight", Kind.NUMERIC),
    "the same, called id": (np.arange(30) * 7 % 31, "customer_id", Kind.IDENTIFIER),
    "the same, called PID": (np.arange(30) * 7 % 31, "PID", Kind.IDENTIFIER),
    "repeating, called id": (np.arange(30) % 7, "shop_id", Kind.NUMERIC),
    "floats, called id": (np.arange(30) + 0.5, "id", Kind.NUMERIC),
    "running, a few rows": (range(5), "column", Kind.NUMERIC),
}


@pytest.mark.parametrize("case", NUMBERS, ids=str)
def test_numbers(case):
    values, name, kind = NUMBERS[case]
    assert of_numbers(list(values), name).kind is kind


def test_names_we_made_ourselves_make_no_identifier():
    assert of_numbers(range(30), rules=Rules(Missing(), named=False)).kind is Kind.NUMERIC


def test_what_is_left_out_says_why():
    read = of_texts([f"the quick brown fox number {i}" for i in range(40)], "remarks")
    assert (read.left_out.name, read.left_out.kind) == ("remarks", Kind.TEXT)
    assert "40 different values in 40 rows" in read.left_out.reason
    assert "every row has the value 'same'" in of_texts(["same"] * 20).left_out.reason
    assert "every value is missing" in of_texts([None] * 20).left_out.reason
    assert "or too large to be counted with" in of_numbers([1e308, -1e308, np.nan] * 9).left_out.reason
    assert of_numbers([np.nan] * 20).left_out.reason == "every value is missing"


def test_categories_are_in_natural_order():
    (column, codes), = of_texts(["10", "9", "100", "x"] * 4, forced=Kind.CATEGORICAL).attributes  # fmt: skip
    assert column.categories == ("10", "100", "9", "x")
    (column, codes), = of_numbers([20, 9, 100], forced=Kind.CATEGORICAL).attributes  # fmt: skip
    assert column.categories == ("9", "20", "100")
    assert codes.tolist() == [1.0, 0.0, 2.0]


def test_boolean_codes_are_0_for_no_and_1_for_yes():
    (column, codes), = of_texts(["y", "n", "?", "y"]).attributes  # fmt: skip
    assert column.categories == ("n", "y")
    np.testing.assert_array_equal(codes, [1.0, 0.0, np.nan, 1.0])
    assert column.missing == 1


def test_dates_become_the_parts_that_vary():
    stamps = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]").astype("datetime64[us]")
    read = interpret("day", Dates(stamps), RULES)
    parts = {column.part: values for column, values in read.attributes}
    assert list(parts) == ["month", "day", "weekday", "day_of_year", "days"]
    assert (parts["month"][0], parts["weekday"][0], parts["day_of_year"][-1]) == (1.0, 0.0, 60.0)
    assert {column.origin for column, _ in read.attributes} == {"day"}


def test_dates_that_could_be_read_both_ways_are_said():
    read = of_texts(["1/2/2011", "3/4/2012"] * 10)
    assert [note.code for note in read.notes] == ["ambiguous_dates"]
    assert "month, then day" in read.notes[0].message
    read = of_texts(["1/2/2011", "3/4/2012"] * 10, rules=Rules(Missing(), decimal=","))
    assert "day, then month" in read.notes[0].message
    assert not of_texts(["1/2/2011", "13/4/2012"] * 10).notes


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([str(i) for i in range(95)] + ["bad"] * 5, "words_among_numbers"),
        (["1", "2", "3", "4+"] * 10, "mixed_types"),
        (["Stone", "None", "Brick"] * 10, "marker_kept"),
        (["1,234", "12,345,678.5", "7"] * 10, "thousands"),
        (["12%", "3.5%"] * 10, "units"),
        ([f"w{i % 1500}" for i in range(6000)], "many_categories"),
        (["inf", "1.5", "2.5"] * 5, "infinite_values"),
    ],
)
def test_what_was_doubtful_is_noted(values, code):
    assert code in [note.code for note in of_texts(values, "col").notes]
