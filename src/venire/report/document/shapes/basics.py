"""What several documents have in common: how a figure and its interval are given."""

from __future__ import annotations

from typing import Annotated, TypedDict

from venire.data.document import PAIR, one_of

Figure = Annotated[float | None, "null where it is not defined"]
Interval = Annotated[list[float | None], PAIR, "both ends of a 95 % interval"]
Splitting = Annotated[str, one_of("random", "stratified", "grouped", "time"), "how rows got into their folds"]


class Errors(TypedDict):
    """An error with its interval."""

    error: Figure
    interval: Interval | None


class Score(TypedDict):
    """The error as the score people know, where higher is better; else null."""

    score: Figure
    score_interval: Interval | None
