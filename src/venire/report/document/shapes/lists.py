"""The lists of models and of runs as types."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from venire.data.document import Limits, Version, one_of
from venire.report.document.shapes.basics import Figure, Interval
from venire.validation.evidence.questions import Kind
from venire.validation.trials.reasons import Stopped

COMPLETE, NO_VERDICT, RUNNING, DAMAGED = "complete", "no verdict", "running", "damaged"
When = Annotated[str, Limits((("format", "date-time"),))]


class ModelFacts(TypedDict):
    """A family or a combination."""

    family: str
    task: Annotated[str, one_of("classification", "regression", "both")]
    path: Annotated[str, "its settings in words, from simple to complex"]


class ModelsDocument(TypedDict):
    """The models there are: `venire models --json` prints this."""

    schema_version: Version
    models: list[ModelFacts]


class Answer(TypedDict):
    """What a list shows of a verdict."""

    state: str
    chosen: str
    metric: str
    metric_label: str
    higher_is_better: bool
    score_label: str | None
    practical_difference: Figure
    error: Figure
    interval: Interval | None
    seconds: float


class RunFacts(TypedDict):
    """A question that was asked, with its last answer if it came to one."""

    key: str
    kind: Annotated[str, one_of(*Kind)]
    name: Annotated[str, "as its asker calls it, else that of its file"]
    source: str
    target: str
    rows: int
    folds: int
    seed: int
    models: Annotated[list[str], "that were asked for, combinations among them"]
    families: Annotated[list[str], "of which there is evidence"]
    trials: int
    bytes: Annotated[int, "of all it uses, also what other runs use, too"]
    created: Annotated[When, "asked for the first time"]
    last_run: Annotated[When, "asked for the last time"]
    state: Annotated[str, one_of(COMPLETE, NO_VERDICT, RUNNING, DAMAGED, *Stopped)]
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

    when: Annotated[str, "how long ago it was run last"]


class DamagedRun(TypedDict):
    """A run that cannot be read."""

    key: str
    why: str


class RunsDocument(TypedDict):
    """The runs on disk: `venire runs --json` prints this."""

    schema_version: Version
    home: str
    bytes: Annotated[int, "of all files, those that several runs use counted once"]
    runs: list[RunFacts]
    damaged: list[DamagedRun]


class RunName(TypedDict):
    """A run by its key and its name."""

    key: str
    name: str


class DeletedDocument(TypedDict):
    """What was deleted: `venire runs --delete --json` and `venire runs --prune --json` print this."""

    schema_version: Version
    home: str
    deleted: list[RunName]
    bytes_freed: int
    bytes_left: int
    running: Annotated[list[RunName], "would have been deleted, and are running"]
