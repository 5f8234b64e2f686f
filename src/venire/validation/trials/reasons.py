"""Why a family was not tried, failed, stopped or was not checked: values with figures, so that nobody parses prose.

Every reason has a stable `kind` and the figures behind it. Where an error or a finding below the report has to say it,
its words are its `str`; all others get their sentence in `report/sentences/reasons.py`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, ClassVar

from venire.wording import duration


class Stopped(StrEnum):
    """What ended a run before all of it was done."""

    BUDGET = "budget"
    INTERRUPTED = "interrupted"


class Status(StrEnum):
    """What the check of a family came to."""

    CERTIFIED = "certified"
    LEAKS = "leaks"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class Reason:
    """A reason: its kind, and as fields its figures."""

    kind: ClassVar[str]

    @property
    def figures(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


# Not tried: decided by formula, before anything runs.


@dataclass(frozen=True)
class TooSlow(Reason):
    """Its trials alone would take longer than the plan has room for."""

    kind: ClassVar[str] = "too_slow"
    seconds: float  # its trials, by formula
    room: float  # seconds the plan has for trials
    budget: float  # seconds
    planned_share: float  # of the budget, what is planned for trials


@dataclass(frozen=True)
class TooLarge(Reason):
    """Its trials would need more memory than can be used."""

    kind: ClassVar[str] = "too_large"
    bytes: float  # of all workers together
    usable: float  # bytes


# Not tried to the end.


@dataclass(frozen=True)
class OutOfTime(Reason):
    """The budget ended before its trials did."""

    kind: ClassVar[str] = "out_of_time"
    budget: float | None  # seconds
    done: int  # trials, those found on disk among them
    trials: int  # of the plan


@dataclass(frozen=True)
class Interrupted(Reason):
    """Somebody stopped the run before its trials were done."""

    kind: ClassVar[str] = "interrupted"
    done: int
    trials: int


# Not able to: the table, the task or the metric is not for it. The sentence follows the name of the family.


@dataclass(frozen=True)
class Unable(Reason):
    """It cannot take this table, or cannot be measured by this metric; a family of your own says why in words."""

    kind: ClassVar[str] = "unable"
    why: str

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True)
class WrongTask(Reason):
    """It predicts classes where numbers are asked for, or the other way round."""

    kind: ClassVar[str] = "wrong_task"
    task: str

    def __str__(self) -> str:
        return f"does not do {self.task}"


@dataclass(frozen=True)
class NoWeights(Reason):
    """The rows have weights, and it cannot take any."""

    kind: ClassVar[str] = "no_weights"

    def __str__(self) -> str:
        return "takes no example weights"


@dataclass(frozen=True)
class WrongOutput(Reason):
    """It gives labels where the metric needs scores or probabilities."""

    kind: ClassVar[str] = "wrong_output"
    output: str
    metric: str
    needs: str

    def __str__(self) -> str:
        return f"gives {self.output}, and {self.metric} needs {self.needs}"


@dataclass(frozen=True)
class TooFewNumericColumns(Reason):
    """It combines numeric columns, and there are not two."""

    kind: ClassVar[str] = "too_few_numeric_columns"
    columns: int

    def __str__(self) -> str:
        return f"combines numeric columns, and the table has {self.columns or 'none'}"


@dataclass(frozen=True)
class TooFewRows(Reason):
    """It is made for larger tables."""

    kind: ClassVar[str] = "too_few_rows"
    rows: int
    least: int

    def __str__(self) -> str:
        return f"is for tables of {self.least:,} rows or more"


@dataclass(frozen=True)
class NoAmounts(Reason):
    """It predicts amounts and counts: no number below 0, and not nearly all of them 0."""

    kind: ClassVar[str] = "no_amounts"
    least: float  # of the target
    above: int  # rows with a number above 0

    def __str__(self) -> str:
        if self.least < 0:
            return f"is for amounts and counts, and the target goes down to {self.least:g}"
        return f"is for amounts and counts, and {self.above or 'none'} of the rows are above 0"


@dataclass(frozen=True)
class TooManyTerms(Reason):
    """Its polynomial has more terms than anyone could fit."""

    kind: ClassVar[str] = "too_many_terms"
    degree: int
    columns: int
    terms: int

    def __str__(self) -> str:
        return f"degree {self.degree} of {self.columns} columns makes {self.terms:,} terms"


# Failed.


@dataclass(frozen=True)
class Raised(Reason):
    """A trial of it raised an error."""

    kind: ClassVar[str] = "raised"
    folds: tuple[int, ...]  # it was trained on, from 1 on
    error: str  # its type
    message: str  # its first line

    def __str__(self) -> str:
        return f"trained on folds {', '.join(map(str, self.folds))}: {self.error}: {self.message}"


@dataclass(frozen=True)
class WorkerDied(Reason):
    """The process that ran it died: it left, crashed in native code, or was killed."""

    kind: ClassVar[str] = "worker_died"
    error: str  # the signal or the exit code, where the system tells
    folds: tuple[int, ...] | None = None  # it was trained on, from 1 on; None where no trial was run

    def __str__(self) -> str:
        if self.folds is None:
            return f"a worker process died ({self.error})"
        return f"trained on folds {', '.join(map(str, self.folds))}: the worker process died ({self.error})"


@dataclass(frozen=True)
class CannotBeSent(Reason):
    """It cannot be sent to a worker process, where other people's code runs."""

    kind: ClassVar[str] = "cannot_be_sent"
    error: str  # its type
    message: str  # its first line

    def __str__(self) -> str:
        return (
            f"it cannot be sent to a worker process ({self.error}: {self.message}): make what cannot be pickled "
            "inside fit"
        )


# Not checked for leaks; what a leak is called stands in `honesty/leaking.py`.


@dataclass(frozen=True)
class NoTimeToCheck(Reason):
    """The budget had no time left for the check."""

    kind: ClassVar[str] = "no_time"

    def __str__(self) -> str:
        return "no time was left of the budget"


@dataclass(frozen=True)
class CheckInterrupted(Reason):
    """Somebody stopped the run before the check."""

    kind: ClassVar[str] = "interrupted"

    def __str__(self) -> str:
        return "the run was interrupted"


@dataclass(frozen=True)
class CheckTooLong(Reason):
    """Its check was given up: it took far longer than its trials had."""

    kind: ClassVar[str] = "check_too_long"
    seconds: float  # that it was given
    expected: float  # by its trials

    def __str__(self) -> str:
        return f"it was given up after {duration(self.seconds)}, where its trials let expect {duration(self.expected)}"


@dataclass(frozen=True)
class NoFixedSeed(Reason):
    """Two fits on the same rows differ, so that no difference means anything."""

    kind: ClassVar[str] = "no_fixed_seed"

    def __str__(self) -> str:
        return "two fits on the same rows differ: it has no fixed seed"


@dataclass(frozen=True)
class RefusesNonsense(Reason):
    """It raised an error on the rows that were overwritten."""

    kind: ClassVar[str] = "refuses_nonsense"
    error: str
    message: str

    def __str__(self) -> str:
        return f"it fails on random values in the held-out rows: {self.error}: {self.message}"


@dataclass(frozen=True)
class TooFewToTell(Reason):
    """Not even a leak of all answers would have been seen."""

    kind: ClassVar[str] = "too_few_to_tell"
    rows: int

    def __str__(self) -> str:
        return f"{self.rows} rows are too few to tell whether it has the answers from somewhere else"


CannotTake = Unable | WrongTask | NoWeights | WrongOutput | TooFewNumericColumns | TooFewRows | NoAmounts | TooManyTerms
NotTried = CannotTake | TooSlow | TooLarge | OutOfTime | Interrupted
Failure = Raised | WorkerDied | CannotBeSent
_Ended = NoTimeToCheck | CheckInterrupted | CheckTooLong | WorkerDied | CannotBeSent
NotChecked = _Ended | NoFixedSeed | RefusesNonsense | TooFewToTell
