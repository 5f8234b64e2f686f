"""The certificate of honesty: one trial of a family, run again where it must and where it must not make a difference.

Two questions, each asked of one trial that is drawn by the seed:

1. *Does it see rows it must not?* All that the trial leaves out is overwritten with nonsense (`garble`). What it
   predicts must not change by a bit.
2. *Does it know the answers from elsewhere?* All labels are turned round: every class becomes the next, every number is
   mirrored. Who learns from the training rows now gives the turned answers. Who still gives the true ones, far better
   than a constant could, and gave them before, has them from somewhere else, such as a table of its own.

The second is a matter of counting and can miss a leak on few rows; the first cannot be argued with. An estimator that
was prepared with all rows beforehand, outside of venire, and merely learns faster from it is caught by neither.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.data.table import Table, Task
from venire.validation.evidence.evidence import Evidence, FamilyKey
from venire.validation.honesty.garble import leak_in, run_alone
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Cancelled, Family, Outcome, never
from venire.validation.trials.one_thread import one_thread
from venire.validation.trials.reasons import (
    KnowsAnswers,
    Leaking,
    NoFixedSeed,
    NotChecked,
    RefusesNonsense,
    Status,
)
from venire.validation.trials.workers.bench import words_of

_FORMAT = 2
_REASONS: dict[Status, Any] = {
    Status.CERTIFIED: type(None),
    Status.LEAKS: Leaking,
    Status.NOT_CHECKED: NotChecked,
}
# An honest learner that is right above chance on the true labels is wrong on them once they are turned round; to be
# above chance both times with this little luck each does not happen.
_LUCK = 1e-4
_EXPLAINED = 0.5  # of the variance of numbers, both times


@dataclass(frozen=True)
class Certificate:
    """What the check of one family came to: certified, leaking, or not checked, with the reason."""

    family: str
    status: Status
    reason: NotChecked | Leaking | None = None

    @property
    def certified(self) -> bool:
        """Whether nothing was found."""
        return self.status is Status.CERTIFIED


def certify(
    family: Family,
    table: Table,
    plan: Plan,
    cancel: Cancel = never,
    *,
    ran: Callable[[Trial], Outcome | None] = lambda _: None,
    survived: type[BaseException] = Exception,
) -> Certificate:
    """Check one family on one trial, the same for the same seed: two fits beside the one whose outcome `ran` gives.

    What is `survived` is an answer when a learner raises it, as for `Bench`.
    """
    draw = hashlib.blake2b(f"certificate|{plan.seed}|{family.name}".encode(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(draw, "little"))
    # A trial that leaves out two folds has more to hide than one that leaves out the fold it predicts.
    able = [trial for trial in plan.trials if trial.test]
    telling = [trial for trial in able if len(trial.test) > 1] or able
    drawn = telling[int(rng.integers(len(telling)))]
    table, plan, trial = plan.within(table, drawn)
    try:
        with one_thread():
            cancel()
            clean = ran(drawn) or run_alone(family, family.prepare(table, plan), trial, cancel)
            knows = _knows_the_answers(family, clean, table, plan, trial, cancel)
            cancel()
            leak = None if knows else leak_in(family, clean, table, plan, trial, rng, cancel)
            if leak is not None and not _repeats_itself(family, clean, table, plan, trial, cancel):
                return Certificate(family.name, Status.NOT_CHECKED, NoFixedSeed())
    except Cancelled:
        raise
    except survived as error:  # a learner may refuse to predict nonsense, and that is no leak
        return Certificate(family.name, Status.NOT_CHECKED, RefusesNonsense(*words_of(error)))
    leaking = knows or (None if leak is None else leak.reason)
    return Certificate(family.name, Status.CERTIFIED if leaking is None else Status.LEAKS, leaking)


def kept_certificate(evidence: Evidence, key: FamilyKey) -> Certificate | None:
    """The certificate of an earlier run of the same family on the same table and plan, if it was kept.

    One that cannot be (of another family, leaking without a reason, figures that are none) is none.
    """
    try:
        held = json.loads(evidence.kept(_name(key)) or b"")
        if held.pop("format") != _FORMAT or held["family"] != key.name:
            return None
        status, reason = Status(held["status"]), _reason(held["kind"], held["figures"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return Certificate(key.name, status, reason) if isinstance(reason, _REASONS[status]) else None


def keep_certificate(evidence: Evidence, key: FamilyKey, certificate: Certificate) -> None:
    """Keep it beside the family's trials, so that it is not asked for again."""
    because = certificate.reason
    content = {
        "format": _FORMAT,
        "family": certificate.family,
        "status": certificate.status,
        "kind": None if because is None else because.kind,
        "figures": {} if because is None else because.figures,
    }
    evidence.keep(_name(key), json.dumps(content).encode())


def _reason(kind: str | None, figures: dict[str, Any]) -> NotChecked | Leaking | None:
    """The reason of that kind with its figures; what JSON has as lists are tuples."""
    if kind is None:
        return None
    known: dict[str, Callable[..., NotChecked | Leaking]] = {one.kind: one for one in get_args(NotChecked | Leaking)}
    types = get_type_hints(known[kind])
    if not all(_fits(value, types[name]) for name, value in figures.items()):
        raise ValueError(f"the figures of {kind} are {figures}")
    return known[kind](**{name: tuple(v) if isinstance(v, list) else v for name, v in figures.items()})


def _fits(value: Any, wanted: Any) -> bool:
    """Whether a value from JSON is one of a figure's type: a text, a whole number, several, or None."""
    if isinstance(wanted, UnionType):
        return any(_fits(value, each) for each in get_args(wanted))
    if get_origin(wanted) is tuple:
        return isinstance(value, list) and all(_fits(each, get_args(wanted)[0]) for each in value)
    return isinstance(value, wanted) and not isinstance(value, bool)


def _name(key: FamilyKey) -> str:
    return f"{key}/certificate.json"


def _repeats_itself(family: Family, clean: Outcome, table: Table, plan: Plan, trial: Trial, cancel: Cancel) -> bool:
    again = run_alone(family, family.prepare(table, plan), trial, cancel)
    return np.array_equal(again.outputs, clean.outputs, equal_nan=True)


def _knows_the_answers(
    family: Family, clean: Outcome, table: Table, plan: Plan, trial: Trial, cancel: Cancel
) -> KnowsAnswers | None:
    y = table.y[plan.test_rows(trial)]
    before = _right(clean, table, y)
    if not before.any():  # no setting is any good: nothing to be suspicious of
        return None
    turned = table.with_values(table.X, _turned(table))
    after = run_alone(family, family.prepare(turned, plan), trial, cancel)
    if not (before & _right(after, table, y)).any():
        return None
    return KnowsAnswers(family.name, len(y))


def _turned(table: Table) -> NDArray[Any]:
    """Every class the next one, every number mirrored."""
    assert table.target is not None
    if table.target.task is Task.REGRESSION:
        return np.asarray(table.y.max() + table.y.min() - table.y)
    return np.asarray((table.y + 1) % len(table.target.classes), dtype=table.y.dtype)


def _right(outcome: Outcome, table: Table, y: NDArray[Any]) -> NDArray[np.bool_]:
    """Which settings predict the true labels far better than a constant could."""
    assert table.target is not None
    if table.target.task is Task.REGRESSION:
        spread = float(np.square(y - y.mean()).sum())
        missed = np.square(outcome.outputs[:, :, 0] - y).sum(axis=1)
        return np.asarray((spread > 0) & (missed < (1 - _EXPLAINED) * spread))
    right = (outcome.labels == y).sum(axis=1)
    commonest = float(np.bincount(y).max()) / len(y)
    # The chance of at least that many right by a constant: the tail of a binomial.
    luck = special.bdtrc(right - 1, len(y), commonest)
    return np.asarray(luck < _LUCK)
