from __future__ import annotations

import pytest

from venire.data.store.room import available_memory
from venire.validation.trials.budget import admit, time_to_judge, time_to_tell
from venire.validation.trials.family import Cost, Turn
from venire.validation.trials.reasons import TooLarge, TooSlow


def test_who_promises_most_goes_first() -> None:
    costs = {"tree": Cost(1, 1), "forest": Cost(50, 1), "boosting": Cost(20, 1), "linear": Cost(0.5, 1)}
    turns = {"tree": Turn.LAST, "linear": Turn.QUICK}
    assert admit(costs, seconds=600, jobs=1, memory=1e9, turns=turns).admitted == (
        "linear",
        "boosting",
        "forest",
        "tree",
    )
    short = admit(costs, seconds=60, jobs=1, memory=1e9, turns=turns)
    assert short.admitted == ("linear", "boosting", "tree"), "the forest does not fit by itself"


def test_a_quick_family_that_is_not_waits_for_the_promising() -> None:
    costs = {"logistic": Cost(30, 1), "boosting": Cost(20, 1)}
    turns = {"logistic": Turn.QUICK}
    assert admit(costs, seconds=600, jobs=1, memory=1e9, turns=turns).admitted == ("boosting", "logistic")
    assert admit(costs, seconds=3600, jobs=1, memory=1e9, turns=turns).admitted == ("logistic", "boosting")


def test_the_cheapest_of_a_turn_go_first() -> None:
    costs = {"dear": Cost(100, 1), "cheap": Cost(1, 1), "middle": Cost(10, 1)}
    admission = admit(costs, seconds=None, jobs=1, memory=1e9)
    assert admission.admitted == ("cheap", "middle", "dear")
    assert admission.seconds == 111


def test_what_does_not_fit_by_itself_is_refused_with_its_estimate() -> None:
    """Whether all that fit fit together is seen when they run: formulas are rough."""
    costs = {"a": Cost(60, 1), "b": Cost(65, 1), "c": Cost(80, 1)}
    admission = admit(costs, seconds=100, jobs=1, memory=1e9)
    assert admission.admitted == ("a", "b")
    assert admission.refused == {"c": TooSlow(seconds=80, room=70, budget=100, planned_share=0.7)}


def test_time_is_kept_for_the_verdict() -> None:
    assert time_to_judge(1e9) == pytest.approx(11.0)
    assert time_to_judge(1e9, 10) == pytest.approx(4.0), "not more than two fifths of a budget"
    assert time_to_tell(6e6) == pytest.approx(7.0)


def test_no_budget_skips_nothing_that_fits_in_memory() -> None:
    admission = admit({"year": Cost(3e7, 1), "huge": Cost(1, 1e12)}, seconds=None, jobs=1, memory=1e10)
    assert admission.admitted == ("year",)
    assert admission.refused["huge"] == TooLarge(bytes=1e12, usable=8e9)


def test_more_jobs_take_less_time_and_more_memory() -> None:
    cost = {"a": Cost(100, 4e9)}
    assert admit(cost, seconds=100, jobs=2, memory=16e9).admitted == ("a",)
    assert admit(cost, seconds=100, jobs=1, memory=16e9).refused
    assert admit(cost, seconds=100, jobs=4, memory=16e9).refused["a"].kind == "too_large"


def test_what_is_on_disk_costs_nothing() -> None:
    admission = admit({"a": Cost(1e9, 1e15)}, seconds=1, jobs=1, memory=1e9, settled=frozenset({"a"}))
    assert admission.admitted == ("a",)
    assert admission.seconds == 0


def test_there_is_some_memory() -> None:
    assert available_memory() > 1e6
