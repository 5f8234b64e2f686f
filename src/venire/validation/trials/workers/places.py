"""Where the trials of a family run: here and at once, in worker processes, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext

from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Cost
from venire.validation.trials.workers.afar import Cluster
from venire.validation.trials.workers.bench import Bench, Here, Place
from venire.validation.trials.workers.pool import WORTH_A_POOL, Pool, pool

# A fit in this process can only be asked to stop. One that may not listen for longer runs in a worker, which is killed.
_PATIENCE = 5.0
_BRIEF = 1.0  # seconds of all trials of a family that need not wait for workers to start


def run_apart(
    bench: Bench, costs: Mapping[str, Cost], missing: Mapping[str, list[Trial]], jobs: int, *, guesses: bool
) -> frozenset[str]:
    """The families that run in worker processes: other people's, and those not made for threads, if that is worth it.

    With `guesses` also those of which nobody knows how long they take.
    """
    others = frozenset(name for name in costs if bench.others(name))
    unfit = [
        name
        for name, cost in costs.items()
        if not bench.in_threads(name) or (cost.seconds / len(missing[name]) > _PATIENCE and not bench.asks_often(name))
    ]
    if sum(costs[name].seconds for name in unfit) / jobs >= WORTH_A_POOL:
        return others.union(name for name in unfit if costs[name].guess or costs[name].seconds > _BRIEF)
    return others.union(name for name in unfit if guesses and costs[name].guess)


def lanes_of(bench: Bench, name: str, jobs: int, apart: frozenset[str]) -> int:
    """How many trials of a family run at a time."""
    return jobs if name in apart or bench.in_one_piece(name) or bench.in_threads(name) else 1


@contextmanager
def places(
    bench: Bench, jobs: int, apart: frozenset[str], given: Pool | None, afar: Cluster | None
) -> Iterator[Callable[[str], Place]]:
    """Where a family runs: in worker processes, which can be stopped in the middle of a fit, or here and at once.

    On a cluster all of them run on its workers, which have such processes beside them.
    """
    if afar is not None:
        yield lambda _: afar
        return
    here = Here(bench, jobs)
    if not apart:
        yield lambda _: here
        return
    with pool(bench.docket, jobs) if given is None else nullcontext(given) as workers:
        yield lambda name: workers if name in apart else here
