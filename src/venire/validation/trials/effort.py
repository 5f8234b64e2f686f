"""What may be spent on trials: workers and seconds; and who is shown how far they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real

from venire.errors import UsageError
from venire.validation.jobs import job_count


@dataclass(frozen=True)
class Tick:
    """One step of a run, for whoever shows progress."""

    family: str
    done: int
    total: int
    best: tuple[str, float] | None = None  # the leading family so far, and its error by `score`
    left: float | None = None  # about how many seconds all that is still to be done will take
    errors: Mapping[str, float] = field(default_factory=dict)  # of the families that are complete, by `score`
    workers: int = 0  # of a cluster, where trials run on one
    dashboard: str | None = None  # where the cluster shows what they do


def unwatched(_: Tick) -> None:
    """For a run that nobody looks at."""


@dataclass(frozen=True)
class Effort:
    """Workers, seconds counted from `began` (by `time.monotonic()`), and who hears of every step."""

    jobs: int = 1
    budget: float | None = None
    began: float = field(default_factory=time.monotonic)
    tick: Callable[[Tick], None] = unwatched
    fitting: bool = False  # what is chosen is fitted on all rows within the same seconds

    @classmethod
    def of(
        cls,
        jobs: int | None = None,
        budget: float | None = None,
        began: float | None = None,
        tick: Callable[[Tick], None] = unwatched,
        *,
        fitting: bool = False,
    ) -> Effort:
        """An effort that makes sense; without `jobs` a worker for each core, without `began` from now on."""
        if budget is not None and not (isinstance(budget, Real) and budget > 0):
            raise UsageError(
                f"the budget must be a number of seconds above 0, not {budget!r}",
                code="bad_budget",
                hint="None is no limit",
            )
        return cls(job_count(jobs), budget, time.monotonic() if began is None else began, tick, fitting)


def check_seed(seed: int) -> None:
    """Refuse what no generator takes."""
    if not isinstance(seed, Integral) or seed < 0:
        raise UsageError(
            f"the seed must be 0 or more, not {seed!r}", code="bad_seed", hint="any whole number from 0 on"
        )
