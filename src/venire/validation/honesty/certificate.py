"""The certificate of honesty: one trial of a family, run again where it must and where it must not make a difference.

Two questions, asked of one trial that is drawn by the seed (and of more, where its rows are too few to tell):

1. *Does it see rows it must not?* All that the trial leaves out is overwritten with nonsense (`garble`). What it
   predicts must not change by a bit.
2. *Does it know the answers from elsewhere?* All labels are shuffled, and turned round (`answers`). Whose
   scores still order the rows by the true answers has them from somewhere else, such as a table of its own.

Families of ours, whose code the tests go through as well, are asked on some thousand rows of a larger table, and those
whose settings do the same with the rows by some of them; other people's on all rows and by all settings.

The second is a matter of counting: how large a leak it would have seen is computed and kept. Other people's code is
certified only where a leak of all answers would have been seen; the first cannot be argued with. An estimator that was
prepared with all rows beforehand, outside of venire, and merely learns faster from it is caught by neither.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from venire.data.spaced_rows import spaced_rows
from venire.data.table import Table
from venire.validation.evidence.evidence import Evidence, FamilyKey
from venire.validation.honesty.garble import leak_in, run_alone
from venire.validation.honesty.known_answers import ask
from venire.validation.honesty.leaking import HangsOnState, KnowsAnswers, Leaking
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Brief, Cancel, Cancelled, Family, Outcome, never
from venire.validation.trials.reasons import NoFixedSeed, NotChecked, RefusesNonsense, Status, TooFewToTell
from venire.validation.trials.whose_code import others_code, rows_checked
from venire.validation.trials.workers.bench import words_of
from venire.validation.trials.workers.one_thread import one_thread

_FORMAT = 3
_REASONS: dict[Status, Any] = {
    Status.CERTIFIED: type(None),
    Status.LEAKS: Leaking,
    Status.NOT_CHECKED: NotChecked,
}
_SURE = 0.95  # with which a leak of all answers would have been seen, or other people's code is not certified


@dataclass(frozen=True)
class Certificate:
    """What the check of one family came to: certified, leaking, or not checked, with the reason.

    `power` is the probability with which a leak of half of the answers would have been seen; None where it was not
    asked for.
    """

    family: str
    status: Status
    reason: NotChecked | Leaking | None = None
    power: float | None = field(default=None, compare=False)

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
    """Check one family on one trial, the same for the same seed: some fits beside the one whose outcome `ran` gives.

    What is `survived` is an answer when a learner raises it, as for `Bench`.
    """
    draw = hashlib.blake2b(f"certificate|{plan.seed}|{family.name}".encode(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(draw, "little"))
    # A trial that leaves out two folds has more to hide than one that leaves out the fold it predicts.
    able = [trial for trial in plan.trials if trial.test]
    telling = [trial for trial in able if len(trial.test) > 1] or able
    drawn = telling[int(rng.integers(len(telling)))]
    table, plan, trial = plan.within(table, drawn)
    most = rows_checked(family, table.rows)
    if isinstance(family, Brief) and not others_code(family):
        family, ran = family.in_brief(table), _not_yet
    if most < table.rows:
        (table, plan), ran = _some_rows(table, plan, most), _not_yet
    try:
        with one_thread():
            cancel()
            clean = ran(drawn) or run_alone(family, family.prepare(table, plan), trial, cancel)
            asked = ask(family, table, plan, trial, rng, cancel, len(clean.outputs))
            cancel()
            leak = None if asked.knows else leak_in(family, clean, table, plan, trial, rng, cancel)
            if leak is not None and (unsteady := _unsteady(family, clean, table, plan, trial, cancel)) is not None:
                status = Status.LEAKS if isinstance(unsteady, HangsOnState) else Status.NOT_CHECKED
                return Certificate(family.name, status, unsteady, asked.half)
    except Cancelled:
        raise
    except survived as error:  # a learner may refuse to predict nonsense, and that is no leak
        return Certificate(family.name, Status.NOT_CHECKED, RefusesNonsense(*words_of(error)))
    leaking = KnowsAnswers(family.name, asked.rows) if asked.knows else None if leak is None else leak.reason
    if leaking is not None:
        return Certificate(family.name, Status.LEAKS, leaking, asked.half)
    if others_code(family) and asked.whole < _SURE:
        return Certificate(family.name, Status.NOT_CHECKED, TooFewToTell(asked.rows), asked.half)
    return Certificate(family.name, Status.CERTIFIED, power=asked.half)


def kept_certificate(evidence: Evidence, key: FamilyKey) -> Certificate | None:
    """The certificate of an earlier run of the same family on the same table and plan, if it was kept.

    One that cannot be (of another family, leaking without a reason, figures that are none) is none.
    """
    try:
        held = json.loads(evidence.kept(_name(key)) or b"")
        if held.pop("format") != _FORMAT or held["family"] != key.name:
            return None
        status, reason = Status(held["status"]), _reason(held["kind"], held["figures"])
        power = None if held["power"] is None else float(held["power"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return Certificate(key.name, status, reason, power) if isinstance(reason, _REASONS[status]) else None


def keep_certificate(evidence: Evidence, key: FamilyKey, certificate: Certificate) -> None:
    """Keep it beside the family's trials, so that it is not asked for again."""
    because = certificate.reason
    content = {
        "format": _FORMAT,
        "family": certificate.family,
        "status": certificate.status,
        "kind": None if because is None else because.kind,
        "figures": {} if because is None else because.figures,
        "power": certificate.power,
    }
    evidence.keep(_name(key), json.dumps(content).encode())


def _some_rows(table: Table, plan: Plan, most: int) -> tuple[Table, Plan]:
    """Rows at equal distances, in the folds they are in."""
    rows = spaced_rows(table.rows, most)
    cases = None if plan.cases is None else plan.cases[rows]
    return table.take(rows), replace(plan, fold_of=np.ascontiguousarray(plan.fold_of[:, rows]), cases=cases)


def _not_yet(_: Trial) -> Outcome | None:
    return None


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


def _unsteady(
    family: Family, clean: Outcome, table: Table, plan: Plan, trial: Trial, cancel: Cancel
) -> NoFixedSeed | HangsOnState | None:
    """Why the trial does not come to the same when it is run again, if it does not: twice, to tell luck from memory."""
    once, twice = (run_alone(family, family.prepare(table, plan), trial, cancel) for _ in range(2))
    if np.array_equal(once.outputs, clean.outputs, equal_nan=True):
        return None
    if np.array_equal(once.outputs, twice.outputs, equal_nan=True):
        return HangsOnState(family.name, tuple(fold + 1 for fold in trial.train))
    return NoFixedSeed()
