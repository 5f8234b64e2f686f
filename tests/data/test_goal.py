"""Targets that cannot be taken as they are."""

import numpy as np
import pytest

from venire.data import read_table
from venire.errors import DataError


def test_a_target_whose_squares_overflow_is_refused():
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20.0) * 1e299
    with pytest.raises(DataError, match=r"the target reaches 1\.9e\+300, and errors of that size") as caught:
        read_table((X, y))
    assert caught.value.code == "target_too_large"
    assert read_table((X, y / 1e250)).rows == 20


@pytest.mark.parametrize(("classes", "named"), [(2, "'a0', 'a1'"), (30, "'a2', 'a29', 'a28'")])
def test_an_unknown_positive_class_names_those_there_are(classes, named):
    labels = np.array([f"a{i % classes}" for i in range(60)])
    with pytest.raises(DataError, match=f"no class 'a2x' to call positive; it has {named}"):
        read_table((np.arange(60.0)[:, None], labels), positive="a2x")


def test_classes_and_categories_that_differ_in_capitals_are_told(tmp_path):
    rows = "".join(f"{['Rot', 'rot', 'blau'][i % 3]},{['Yes', 'yes ', 'NO', 'no'][i % 4]}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(f"colour,y\n{rows}")
    table = read_table(tmp_path / "t.csv", "y")
    told = {note.column: note.message for note in table.notes if note.code == "alike_but_for_case"}
    assert told == {
        "y": "'NO' and 'no' differ in capitals only, and are kept apart",
        "colour": "'Rot' and 'rot' differ in capitals only, and are kept apart",
    }
    assert table.target.labels == ("NO", "Yes", "no", "yes")
