"""Complexity curves: one line for each thing set besides, and the mark at the setting that was chosen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.drawn import inline_values
from tests.report.samples import binary
from venire.report.charts import path as path_chart
from venire.report.charts.catalogue import draw
from venire.report.page.panels import path_figures

SVM = {
    "label": "C",
    "settings": ["0.1", "1", "10"] * 2,
    "lines": ["linear"] * 3 + ["rbf"] * 3,
    "axis": ["0.1", "1", "10"],
    "training": [0.21, 0.2, 0.2, 0.3, 0.1, 0.02],
    "held_out": [0.22, 0.21, 0.21, 0.31, 0.15, 0.18],
    "chosen": 4,
}


def sample(**changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    document, pictures = binary()
    pictures["paths"] = {"svm": SVM | changes}
    return document, pictures


def test_a_kernel_is_a_line_of_its_own() -> None:
    values = inline_values(path_chart.path(*sample(), "svm"), "line", "rows")
    assert len(values) == 12
    for line, first in (("linear", 0), ("rbf", 3)):
        own = [v for v in values if v["line"] == line and v["rows"] == "held-out rows"]
        assert [v["setting"] for v in own] == SVM["axis"]
        assert [v["error"] for v in own] == pytest.approx(SVM["held_out"][first : first + 3])


def test_the_mark_is_on_the_line_that_was_chosen() -> None:
    (mark,) = (
        rows
        for rows in path_chart.path(*sample(), "svm").to_dict()["datasets"].values()
        if len(rows) == 1
    )  # fmt: skip
    assert mark == [{"setting": "1", "at": 1.0, "error": 0.15}]
    (figure,) = path_figures(*sample())
    assert "Chosen, at the dashed line: rbf, C = 1." in figure.caption
    assert figure.numbers is not None
    assert figure.numbers.head[:2] == ("line", "C")
    assert [row[:2] for row in figure.numbers.rows][2:4] == [("linear", "10"), ("rbf", "0.1")]


def test_the_picture_by_name_has_the_lines_too() -> None:
    document, pictures = sample()
    document["chosen"] = {"family": "svm"}
    assert {v["line"] for v in inline_values(draw("paths", document, pictures), "line", "rows")} == {"linear", "rbf"}


def test_of_too_many_lines_the_best_are_drawn_with_the_chosen_one() -> None:
    lines = [f"γ = {at}" for at in range(9) for _ in range(2)]
    errors = [0.0, 0.1, *([0.3] * 14), 0.5, 0.5]
    grid = {"lines": lines, "settings": ["1", "2"] * 9, "axis": ["1", "2"], "held_out": errors, "training": errors}
    document, pictures = sample(**grid, chosen=17)
    drawn = path_chart.drawn_lines(pictures["paths"]["svm"])
    assert drawn == ["γ = 0", "γ = 1", "γ = 2", "γ = 3", "γ = 4", "γ = 8"]
    (figure,) = path_figures(document, pictures)
    assert figure.caption.endswith("6 of 9 lines are drawn; the table has the numbers of all.")
    assert figure.numbers is not None
    assert len(figure.numbers.rows) == 18


def test_a_path_without_a_choice_has_no_mark() -> None:
    chart = path_chart.path(*sample(chosen=None), "svm")
    assert all(len(rows) > 1 for rows in chart.to_dict()["datasets"].values())
    (figure,) = path_figures(*sample(chosen=None))
    assert "Chosen" not in figure.caption
