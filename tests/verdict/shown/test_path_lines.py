"""Paths laid out for a picture: which settings share a line, and where they stand on the axis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from sklearn.model_selection import ParameterGrid
from sklearn.svm import SVC

from tests.validation.tables import classification
from tests.verdict.cases import BASELINE, judged
from venire.families.bucket import default_bucket
from venire.validation.trials.family import Setting
from venire.validation.trials.generic import GenericFamily
from venire.verdict.pictures import pictures
from venire.verdict.shown.path_lines import path_lines

SVM = [
    Setting.of({"kernel": kernel, "C": c}, {"": kernel, "C": c})
    for kernel in ("linear", "rbf")
    for c in (0.01, 1.0, 100.0)
]


def shown(*given: Mapping[str, object]) -> list[Setting]:
    return [Setting.of({}, parts) for parts in given]


def test_a_path_with_two_kernels_is_two_lines() -> None:
    found = path_lines(SVM)
    assert found.label == "C"
    assert found.values == ("0.01", "1", "100") * 2
    assert found.axis == ("0.01", "1", "100")
    assert found.lines == ("linear",) * 3 + ("rbf",) * 3


def test_the_kernels_of_the_bucket_are_lines_and_no_other_family_has_any() -> None:
    table = classification(60)
    for family in default_bucket():
        settings = family.path(table)
        found = path_lines(settings)
        expected = {"linear", "rbf"} if family.name == "svm" else {""}
        assert set(found.lines) == expected, family.name
        assert len(set(zip(found.lines, found.values, strict=True))) == len(settings), "no two settings on one point"


@pytest.mark.parametrize("grid", [{"a": [1, 2, 3], "b": ["x", "y"]}, {"b": ["x", "y"], "c": [0], "a": [1, 2, 3]}])
def test_the_longest_side_of_a_grid_is_the_axis(grid: dict[str, list[object]]) -> None:
    found = path_lines(shown(*ParameterGrid(grid)))
    assert (found.label, found.axis) == ("a", ("1", "2", "3"))
    assert set(found.lines) == {"b = x", "b = y"}, "what does not vary is no part of a line's name"


def test_a_grid_of_three_things_and_one_with_gaps() -> None:
    grid = [
        {"kernel": ["linear"], "C": [1, 10, 100]},
        {"kernel": ["rbf"], "C": [0.1, 1, 10], "gamma": [0.5, 2]},
    ]
    found = path_lines(shown(*({"kernel": "", **values} for values in ParameterGrid(grid))))
    assert found.label == "C"
    assert found.axis == ("0.1", "1", "10", "100"), "in an order that suits every line"
    assert sorted(set(found.lines)) == [
        "kernel = linear", "kernel = rbf, gamma = 0.5", "kernel = rbf, gamma = 2"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "settings",
    [
        shown({"depth": 1, "rows": 9}, {"depth": 2, "rows": 5}, {"depth": 3, "rows": 2}),  # one walk along two things
        [Setting("default"), *shown({"C": 1, "p": 2}, {"C": 2, "p": 2})],
        [Setting("1, C = 2"), Setting("1, C = 3"), Setting("2, C = 3")],  # a label is not read
        [Setting("depth 1"), Setting("depth 2"), Setting("no limit")],
    ],
)
def test_what_is_no_grid_stays_one_line(settings: list[Setting]) -> None:
    found = path_lines(settings)
    assert set(found.lines) == {""}
    assert found.values == found.axis == tuple(setting.label for setting in settings)
    assert found.label == "setting"


def test_values_keep_the_order_of_the_path() -> None:
    for values in (["9", "3", "1"], ["none", "1", "2"], ["2", "1", "3"]):
        assert path_lines(shown(*({"s": value} for value in values))).axis == tuple(values)


def test_the_chosen_place_is_that_of_the_leaderboard(tmp_path: Path) -> None:
    machine = GenericFamily("svm", classifier=SVC(), path=tuple(SVM))
    judgement = judged(tmp_path, classification(80), [BASELINE, machine], folds=4)
    drawn = pictures(judgement)["paths"]["svm"]
    line, value = drawn["lines"][drawn["chosen"]], drawn["settings"][drawn["chosen"]]
    assert f"{line}, C = {value}" == judgement.candidate("svm").setting
    assert len(drawn["held_out"]) == len(drawn["lines"]) == len(SVM)
