"""Who may try: which families fit into the seconds and the memory there are, decided by formula before anything runs.

The cheapest go first, so that a budget that ends early has cost the fewest families. What does not fit is listed with
its reason and its estimate. A deadline still guards the run itself, because a formula can be wrong.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from venire.validation.family import Cost

# The estimates are rough: planning for the whole budget would make the deadline, not the plan, decide.
_PLANNED_SHARE = 0.7
_MEMORY_SHARE = 0.8


@dataclass(frozen=True)
class Admission:
    """The families that may try, cheapest first, and the others with the reason."""

    admitted: tuple[str, ...]
    refused: Mapping[str, str]
    seconds: float


def admit(
    costs: Mapping[str, Cost], *, seconds: float | None, jobs: int, memory: float, settled: frozenset[str] = frozenset()
) -> Admission:
    """Admit families in order of cost while they fit; `settled` ones are on disk already and cost nothing.

    >>> costs = {"tree": Cost(4.0, 1e6), "svm": Cost(9e4, 1e6), "forest": Cost(60.0, 1e12)}
    >>> verdict = admit(costs, seconds=600, jobs=2, memory=8e9)
    >>> verdict.admitted
    ('tree',)
    >>> verdict.refused["svm"]
    'too dear: about 12 h of the 10 min budget, of which 2 s are spoken for'
    >>> verdict.refused["forest"]
    'too large: needs about 1863 GiB of memory, 6.0 GiB can be used'
    """
    admitted: list[str] = []
    refused: dict[str, str] = {}
    spent = 0.0
    order = sorted(costs, key=lambda name: (name not in settled, costs[name].seconds))
    for name in order:
        cost = costs[name]
        wall = 0.0 if name in settled else cost.seconds / jobs
        usable = _MEMORY_SHARE * memory
        if name not in settled and cost.bytes * jobs > usable:
            refused[name] = f"too large: needs about {_size(cost.bytes * jobs)} of memory, {_size(usable)} can be used"
        elif seconds is not None and spent + wall > _PLANNED_SHARE * seconds:
            left = "" if spent < 0.05 else f", of which {duration(spent)} are spoken for"
            refused[name] = f"too dear: about {duration(wall)} of the {duration(seconds)} budget{left}"
        else:
            admitted.append(name)
            spent += wall
    return Admission(tuple(admitted), refused, spent)


def time_to_judge(predictions: float, budget: float) -> float:
    """Seconds to keep free at the end of a budget for reading the evidence and drawing the verdict.

    `predictions` counts settings × rows × classes over all trials. Never more than a fifth of the budget.

    >>> time_to_judge(1e8, 600), time_to_judge(1e8, 10)
    (7.0, 2.0)
    """
    return min(3.0 + 4e-8 * predictions, 0.2 * budget)


def available_memory() -> float:
    """Bytes that can be used without swapping, as far as the system tells."""
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 4.0 * 2**30


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(0.4), duration(95), duration(7200)
    ('0.4 s', '1.6 min', '2 h')
    """
    for limit, unit, name in ((90.0, 1.0, "s"), (5400.0, 60.0, "min"), (172800.0, 3600.0, "h")):
        if seconds < limit:
            amount = seconds / unit
            return f"{amount:.0f} {name}" if amount >= 9.95 or amount == int(amount) > 0 else f"{amount:.1f} {name}"
    return f"{seconds / 86400:.0f} days"


def _size(count: float) -> str:
    gib = count / 2**30
    return f"{gib:.0f} GiB" if gib >= 10 else f"{gib:.1f} GiB"
