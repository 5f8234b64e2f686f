"""The short way of a row agrees with the usual one, and leaves to it whatever is unusual."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.serve.hostile import ROW
from venire.data.table import Column, Kind, Reading
from venire.ensembles.table_model import TableModel
from venire.serve.bodies.columns_in import Columns
from venire.serve.served_model import ServedModel

COLUMNS = (
    Column("size", Kind.NUMERIC),
    Column("colour", Kind.CATEGORICAL, ("red", "green", "None", "7")),
    Column("code", Kind.CATEGORICAL, ("0", "1", "20")),
    Column("sold", Kind.BOOLEAN, ("no", "yes")),
)


class Constant:
    """A learner that says how large the first column is."""

    def predict(self, X):
        return np.nan_to_num(X[:, 0])


def served() -> ServedModel:
    from venire.data.table import Task

    model = TableModel([("constant", Constant())], [1.0])
    model.columns_, model.reading_, model.task_, model.target_name_ = COLUMNS, Reading("csv"), Task.REGRESSION, "y"
    model.about_ = {"columns": [{"name": "size", "range": [-10.0, 10.0]}]}
    return ServedModel("m", model, "0" * 64)


SERVED = served()
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-30, 30), st.integers(), st.floats(-20, 20), st.floats(allow_nan=False),
    st.sampled_from(["red", "green", " red", "RED", "None", "NA", "", "7", "0", "1", "20", "1.0", "yes", "no", "true",
    "x"]),
)  # fmt: skip


@given(st.fixed_dictionaries({column.name: VALUES for column in COLUMNS}))
def test_both_ways_give_the_same_bits(record):
    short = SERVED._encoder.row(record)
    if short is not None:
        usual = SERVED.read(Columns({name: [value] for name, value in record.items()}, 1))
        assert short.tobytes() == np.ascontiguousarray(usual.X).tobytes()
        assert usual.facts is None, "what does not fit has to be counted"


def test_plain_rows_go_the_short_way():
    for record in (
        {"size": 1.5, "colour": "red", "code": "0", "sold": "yes"},
        {"size": 1, "colour": None, "code": 20, "sold": True, "more": [1]},
    ):
        assert SERVED._encoder.row(record) is not None


def test_a_row_without_a_column_does_not():
    assert SERVED._encoder.row({"size": 1.5}) is None
    assert SERVED._encoder.row({**ROW, "size": [1]}) is None


def test_types_are_told_apart():
    row = {"size": 1.5, "colour": "red", "code": "1", "sold": "yes"}
    assert SERVED._encoder.row({**row, "code": True}) is None
    assert SERVED._encoder.row({**row, "code": 1.0}) is None
    assert SERVED._encoder.row({**row, "size": True}) is None
