"""The certificates of all families: kept ones from disk, the others by checks that run where trials do.

A check draws its trial and its nonsense from the seed and the family's name alone, so it comes to the same whether it
runs here, in a thread or in a worker, and whatever runs beside it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from venire.validation.honesty.certificate import Certificate, certify, keep_certificate, kept_certificate
from venire.validation.plans.plan import Trial
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Cancel, Cancelled, Outcome, never
from venire.validation.trials.forecast import check_seconds
from venire.validation.trials.one_thread import one_thread
from venire.validation.trials.reasons import CheckInterrupted, NotChecked, NoTimeToCheck, Status, WorkerDied
from venire.validation.trials.side_by_side import side_by_side
from venire.validation.trials.workers import WORTH_A_POOL, Bench, pool

NO_TIME = NoTimeToCheck()
INTERRUPTED = CheckInterrupted()


def certificates(
    docket: Docket,
    *,
    jobs: int = 1,
    first: Sequence[str] = (),
    until: float | None = None,
    late: NotChecked = NO_TIME,
) -> dict[str, Certificate]:
    """The certificate of every family of a docket, as kept, else by a check while there is time.

    `jobs` checks run at a time, those of `first` before all others and in that order, because it is they who matter
    when not all can be checked. `until` is a moment of `time.monotonic` past which no check is begun that would take
    longer, by the time of the trials, and past which one that was begun is given up; `late` is the reason then told.
    """
    bench = Bench(docket)
    found = _kept(docket)
    open_ones = [_Check(name, _length(bench, name), until, late) for name in docket.families if name not in found]
    try:
        for part in _in_turn(open_ones, first):
            with closing(_checked(bench, part, jobs)) as checked:
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


def _kept(docket: Docket) -> dict[str, Certificate]:
    held = {name: kept_certificate(docket.evidence, docket.keys[name]) for name in docket.families}
    return {name: certificate for name, certificate in held.items() if certificate is not None}


def _unchecked(family: str, reason: NotChecked) -> Certificate:
    return Certificate(family, Status.NOT_CHECKED, reason)


def _length(bench: Bench, name: str) -> float:
    """About how long a check takes, by all trials there are: the first may have done the work that all share."""
    docket = bench.docket
    records = [docket.evidence.finished(docket.keys[name], trial) for trial in docket.plan.trials]
    seconds = [record.seconds for record in records if record is not None]
    return check_seconds(sum(seconds), max(1, len(seconds)), bench.in_one_piece(name))


def _in_turn(checks: Sequence[_Check], first: Sequence[str]) -> tuple[list[_Check], list[_Check]]:
    """Those that matter most in their own order, then the rest, the longest first: none is left to run alone."""
    urgent = [check for name in first for check in checks if check.family == name]
    others = [check for check in checks if check.family not in first]
    return urgent, sorted(others, key=lambda check: -check.seconds)


def _checked(bench: Bench, checks: Sequence[_Check], jobs: int) -> Generator[Certificate, None, None]:
    """First those that may run in threads, then the others: in workers where that is worth starting them, else here."""
    light = [check for check in checks if bench.in_threads(check.family)]
    others = [check for check in checks if not bench.in_threads(check.family)]
    yield from _here(bench, light, jobs)
    if _saved(others, jobs) >= WORTH_A_POOL:
        yield from _in_workers(bench, others, jobs)
    else:
        yield from _here(bench, others, 1)


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


def _in_workers(bench: Bench, checks: Sequence[_Check], jobs: int) -> Generator[Certificate, None, None]:
    left = list(checks)

    def cancel() -> None:
        if not all(check.in_time() for check in left):
            raise Cancelled

    with pool(bench, min(jobs, len(checks)), cancel) as workers:
        try:
            for check, future in workers.each(_carry_out, checks):
                yield future.result()
                left.remove(check)
        except Cancelled:
            yield from (_unchecked(check.family, check.late) for check in left)
        except Exception as error:  # out of memory, or a crash in native code; it takes the others with it
            died = WorkerDied(type(error).__name__)
            yield from (_unchecked(check.family, died) for check in left)


def _carry_out(bench: Bench, check: _Check, cancel: Cancel = never) -> Certificate:
    if not check.in_time(check.seconds):
        return _unchecked(check.family, check.late)
    docket, key = bench.docket, bench.docket.keys[check.family]

    def ran(trial: Trial) -> Outcome | None:
        record = docket.evidence.finished(key, trial)
        return None if record is None else record.outcome()

    certificate = certify(docket.families[check.family], docket.table, docket.plan, cancel, ran=ran)
    keep_certificate(docket.evidence, key, certificate)
    return certificate
