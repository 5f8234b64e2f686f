"""The end of the trials: what is kept back, and how those that are left share what there is."""

from __future__ import annotations

import math

import pytest

from venire.validation.trials import deadline
from venire.validation.trials.deadline import TurnOver, Until
from venire.validation.trials.family import Cancelled


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    moment = [100.0]
    monkeypatch.setattr(deadline.time, "monotonic", lambda: moment[0])
    return moment


def until(end: float | None, kept_back: float = 0.0, *, known: bool = True) -> Until:
    return Until(70.0, None if end is None else end - 70.0, lambda budget: kept_back, known=known)


def test_it_ends_in_time_for_what_follows(now: list[float]) -> None:
    ends = until(130.0, kept_back=10.0)
    assert ends.left() == pytest.approx(20.0)
    now[0] = 120.0
    ends()
    now[0] = 120.1
    with pytest.raises(Cancelled, match=r"^$"):
        ends()


def test_without_a_budget_it_never_ends(now: list[float]) -> None:
    ends = until(None)
    now[0] = 1e9
    ends()
    assert ends.left() == math.inf
    assert ends.shared_by(3) is ends


def test_first_trials_have_a_moment_even_where_the_budget_is_spent(now: list[float]) -> None:
    first, resumed = until(90.0, known=False), until(90.0)
    now[0] = 100.4
    first()
    with pytest.raises(Cancelled, match=r"^$"):
        resumed()


def test_each_of_those_that_are_left_gets_an_equal_share(now: list[float]) -> None:
    ends = until(130.0)
    turn = ends.shared_by(3)
    now[0] = 110.0
    turn()
    now[0] = 110.1
    with pytest.raises(TurnOver, match=r"^$"):
        turn()
    assert ends.shared_by(1) is ends, "the last has all that is left"


def test_the_end_of_the_budget_ends_a_turn_too(now: list[float]) -> None:
    kept_back = [0.0]
    turn = Until(70.0, 60.0, lambda budget: kept_back[0], known=True).shared_by(2)
    now[0], kept_back[0] = 102.0, 29.0
    with pytest.raises(Cancelled, match=r"^$") as over:
        turn()
    assert not isinstance(over.value, TurnOver)
