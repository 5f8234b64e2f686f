"""What is in a model file, as types: `venire model --json` prints this."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from venire.data.document import Ends, KindName, TaskName, Version
from venire.report.document.shapes.basics import Errors, Score
from venire.report.document.shapes.verdict import ThresholdOf
from venire.validation.question import Measured


class InputColumn(TypedDict):
    """A column that the model reads."""

    name: str
    kind: KindName
    missing: Annotated[int, "how many training rows had no value"]
    range: NotRequired[Annotated[Ends | None, "of the training rows; null where none had a value"]]
    categories: NotRequired[Annotated[list[str], "that training rows had"]]
    edges: NotRequired[Annotated[list[float], "of about ten ranges with as many training rows each"]]
    counts: NotRequired[Annotated[list[int], "training rows in each range, or of each category"]]


class ModelPart(TypedDict):
    """A member of a combination, at one of its settings."""

    family: str
    setting: Annotated[str, "as people read it"]
    weight: Annotated[float, "of all members they sum to 1"]


class ModelFigures(Measured, Errors, Score):
    """What a verdict found out about a model: how good it is on rows it has not seen, and what it was made of."""

    family: str
    setting: Annotated[str, "as people read it"]
    weights: Annotated[dict[str, float] | None, "of the members of a combination; they sum to 1"]
    parts: NotRequired[Annotated[list[ModelPart], "the members of a combination, the heaviest first"]]
    estimates: Annotated[str, "what the error estimates, in words"]
    source: Annotated[str, "the name of the table, without its folder"]
    rows: Annotated[int, "that it was trained on"]
    task: TaskName
    target: str
    classes: Annotated[list[str], "empty where numbers are predicted"]
    positive: Annotated[str | None, "the class of interest, of two"]
    calibration: str | None
    decision: Annotated[str | None, "how a class is decided on, where not by the largest probability"]
    threshold: Annotated[float | None, "from where on `threshold_class` is said"]
    threshold_class: NotRequired[str]
    threshold_of: NotRequired[ThresholdOf]
    columns: list[InputColumn]
    target_edges: NotRequired[Annotated[list[float], "of ranges of the target; empty of classes"]]
    target_counts: NotRequired[Annotated[list[int], "training rows in each range, or of each class"]]
    folds: Annotated[int, "how many folds"]
    repeats: int
    splitting: Annotated[str, "how rows got into their folds"]
    seed: int
    certificate: NotRequired[Annotated[str, "what the check for leaks came to"]]
    findings: NotRequired[Annotated[list[str], "what is worth knowing before acting on it, as people read it"]]


class KeptData(TypedDict):
    """One thing that a model file keeps of the training data."""

    what: str
    rows: Annotated[bool, "whole training rows, as they were or scaled"]


class ModelFacts(TypedDict):
    """What a fitted model is, wherever it is kept."""

    model: Annotated[str, "the class of the model"]
    members: Annotated[list[str], "the classes of what it is made of"]
    columns: Annotated[list[str], "the columns it reads; empty where they have no names"]
    classes: Annotated[list[str], "empty where numbers are predicted"]
    keeps: Annotated[list[KeptData], "of the training data"]
    figures: Annotated[ModelFigures | None, "null where no verdict was saved with it"]


class ModelFileDocument(ModelFacts):
    """What is in a model file: `venire model --json` prints this."""

    schema_version: Version
    file: str
    bytes: int
    checksum: Annotated[str, "SHA-256 of the file but for its last 32 bytes, which are this"]
    format: Annotated[int, "the version of the file format"]
    written_by: Annotated[dict[str, str], "the versions of venire and of the libraries it was fitted with"]
