"""Costs as people give them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from venire.data.cost_matrix import read_costs
from venire.errors import UsageError

TWO = ["bad", "good"]
WANTED = [[0.0, 5.0], [1.0, 0.0]]  # bad taken for good costs five


@pytest.mark.parametrize(
    "given",
    [
        "1:5",
        " 1 : 5 ",
        "0,5;1,0",
        {"fp": 1, "fn": 5},
        {"bad": {"good": 5}, "good": {"bad": 1, "good": 0}},
        {("bad", "good"): 5, ("good", "bad"): "1"},
    ],
    ids=str,
)
def test_every_way_to_say_it(given: Any) -> None:
    assert read_costs(given, TWO, positive=0) == WANTED


def test_a_matrix_is_taken_as_it_is() -> None:
    assert read_costs(WANTED, TWO) is WANTED


def test_without_a_class_of_interest_the_second_is_it() -> None:
    assert read_costs("2:3", TWO) == [[0.0, 2.0], [3.0, 0.0]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("costs.json", json.dumps(WANTED)),
        ("costs.json", json.dumps({"fp": 1, "fn": 5})),
        ("named.json", json.dumps({"bad": {"good": 5}, "good": {"bad": 1}})),
        ("bare.csv", "0,5\n1,0\n"),
        ("named.csv", "actual,good,bad\nbad,5,0\ngood,0,1\n"),
        ("named.csv", "\ufeffactual,good,bad\n\nbad,5,0\ngood,0,1\n"),
    ],
)
def test_files(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read_costs(path, TWO, positive=0) == WANTED
    assert read_costs(str(path), TWO, positive=0) == WANTED


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("1:many", "hold 'many', which is no number"),
        ("nowhere.csv", "neither fp:fn, nor a matrix, nor a file"),
        ("0,1;x,0", "hold 'x'"),
        ({"ugly": {"good": 1}}, "speak of a class 'ugly'"),
        ({"bad": 3}, "entry 'bad': 3"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(given: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read_costs(given, TWO, positive=0)
    assert caught.value.code == "costs"
    assert "1:10" in str(caught.value.hint)


def test_two_numbers_are_for_two_classes() -> None:
    with pytest.raises(UsageError, match="fp:fn is for two classes, and the target has 3: a, b, c"):
        read_costs("1:2", ["a", "b", "c"])


@pytest.mark.parametrize(("name", "words"), [("empty.csv", "is empty"), ("broken.json", "is no JSON")])
def test_a_file_that_holds_none(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("")
    with pytest.raises(UsageError, match=words):
        read_costs(tmp_path / name, TWO)
