"""Whatever is written as delimited text is read back equal, however it is written."""

import csv
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from venire.data import Kind, read_table
from venire.data.columns.missing import MARKERS

NUMBERS = st.one_of(
    st.none(),
    st.floats(-1e100, 1e100, allow_nan=False, width=64),  # beyond, numbers count as missing
    st.integers(-(10**6), 10**6).map(float),
)
# Letters first, so that a text is neither a number nor a date nor a marker nor a comment sign.
TEXTS = st.builds(
    lambda first, rest: (first + rest).strip(),
    st.sampled_from("ghjkÄßœ"),
    st.text(st.sampled_from("ab ,;|\t'\"\n€é/\\"), max_size=8),
).filter(lambda text: text not in MARKERS)
LABELS = st.sampled_from(["left", "right"])


@st.composite
def tables(draw):
    rows = draw(st.integers(3, 9))
    columns = draw(st.lists(st.sampled_from(["number", "text"]), min_size=1, max_size=4))
    made = {
        f"{kind} {j}": draw(st.lists(NUMBERS if kind == "number" else TEXTS, min_size=rows, max_size=rows))
        for j, kind in enumerate(columns)
    }
    made["number always"] = [i + 0.5 for i in range(rows)]  # without any value there is nothing to predict from
    made["label"] = ["left", "right", *draw(st.lists(LABELS, min_size=rows - 2, max_size=rows - 2))]
    return made


def number_text(value, decimal):
    return "" if value is None else repr(value).replace(".", decimal)


def write(path, table, delimiter, quoting, encoding, decimal, line_end):
    with path.open("w", encoding=encoding, newline="") as out:
        writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=line_end)
        writer.writerow(table)
        for row in zip(*table.values(), strict=True):
            writer.writerow([value if isinstance(value, str) else number_text(value, decimal) for value in row])


@settings(max_examples=50)
@given(
    table=tables(),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    decimal=st.sampled_from([".", ","]),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_is_read_back(tmp_path_factory, table, delimiter, quoting, encoding, decimal, line_end):
    path = tmp_path_factory.mktemp("round") / "t.csv"
    write(path, table, delimiter, quoting, encoding, decimal, line_end)
    texts = [name for name in table if name.startswith("text")]
    numbers = [name for name in table if name.startswith("number")]
    read = read_table(
        path,
        "label",
        categorical=texts,
        kinds=dict.fromkeys(numbers, Kind.NUMERIC),
        delimiter=delimiter,
        decimal=decimal,
        encoding="cp1252" if encoding == "cp1252" else None,
        quote='"',
    )
    assert [read.target.classes[code] for code in read.y] == table["label"]
    for j, column in enumerate(read.columns):
        assert_equal_column(read.X[:, j], column, table[column.name])
    empty = [name for name in numbers if all(value is None for value in table[name])]
    assert sorted(out.name for out in read.left_out) == sorted(empty)


def assert_equal_column(values, column, written):
    if column.kind is Kind.CATEGORICAL:
        assert [column.categories[int(code)] for code in values] == written
        return
    expected = [math.nan if value is None else value for value in written]
    np.testing.assert_array_equal(values, expected)


@settings(max_examples=20)
@given(
    rows=st.lists(
        st.tuples(st.floats(-1e3, 1e3), st.sampled_from(["red", "green blue", "grey"])), min_size=12, max_size=30
    ),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]),
    decimal=st.sampled_from([".", ","]),
)
def test_the_dialect_is_found_out(tmp_path_factory, rows, delimiter, encoding, decimal):
    path = tmp_path_factory.mktemp("dialect") / "t.csv"
    table = {
        "size": [round(size, 3) + 0.5 for size, _ in rows],
        "colour": [colour for _, colour in rows],
        "weight": [i + 0.25 for i in range(len(rows))],
    }
    write(path, table, delimiter, csv.QUOTE_MINIMAL, encoding, decimal, "\n")
    read = read_table(path, numeric=["size"], categorical=["colour"])
    assert [column.name for column in read.columns] == list(table)
    assert read.reading.delimiter == delimiter
    np.testing.assert_array_equal(read.X[:, 0], table["size"])
    np.testing.assert_array_equal(read.X[:, 2], table["weight"])
    assert [read.columns[1].categories[int(code)] for code in read.X[:, 1]] == table["colour"]
