"""Checks of attributes: what passes, what is refused, and in which words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from venire.states import constraints as checks
from venire.states.constraints import Check, Refused


@dataclass(frozen=True)
class Point:
    x: float
    label: str
    values: np.ndarray[Any, Any]


PASS: list[tuple[Check, Any]] = [
    (checks.whole(), np.int64(3)),
    (checks.number(), 2.5),
    (checks.number(finite=False), np.inf),
    (checks.flag, np.True_),
    (checks.text("a", "b"), "b"),
    (checks.maybe(checks.text()), None),
    (checks.array("f8", 2, None), np.zeros((2, 5))),
    (checks.array("f8", None, gaps=True), np.array([np.nan, 1.0])),
    (checks.array("i4 i8", 2, low=0, below=3), np.array([0, 2])),
    (checks.sequence(checks.whole(), 2), [1, 2]),
    (checks.row(checks.whole(), checks.text()), (1, "a")),
    (checks.mapping(checks.text(), checks.whole()), {"a": 1}),
    (checks.entries(a=checks.whole(), b=checks.optional(checks.whole())), {"a": 1}),
    (checks.labels("classes"), np.array(["a", "b"])),
    (checks.labels("classes"), np.array([False, True])),
    (checks.names("features"), np.array(["a"], dtype=object)),
    (checks.learner, DummyClassifier()),
    (checks.either(checks.text(), checks.whole()), 3),
    (checks.record(Point, values=checks.array("f8", 1)), Point(1.0, "a", np.zeros(1))),
]
REFUSED: list[tuple[Check, Any, str]] = [
    (checks.whole(), True, "is no whole number"),
    (checks.count("features"), 1 << 30, "is 1073741824, which is not within 1 and 4194304"),
    (checks.whole(high=5), 6, "is 6, which is not within 0 and 5"),
    (checks.number(), np.nan, "is not finite"),
    (checks.number(0), -1.0, "is below 0"),
    (checks.flag, 1, "neither true nor false"),
    (checks.text("a", "b"), "c", "is 'c', and none of a, b"),
    (checks.array("f8", 2), np.zeros(3), "has a size of 3 where 2 is needed"),
    (checks.array("f8", None), np.zeros(3, dtype=np.float32), "no array of type f8"),
    (checks.array("f8", None), np.zeros((3, 1)), "has 2 dimensions, and 1 are needed"),
    (checks.array("f8", None), np.array([np.nan]), "not finite"),
    (checks.array("f8", None, gaps=True), np.array([np.inf]), "not finite"),
    (checks.array("i8", None, low=0), np.array([-1]), "below 0"),
    (checks.array("i8", None, below=3), np.array([3]), "not below 3"),
    (checks.sequence(checks.whole()), (1,), "is no list"),
    (checks.sequence(checks.whole()), [1, "a"], "item 1 is no whole number"),
    (checks.row(checks.whole()), (1, 2), "is no tuple of 1"),
    (checks.mapping(checks.text(), checks.whole()), {1: 1}, "key 1 is no text"),
    (checks.entries(a=checks.whole()), {}, "has no a"),
    (checks.entries(a=checks.whole()), {"a": 1, "b": 2}, "just what is known"),
    (checks.labels("classes"), np.array(["b", "a"]), "is not in order"),
    (checks.labels("classes"), np.array(["a", "a"]), "is not in order"),
    (checks.labels("classes"), np.array(["a", 1], dtype=object), "is not in order"),
    (checks.labels("classes"), np.zeros(0), "no array of classes"),
    (checks.names("features"), np.array([1], dtype=object), "no name"),
    (checks.learner, "tree", "is no estimator"),
    (checks.of_type(dict), [], "is list, and dict is needed"),
    (checks.either(checks.text(), checks.whole()), 0.5, "is no text and is no whole number"),
    (checks.record(Point, values=checks.array("f8", 1)), Point(1.0, "a", np.zeros(2)), "values has a size of 2"),
    (checks.record(Point, values=checks.array("f8", 1)), 3, "is int, and Point is needed"),
]


@pytest.mark.parametrize(("check", "value"), PASS)
def test_what_holds_passes(check: Check, value: Any) -> None:
    check(value, {})


@pytest.mark.parametrize(("check", "value", "wrong"), REFUSED)
def test_what_does_not_hold_is_refused_with_a_reason(check: Check, value: Any, wrong: str) -> None:
    with pytest.raises(Refused, match=wrong):
        check(value, {})


def test_sizes_of_one_name_agree() -> None:
    sizes: checks.Sizes = {}
    checks.count("features")(3, sizes)
    checks.array("f8", "classes", "features")(np.zeros((2, 3)), sizes)
    assert sizes == {"features": 3, "classes": 2}
    with pytest.raises(Refused, match="has 4 features, and there are 3"):
        checks.array("f8", "features")(np.zeros(4), sizes)


def test_a_size_may_follow_from_others() -> None:
    pairs = checks.array("f8", lambda sizes: sizes["classes"] * (sizes["classes"] - 1) // 2)
    pairs(np.zeros(3), {"classes": 3})
    with pytest.raises(Refused, match="has a size of 2 where 3 is needed"):
        pairs(np.zeros(2), {"classes": 3})


def test_what_one_alternative_learned_is_forgotten_with_it() -> None:
    sizes: checks.Sizes = {}
    wide = checks.row(checks.array("f8", "n"), checks.whole())
    narrow = checks.row(checks.array("f8", None), checks.text())
    checks.either(wide, narrow)((np.zeros(2), "a"), sizes)
    assert sizes == {}
