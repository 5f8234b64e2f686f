"""The greedy walk, with an engine whose errors are written down."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from venire.errors import DataError
from venire.selection.search import walk

# Attribute 1 is the best alone, 0 helps it, 2 hurts a little.
ERRORS = {
    frozenset(): 0.9,
    frozenset({0}): 0.6,
    frozenset({1}): 0.5,
    frozenset({2}): 0.8,
    frozenset({0, 1}): 0.3,
    frozenset({0, 2}): 0.55,
    frozenset({1, 2}): 0.5,
    frozenset({0, 1, 2}): 0.31,
}


class Written:
    """Two parts that differ by a constant, of which the second is defined for some subsets only."""

    def __init__(self, errors: dict[frozenset[int], float]) -> None:
        self.errors = errors
        self.present: frozenset[int] = frozenset()
        self.seen: list[frozenset[int]] = []

    def begin(self, chosen: tuple[int, ...]) -> NDArray[np.float64]:
        self.present = frozenset(chosen)
        return self._of(self.present)

    def tried(self, candidates: list[int]) -> NDArray[np.float64]:
        return np.stack([self._of(self.present ^ {candidate}) for candidate in candidates])

    def move(self, attribute: int) -> None:
        self.present ^= {attribute}

    def training(self) -> float:
        return self.errors[self.present] / 2

    def _of(self, subset: frozenset[int]) -> NDArray[np.float64]:
        self.seen.append(subset)
        return np.array([self.errors[subset], np.nan])


def test_forward_ends_where_no_attribute_helps() -> None:
    engine = Written(ERRORS)
    found = walk(engine, 3, forward=True)
    assert [step.attributes for step in found.steps] == [(), (1,), (0, 1), (0, 1, 2)]
    assert [step.changed for step in found.steps] == [None, 1, 0, 2]
    assert (found.chosen, found.subsets) == (2, 7)
    assert len(engine.seen) == len(set(engine.seen)) == found.subsets
    assert [step.training_error for step in found.steps] == [0.45, 0.25, 0.15, 0.155]


def test_backward_goes_on_while_the_error_does_not_rise() -> None:
    found = walk(Written(ERRORS), 3, forward=False)
    assert [step.attributes for step in found.steps] == [(0, 1, 2), (0, 1), (1,)]
    assert (found.chosen, found.subsets) == (1, 6)


@pytest.mark.parametrize("forward", [True, False])
def test_the_whole_path(forward: bool) -> None:
    found = walk(Written(ERRORS), 3, forward=forward, whole=True)
    assert len(found.steps) == 4
    assert found.subsets == 1 + 3 * 4 // 2
    assert found.steps[found.chosen].attributes == (0, 1)


def test_a_wanted_number_is_reached_past_the_stop() -> None:
    found = walk(Written(ERRORS), 3, forward=False, wanted=1)
    assert found.steps[found.chosen].attributes == (1,)
    assert walk(Written(ERRORS), 3, forward=True, wanted=0).steps[0].attributes == ()


def test_equal_errors_are_equal_up_to_rounding() -> None:
    flat = dict.fromkeys(ERRORS, 0.1 + 0.2) | {frozenset({1}): 0.3, frozenset({0, 1, 2}): 0.3}
    forward = walk(Written(flat), 3, forward=True)
    assert (forward.chosen, forward.steps[1].changed) == (0, 0)  # nothing helps, and of equals the first is looked at
    backward = walk(Written(flat), 3, forward=False)
    assert backward.steps[backward.chosen].attributes == ()  # what does not help can go


def test_an_error_that_is_nowhere_defined() -> None:
    with pytest.raises(DataError, match="the error of no columns is not defined on any part"):
        walk(Written(dict.fromkeys(ERRORS, np.nan)), 3, forward=True)
