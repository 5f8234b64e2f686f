"""A selection as types: `venire select --json` prints this."""

from __future__ import annotations

import math
from typing import Annotated, TypedDict

from venire.data.document import PAIR, one_of
from venire.inference import Interval
from venire.validation.honesty.document import CertificateFacts, StoppedBy
from venire.validation.question import Question

Figure = Annotated[float | None, "null where it is not defined"]


class StepFacts(TypedDict):
    """A step of the path: one attribute more, or one less."""

    step: int
    change: Annotated[str | None, "the attribute that was added or removed; null at the start"]
    attributes: Annotated[int, "how many there are at this step"]
    training_error: Figure
    error: Annotated[float | None, "cross-validated"]
    chosen: bool


class Subset(TypedDict):
    """The attributes chosen, and the two-layer error of choosing them."""

    attributes: list[str]
    error: Figure
    interval: Annotated[list[float], PAIR, "both ends of a 95 % interval"] | None
    one_layer_error: Annotated[float | None, "of the chosen subset: the best of many, so too low"]
    training_error: Figure


class AllColumnsFacts(TypedDict):
    """The model with all columns, on the same folds and training rows; `difference` is the selection less this."""

    error: Figure
    interval: Annotated[list[float], PAIR, "both ends of a 95 % interval"] | None
    difference: Annotated[float | None, "below zero selecting is better"]
    difference_interval: Annotated[list[float], PAIR, "both ends of a 95 % interval"] | None
    p_better: Annotated[float | None, "probability that selecting is better"]
    p_worse: Annotated[float | None, "probability that selecting is worse"]


class Seconds(TypedDict):
    """The time it took."""

    seconds: float


class SelectionDocument(Question):
    """A selection of attributes: `venire select --json` prints this."""

    folds: int
    repeats: int
    splitting: Annotated[str, one_of("random", "stratified", "grouped", "time"), "how rows got into their folds"]
    direction: Annotated[str, one_of("forward", "backward")]
    model: str
    attributes: list[str]
    subsets: Annotated[int, "looked at on the way through all rows"]
    most_subsets: int
    path: list[StepFacts]
    chosen: Subset
    all_attributes: AllColumnsFacts
    chosen_in: Annotated[dict[str, int], "in how many of the training parts each attribute was chosen"]
    choices: Annotated[int, "how many training parts chose"]
    stopped: StoppedBy
    certificates: list[CertificateFacts]
    timing: Seconds


def ends_or_none(found: Interval) -> list[float] | None:
    """Both ends of an interval; None where there is none."""
    return [float(found.low), float(found.high)] if found.defined else None


def number_or_none(value: float) -> float | None:
    """The number; None where it is not defined."""
    return float(value) if math.isfinite(value) else None
