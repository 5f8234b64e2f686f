"""Results in a notebook: one line for `repr`, a short table for the display, and nothing that could run."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from venire.validation import bootstrap, complexity_curve, holdout, learning_curve, one_layer, two_layer
from venire.validation.short_tables import MOST_LINES, ShortTable

IRIS = load_iris(return_X_y=True)
NEAR, GRID = KNeighborsClassifier(), {"n_neighbors": [9, 1]}
RESULTS = {
    "one_layer": lambda: one_layer(NEAR, IRIS, grid=GRID, folds=3),
    "two_layer": lambda: two_layer(NEAR, IRIS, grid=GRID, folds=3),
    "holdout": lambda: holdout(GaussianNB(), IRIS),
    "complexity_curve": lambda: complexity_curve(NEAR, IRIS, grid=GRID, folds=3),
    "learning_curve": lambda: learning_curve(GaussianNB(), IRIS, sizes=[30, 90], folds=3),
    "bootstrap": lambda: bootstrap(GaussianNB(), IRIS, samples=10),
}


@pytest.mark.parametrize("name", RESULTS)
def test_repr_is_one_line_and_html_a_short_table(name):
    found = RESULTS[name]()
    assert len(repr(found)) < 200
    assert "\n" not in repr(found)
    assert found.short_table().title.split(" of ")[1].split(":")[0] in repr(found)
    shown = found._repr_html_()
    assert shown.count("<table>") == 1
    assert shown.count("<tr>") == 1 + len(found.short_table().lines)
    assert not re.search(r"<script|https?:|src=|url\(", shown)
    assert len(shown) < 6000


def test_what_is_printed_is_what_is_shown():
    found = RESULTS["two_layer"]()
    for cell in [cell for line in found.short_table().lines for cell in line]:
        assert cell in str(found)
        assert cell in found._repr_html_()
    assert f"<b>{found.short_table().figures[0][1]}</b>" in found._repr_html_()


def test_names_are_escaped():
    shown = ShortTable("<b>bold</b>", ["<i>"], [["<script>alert(1)</script>"]], right=1, below=("a < b",)).html()
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "&lt;b&gt;bold&lt;/b&gt;" in shown
    assert "a &lt; b" in shown


@pytest.mark.parametrize("marked", [None, 0, 57, 99])
def test_of_many_lines_some_are_shown_with_the_marked_one(marked):
    lines = [[f"k = {at}", str(at)] for at in range(100)]
    shown = ShortTable("t", ["k", "error"], lines, right=1, marked=marked).html()
    assert shown.count("<tr>") == 1 + MOST_LINES
    assert f"{MOST_LINES} of 100 lines" in shown
    assert ">k = 0<" in shown
    assert ">k = 99<" in shown
    if marked is not None:
        assert re.search(rf"bold[^>]*>k = {marked}<", shown)


def test_a_result_says_how_many_rows_and_folds():
    from venire.validation.row_losses import NestedLosses

    found = NestedLosses(np.zeros((2, 6)), np.zeros((2, 6, 3)), np.zeros((2, 6), np.int32))
    assert repr(found) == "<NestedLosses of 6 rows in 3 folds, split 2 times>"
