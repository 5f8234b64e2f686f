"""The lists of models and of runs as types."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from venire.data.document import Limits, one_of
from venire.report.document.shapes.basics import Figure, Interval, Version
from venire.validation.trials.reasons import Stopped

COMPLETE, NO_VERDICT = "complete", "no verdict"


class ModelFacts(TypedDict):
    """A family or a combination."""

    family: str
    task: Annotated[str, one_of("classification", "regression", "both")]
    path: Annotated[str, "its settings in words, from simple to complex"]


class ModelsDocument(TypedDict):
    """The models there are: `venire models --json` prints this."""

    schema_version: Version
    models: list[ModelFacts]


class RunFacts(TypedDict):
    """What was computed before, with its last verdict if it came to one."""

    key: str
    source: str
    target: str
    rows: int
    folds: int
    seed: int
    families: list[str]
    trials: int
    bytes: int
    created: Annotated[str, Limits((("format", "date-time"),))]
    state: Annotated[str, one_of(COMPLETE, NO_VERDICT, *Stopped)]
    chosen: NotRequired[str]
    metric: NotRequired[str]
    metric_label: NotRequired[str]
    higher_is_better: NotRequired[bool]
    score_label: NotRequired[str | None]
    practical_difference: NotRequired[Figure]
    error: NotRequired[Figure]
    interval: NotRequired[Interval | None]
    seconds: NotRequired[float]


class DatedRun(RunFacts):
    """A run as the terminal lists it."""

    when: Annotated[str, "how long ago"]


class RunsDocument(TypedDict):
    """The runs on disk: `venire runs --json` prints this."""

    schema_version: Version
    home: str
    runs: list[RunFacts]
