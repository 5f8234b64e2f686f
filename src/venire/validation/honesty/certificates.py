"""The certificates of all families: kept ones from disk, the others by checks that run where trials do.

A check draws its trial and its nonsense from the seed and the family's name alone, so it comes to the same whether it
runs here, in a thread or in a worker, and whatever runs beside it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass

from venire.errors import VenireError
from venire.validation.evidence.evidence import InMemory
from venire.validation.honesty.certificate import Certificate, certify, keep_certificate, kept_certificate
from venire.validation.plans.plan import Trial
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Cancel, Cancelled, Outcome, never
from venire.validation.trials.reasons import CheckInterrupted, CheckTooLong, NotChecked, NoTimeToCheck, Status
from venire.validation.trials.side_by_side import side_by_side
from venire.validation.trials.workers.bench import Bench
from venire.validation.trials.workers.one_thread import one_thread
from venire.validation.trials.workers.pool import WORTH_A_POOL, Pool, pool

NO_TIME = NoTimeToCheck()
INTERRUPTED = CheckInterrupted()
# A check takes about as long as a few trials. Code that does not come back from nonsense is given up after this many
# times as long, and some seconds for a machine that has become busy meanwhile.
_TIMES, _SECONDS = 10.0, 20.0


def certificates(
    docket: Docket,
    *,
    jobs: int = 1,
    first: Sequence[str] = (),
    until: float | None = None,
    late: NotChecked = NO_TIME,
    workers: Pool | None = None,
) -> dict[str, Certificate]:
    """The certificate of every family of a docket, as kept, else by a check while there is time.

    `jobs` checks run at a time, those of `first` before all others and in that order, because it is they who matter
    when not all can be checked. `until` is a moment of `time.monotonic` past which no check is begun that would take
    longer, by the time of the trials, and past which one that was begun is given up; `late` is the reason then given.
    Other people's code is checked in worker processes, those of `workers` if there are any.
    """
    bench = Bench(docket)
    found = _kept(docket)
    open_ones = [_Check(name, _length(bench, name), until, late) for name in docket.families if name not in found]
    try:
        for part in _in_turn(open_ones, first):
            with closing(_checked(bench, part, jobs, workers)) as checked:
                for certificate in checked:
                    found[certificate.family] = certificate
    except KeyboardInterrupt:  # what is known so far is still worth a verdict
        found.update(_kept(docket))
    return {name: found.get(name) or _unchecked(name, INTERRUPTED) for name in docket.families}


@dataclass(frozen=True)
class _Check:
    """A check that is to be made: about how long it takes, past which moment it is too late for it, and why."""

    family: str
    seconds: float
    until: float | None
    late: NotChecked

    def in_time(self, seconds: float = 0.0) -> bool:
        """Whether there are so many seconds left for it."""
        return self.until is None or time.monotonic() + seconds <= self.until

    @property
    def most(self) -> float:
        """Seconds after which the check of other people's code is given up, budget or not."""
        return _SECONDS + _TIMES * self.seconds

    @property
    def too_long(self) -> CheckTooLong:
        """The reason then given."""
        return CheckTooLong(self.most, self.seconds)


def _kept(docket: Docket) -> dict[str, Certificate]:
    held = {name: kept_certificate(docket.evidence, docket.keys[name]) for name in docket.families}
    return {name: certificate for name, certificate in held.items() if certificate is not None}


def _unchecked(family: str, reason: NotChecked) -> Certificate:
    return Certificate(family, Status.NOT_CHECKED, reason)


def _length(bench: Bench, name: str) -> float:
    """About how long a check takes, by all trials there are: the first may have done the work that all share."""
    seconds = bench.docket.seconds(name)
    return bench.check_seconds(name, sum(seconds), max(1, len(seconds)))


def _in_turn(checks: Sequence[_Check], first: Sequence[str]) -> tuple[list[_Check], list[_Check]]:
    """Those that matter most in their own order, then the rest, the longest first: none is left to run alone."""
    urgent = [check for name in first for check in checks if check.family == name]
    others = [check for check in checks if check.family not in first]
    return urgent, sorted(others, key=lambda check: -check.seconds)


def _checked(
    bench: Bench, checks: Sequence[_Check], jobs: int, workers: Pool | None
) -> Generator[Certificate, None, None]:
    """First those that may run in threads, then in workers other people's, and all where that saves enough time."""
    light = [check for check in checks if bench.in_threads(check.family)]
    heavy = [check for check in checks if not bench.in_threads(check.family)]
    worth = _saved(heavy, jobs) >= WORTH_A_POOL
    yield from _here(bench, light, jobs)
    yield from _here(bench, [] if worth else [check for check in heavy if not bench.others(check.family)], 1)
    apart = [check for check in heavy if worth or bench.others(check.family)]
    begun = [check for check in apart if check.in_time(check.seconds)]  # starting workers for nothing takes seconds
    yield from (_unchecked(check.family, check.late) for check in apart if check not in begun)
    if begun:
        with pool(bench.docket, jobs) if workers is None else nullcontext(workers) as place:
            yield from _in_workers(bench, begun, place)


def _saved(checks: Sequence[_Check], jobs: int) -> float:
    """Seconds won by so many at a time: there are few checks, and the longest has to end in any case."""
    lengths = [check.seconds for check in checks]
    return sum(lengths) - max(sum(lengths) / jobs, *lengths, 0.0)


def _here(bench: Bench, checks: Sequence[_Check], threads: int) -> Generator[Certificate, None, None]:
    given_up = threading.Event()

    def carry_out(check: _Check) -> Certificate:
        def cancel() -> None:
            if given_up.is_set() or not check.in_time():
                raise Cancelled

        try:
            return _carry_out(bench, check, cancel)
        except Cancelled:
            if given_up.is_set():
                raise
            return _unchecked(check.family, check.late)

    with one_thread():  # around them all: a thread that is done must not set the others free
        yield from side_by_side(carry_out, checks, threads, given_up.set, ahead=max(1, len(checks)))


def _in_workers(bench: Bench, checks: Sequence[_Check], workers: Pool) -> Generator[Certificate, None, None]:
    """Ours at once, other people's one at a time: what happens then is the doing of one, and so is a dead worker."""
    left = [check for check in checks if not bench.others(check.family)]
    yield from _sent(bench, left, left, workers)
    left += [check for check in checks if bench.others(check.family)]
    for check in list(left):
        yield from _sent(bench, [check], left, workers)


def _sent(
    bench: Bench, some: Sequence[_Check], left: list[_Check], workers: Pool
) -> Generator[Certificate, None, None]:
    """The certificates of some checks. All that have one are left no more; the others lost their worker to another."""
    refused = {check: workers.unsendable(check.family) for check in some}
    some, alone = [check for check in some if refused[check] is None], len(some) == 1
    limited = alone and any(bench.others(check.family) for check in some)
    end = math.inf

    def cancel() -> None:
        if time.monotonic() > end or not all(check.in_time() for check in some):
            raise Cancelled

    def settled(check: _Check, reason: NotChecked) -> Certificate:
        left.remove(check)
        return _unchecked(check.family, reason)

    yield from (settled(check, why) for check, why in refused.items() if why is not None)
    try:
        if limited:
            workers.ready(some[0].family, cancel)  # its time begins when a worker is there
            end = time.monotonic() + some[0].most
        for check, future in workers.each(_carry_out, some, cancel, limited=limited):
            certificate = future.result()
            left.remove(check)
            if isinstance(bench.docket.evidence, InMemory):  # a worker has no way to keep it there
                _keep(bench, certificate)
            yield certificate
    except Cancelled:
        unfinished = [check for check in some if check in left]
        yield from (settled(c, c.too_long if c.in_time() else c.late) for c in unfinished)
    except VenireError:
        raise  # nothing the learner did
    except Exception as error:  # a worker died: it ran out of memory, crashed in native code, or left
        died = workers.died(error)
        if alone:
            yield settled(some[0], died)


def _carry_out(bench: Bench, check: _Check, cancel: Cancel = never) -> Certificate:
    if not check.in_time(check.seconds):
        return _unchecked(check.family, check.late)
    docket, key = bench.docket, bench.docket.keys[check.family]

    def ran(trial: Trial) -> Outcome | None:
        record = docket.evidence.finished(key, trial)
        return None if record is None else record.outcome()

    family, table, plan = docket.families[check.family], docket.table, docket.plan
    certificate = certify(family, table, plan, cancel, ran=ran, survived=bench.survived)
    _keep(bench, certificate)
    return certificate


def _keep(bench: Bench, certificate: Certificate) -> None:
    if not isinstance(certificate.reason, NoTimeToCheck | CheckInterrupted):  # the next run may have more time
        keep_certificate(bench.docket.evidence, bench.docket.keys[certificate.family], certificate)
