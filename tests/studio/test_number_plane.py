"""A number in the plane of two columns: places have the colour of the prediction, rows their own."""

from __future__ import annotations

import numpy as np
import pytest

from venire.data import read_table
from venire.studio.number_plane import surface, usual_row

NAMES = ["across", "up", "target"]


def drawn(rows, actual, train=None):
    rows, actual = np.asarray(rows, float), np.asarray(actual, float)
    trained = np.ones(len(rows), bool) if train is None else np.asarray(train)
    return surface(lambda x, y: 10 * x + y, rows, actual, trained, NAMES)["layer"]


def test_places_hold_what_is_predicted_there():
    cells = drawn([[0, 0], [1, 2]], [0, 12])[0]["data"]["values"]
    assert len(cells) == 1600
    for cell in cells:
        middle = 10 * (cell["x"] + cell["x2"]) / 2 + (cell["y"] + cell["y2"]) / 2
        assert cell["value"] == pytest.approx(middle, abs=1e-3)
    assert min(cell["x"] for cell in cells) < 0 < 1 < max(cell["x2"] for cell in cells)


def test_rows_that_trained_are_filled_and_those_without_a_place_left_out():
    _, filled, rings = drawn([[0, 0], [1, 2], [np.nan, 1], [2, 2]], [5, 6, 7, np.inf], [True, False, True, True])
    assert [dot["value"] for dot in filled["data"]["values"]] == [5, None]
    assert [(dot["x"], dot["y"], dot["value"]) for dot in rings["data"]["values"]] == [(1, 2, 6)]
    assert filled["mark"]["filled"]
    assert not rings["mark"]["filled"]


def test_a_column_of_one_value_has_a_width():
    cells = drawn([[3, 1], [3, 1]], [1, 1])[0]["data"]["values"]
    assert all(cell["x"] < cell["x2"] for cell in cells)


def test_the_usual_is_the_median_of_numbers_and_the_most_frequent_category(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("size,colour,y\n1,b,1\n2,c,2\n9,c,3\n,c,4\n4,a,5\n")
    table = read_table(path, "y")
    size, colour = usual_row(table)
    assert size == 3
    assert table.columns[1].categories[int(colour)] == "c"
