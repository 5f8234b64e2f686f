"""Who may try: which families fit into the seconds and the memory there are, decided by formula before anything runs.

Those that promise most per second go first, so that a budget that ends early has cost the families that would hardly
have been chosen. What does not fit is listed with its reason and its estimate. A deadline still guards the run itself,
because a formula can be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.data.store.room import available_memory
from venire.validation.trials.family import Cost, Turn
from venire.validation.trials.reasons import TooLarge, TooSlow

# The estimates are rough: planning for the whole budget would make the deadline, not the plan, decide.
_PLANNED_SHARE = 0.7
_JUDGING_SHARE = 0.4  # at most, of a budget too short for its table
_MEMORY_SHARE = 0.8
_OPENING_SHARE = 0.01  # of a budget: what the first trials of a family may take
_ROUGH = 3.0  # times as long as the formula says: a trial that is given up was for nothing
_QUICK_SHARE = 0.02  # of a budget: a family of the first turn that takes longer waits for those that promise more


@dataclass(frozen=True)
class Admission:
    """The families that may try, in the order they run, and the others with the reason."""

    admitted: tuple[str, ...]
    refused: Mapping[str, TooSlow | TooLarge]
    seconds: float


def admit(
    costs: Mapping[str, Cost],
    *,
    seconds: float | None,
    jobs: int,
    memory: float,
    settled: frozenset[str] = frozenset(),
    turns: Mapping[str, Turn] | None = None,
) -> Admission:
    """Admit families by their turn, of equal turn the cheaper first, if each would fit by itself.

    How many of them fit is seen when they run, because formulas are rough. `settled` families are on disk already and
    cost nothing. One of the first turn that is not quick has its turn with the promising ones.

    >>> costs = {"tree": Cost(4.0, 1e6), "svm": Cost(9e4, 1e6), "forest": Cost(60.0, 1e12)}
    >>> verdict = admit(costs, seconds=600, jobs=2, memory=8e9)
    >>> verdict.admitted
    ('tree',)
    >>> verdict.refused["svm"]
    TooSlow(seconds=45000.0, room=420.0, budget=600, planned_share=0.7)
    >>> verdict.refused["forest"]
    TooLarge(bytes=2000000000000.0, usable=6400000000.0)
    """
    admitted: list[str] = []
    refused: dict[str, TooSlow | TooLarge] = {}
    spent = 0.0
    turn = {name: _turn((turns or {}).get(name, Turn.PROMISING), cost, seconds) for name, cost in costs.items()}
    order = sorted(costs, key=lambda name: (name not in settled, turn[name], costs[name].seconds))
    for name in order:
        cost = costs[name]
        wall = 0.0 if name in settled else cost.seconds / jobs
        usable = _MEMORY_SHARE * memory
        if name not in settled and cost.bytes * jobs > usable:
            refused[name] = TooLarge(cost.bytes * jobs, usable)
        elif seconds is not None and wall > _PLANNED_SHARE * seconds:
            refused[name] = TooSlow(wall, _PLANNED_SHARE * seconds, seconds, _PLANNED_SHARE)
        else:
            admitted.append(name)
            spent += wall
    return Admission(tuple(admitted), refused, spent)


def opening(
    firsts: Mapping[str, float], turns: Mapping[str, Turn], order: Sequence[str], budget: float | None
) -> dict[str, float]:
    """Which families have their first trials before one of them has all of its own, and the seconds each has for them.

    `firsts` has what the first trials of a family take by formula. The quick ones, which go before, and those that are
    tried last have no part in it. Without a budget all are run in any case.

    >>> turns = {"linear": Turn.QUICK, "boosting": Turn.PROMISING, "slow": Turn.SECOND, "forest": Turn.THIRD}
    >>> opening({"linear": 0.0, "boosting": 0.4, "slow": 9.0, "forest": 0.0}, turns, list(turns), budget=600)
    {'boosting': 6.0, 'forest': 6.0}
    """
    if budget is None:
        return {}
    most = _OPENING_SHARE * budget
    among = [name for name in order if Turn.QUICK < turns[name] < Turn.LAST]
    return {name: most for name in among if name in firsts and _ROUGH * firsts[name] <= most}


def _turn(asked: Turn, cost: Cost, seconds: float | None) -> Turn:
    quick = seconds is None or cost.seconds <= _QUICK_SHARE * seconds
    return asked if quick else max(asked, Turn.PROMISING)


def time_to_judge(predictions: float, budget: float = math.inf) -> float:
    """Seconds to keep free at the end of a budget for reading the evidence and drawing the verdict.

    `predictions` counts settings × rows × classes over all trials. Never more than two fifths of the budget.

    >>> time_to_judge(4e8, 600), time_to_judge(4e8, 10)
    (5.0, 4.0)
    """
    return min(1.0 + 1e-8 * predictions, _JUDGING_SHARE * budget)


def time_to_tell(rows: float) -> float:
    """Seconds to keep free, once the choice is made, for findings and pictures; `rows` are those of all candidates.

    >>> time_to_tell(1e6)
    2.0
    """
    return 1.0 + 1e-6 * rows


def worker_memory(workers: int) -> float:
    """Bytes that each of so many workers may take for other people's code, which has no formula."""
    return _MEMORY_SHARE * available_memory() / workers
