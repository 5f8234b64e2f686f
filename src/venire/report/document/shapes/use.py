"""What became of a file that a model was used on, as types: predictions, evaluations and explanations."""

from __future__ import annotations

from typing import Annotated, TypedDict

from venire.data.document import Ends, TaskName
from venire.report.document.shapes.basics import Version


class LostValues(TypedDict):
    """Values of one column that make no sense to the model, and count as missing."""

    code: Annotated[str, "a stable word such as `unknown_category`"]
    column: str
    rows: int
    examples: Annotated[list[str], "a few of them, where they are texts"]
    message: str


class BeyondRange(TypedDict):
    """Numbers of one column that lie outside of the range of the training rows; they are used as they are."""

    column: str
    rows: int
    training: Annotated[Ends, "of the training rows"]
    found: Annotated[Ends, "of these rows"]


class InputFacts(TypedDict):
    """How the rows of a file fit the columns that the model was trained on."""

    source: str
    rows: int
    missing_columns: Annotated[list[str], "that the model knows and the file has not; they count as missing"]
    lost: list[LostValues]
    out_of_range: list[BeyondRange]


class UsedModel(TypedDict):
    """Which model was used."""

    schema_version: Version
    venire: Annotated[str, "the version of venire"]
    model: Annotated[str, "the model file"]
    target: str
    task: TaskName
    classes: Annotated[list[str], "empty where numbers are predicted"]


class UseTiming(TypedDict):
    """How long it took: the only part that differs between two runs of the same."""

    seconds: float


class PredictionDocument(UsedModel, InputFacts):
    """What was predicted for a file: `venire predict --json` prints this."""

    output: Annotated[str | None, "the file with the predictions"]
    columns: Annotated[list[str], "of that file"]
    coverage: Annotated[float | None, "the share of rows whose truth is to be in its interval or set"]
    radius: Annotated[float | None, "how far an interval reaches to either side, or 1 − the least probability of a set"]
    held_out_rows: Annotated[int | None, "behind the coverage"]
    timing: UseTiming
