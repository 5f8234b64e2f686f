"""Combinations that are no rivals, told by their weights and not by how these are printed."""

from __future__ import annotations

from typing import Any

import pytest

from venire.report.sentences.rivals import rivals_words
from venire.report.sentences.weights import setting_words

MEMBER = {"family": "tree", "kind": "member", "error": 0.1, "interval": [0.05, 0.15], "p_best": 0.9, "weights": None}


@pytest.mark.parametrize(
    ("weights", "error", "said"),
    [
        ({"tree": 0.998, "knn": 0.002}, 0.2, "stack gives all its weight to tree, so only tree has a probability"),
        ({"tree": 0.6, "knn": 0.4}, 0.2, ""),
        (
            {"tree": 0.6, "knn": 0.4},
            0.1,
            "stack has the same error as tree in every row, so only tree has a probability",
        ),
    ],
)
def test_a_combination_of_one_member_is_named(weights: dict[str, float], error: float, said: str) -> None:
    stack: Any = MEMBER | {"family": "stack", "kind": "combination", "error": error, "weights": weights, "p_best": None}
    assert rivals_words({"leaderboard": [MEMBER, stack]}) == said  # type: ignore[typeddict-item]  # a part of one
    assert rivals_words({"leaderboard": [MEMBER, stack | {"p_best": 0.4}]}) == ""  # type: ignore[typeddict-item]  # too


def test_weights_in_words() -> None:
    assert setting_words("", {"knn": 0.3, "tree": 0.7}) == "0.70 tree + 0.30 knn"
    assert setting_words("", {"knn": 0.001, "tree": 0.999}) == "tree alone"
    assert setting_words("", {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}) == "mean of 3 members"
    assert setting_words("C = 1", None) == "C = 1"
