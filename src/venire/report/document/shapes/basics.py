"""What several documents have in common: what was asked, what is measured, and how a figure is given."""

from __future__ import annotations

from typing import Annotated, TypedDict

from venire.data.document import PAIR, Account, Limits, TaskName, one_of
from venire.errors import SCHEMA_VERSION

Version = Annotated[int, Limits((("const", SCHEMA_VERSION),)), "changes when a field changes its meaning"]
Figure = Annotated[float | None, "null where it is not defined"]
Interval = Annotated[list[float | None], PAIR, "both ends of a 95 % interval"]
Splitting = Annotated[str, one_of("random", "stratified", "grouped", "time"), "how rows got into their folds"]


class Measured(TypedDict):
    """What is measured."""

    metric: Annotated[str, "a stable word such as `error`"]
    metric_label: Annotated[str, "the same for people"]
    higher_is_better: Annotated[bool, "as people are shown it; the fields called error are losses"]
    score_label: Annotated[str | None, "what the score is called where higher is better"]


class Question(Measured, Account):
    """What was asked of which table."""

    schema_version: Version
    venire: Annotated[str, "the version of venire"]
    source: str
    rows: Annotated[int, "with a target"]
    target: str
    task: TaskName
    classes: Annotated[list[str], "empty where numbers are predicted"]
    seed: int


class Errors(TypedDict):
    """An error with its interval."""

    error: Figure
    interval: Interval | None


class Score(TypedDict):
    """The error as the score people know, where higher is better; else null."""

    score: Figure
    score_interval: Interval | None
