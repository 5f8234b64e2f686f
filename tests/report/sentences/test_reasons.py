"""Every reason has its words, and no two kinds of one list share a name."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from venire.report.sentences.reasons import reason_words
from venire.validation.honesty.leaking import Leaking
from venire.validation.trials import reasons

ONE_OF_EACH = [
    reasons.TooSlow(seconds=500.0, room=420.0, budget=600.0, planned_share=0.7),
    reasons.TooLarge(bytes=1e12, usable=8e9),
    reasons.OutOfTime(budget=60.0, done=3, trials=10),
    reasons.Interrupted(done=3, trials=10),
    reasons.Unable("needs a moon"),
    reasons.WrongTask("regression"),
    reasons.NoWeights(),
    reasons.WrongOutput("labels", "auc", "scores"),
    reasons.TooFewNumericColumns(0),
    reasons.TooFewRows(100, 5000),
    reasons.NoAmounts(-3.5, 40),
    reasons.TooManyTerms(4, 40, 135_750),
    reasons.Raised((1, 2), "ValueError", "no luck"),
    reasons.WorkerDied("TerminatedWorkerError", (1, 2)),
    reasons.CannotBeSent("PicklingError", "a lock"),
]


def test_there_is_one_of_each() -> None:
    assert {type(one) for one in ONE_OF_EACH} == set(get_args(reasons.NotTried | reasons.Failure))


@pytest.mark.parametrize("union", [reasons.NotTried, reasons.Failure, reasons.NotChecked | Leaking])
def test_kinds_tell_reasons_apart(union: object) -> None:
    kinds = [one.kind for one in get_args(union)]
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("reason", ONE_OF_EACH, ids=lambda reason: reason.kind)
def test_a_reason_is_said_in_words(reason: reasons.NotTried) -> None:
    words = reason_words(reason)
    assert type(reason).__name__ not in words, "words, and no representation"
    assert not words.endswith(".")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (ONE_OF_EACH[0], r"too slow: [^,]*, and trials have 7 min of [^,]*\(70 % of 10 min\)"),
        (ONE_OF_EACH[1], r"too large: needs about 931 GiB of memory, 7\.5 GiB can be used"),
        (ONE_OF_EACH[2], r"out of time: the budget of .* ended after 3 of 10 trials; run again to resume there"),
        (ONE_OF_EACH[3], r"interrupted after 3 of 10 trials; run again to resume there"),
        (ONE_OF_EACH[7], r"gives labels, and auc needs scores"),
        (ONE_OF_EACH[9], r"is for tables of 5,000 rows or more"),
        (ONE_OF_EACH[10], r"is for amounts and counts, and the target goes down to -3\.5"),
        (reasons.NoAmounts(0.0, 0), r"is for amounts and counts, and none of the rows are above 0"),
        (ONE_OF_EACH[12], r"trained on folds 1, 2: ValueError: no luck"),
        (ONE_OF_EACH[13], r"trained on folds 1, 2: the worker process died \(TerminatedWorkerError\)"),
    ],
)
def test_words(reason: reasons.NotTried, words: str) -> None:
    assert re.fullmatch(words, reason_words(reason))
