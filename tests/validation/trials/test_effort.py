from __future__ import annotations

import time
from typing import Any

import pytest

from venire.errors import UsageError
from venire.validation.trials.effort import Effort, check_seed


def test_what_was_not_said_has_its_default() -> None:
    before = time.monotonic()
    effort = Effort.of()
    assert effort.jobs >= 1
    assert effort.budget is None
    assert before <= effort.began <= time.monotonic()
    assert Effort.of(3, 2.5, 1.0) == Effort(3, 2.5, 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"jobs": 0}, "jobs must be at least 1, not 0"),
        ({"budget": 0}, "the budget must be a number of seconds above 0, not 0"),
        ({"budget": "10m"}, "the budget must be a number of seconds above 0, not '10m'"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Effort.of(**given)


@pytest.mark.parametrize("seed", [-1, 0.5, "a"])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(UsageError, match="the seed must be 0 or more"):
        check_seed(seed)
    check_seed(0)
