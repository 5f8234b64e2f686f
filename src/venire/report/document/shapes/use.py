"""What became of a file that a model was used on, as types: predictions, evaluations and explanations."""

from __future__ import annotations

from typing import Annotated, TypedDict

from venire.data.document import Ends, KindName, TaskName, Version, one_of
from venire.report.document.shapes.basics import Errors, Figure, Interval, Score
from venire.report.document.shapes.verdict import CalibrationFacts
from venire.validation.question import Measured


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


class MetricFacts(Measured, Errors, Score):
    """The model by one metric on these rows, with an interval for the model as it is on new rows like these."""

    method: Annotated[str, "of the interval"]


class Promised(TypedDict):
    """What the verdict said of the model when it was made: nested cross-validation on the training rows."""

    error: Figure
    interval: Interval | None


class CalibrationBin(TypedDict):
    """Rows with about the same probability."""

    predicted: Annotated[float, "the mean probability"]
    observed: Annotated[float, "how often it came true"]
    rows: int


class Covered(TypedDict):
    """How many of these rows an interval or a set holds the truth of."""

    coverage: Annotated[float, "asked for"]
    held: Annotated[float, "of these rows"]
    interval: Interval


class DistanceFacts(TypedDict):
    """How far rows are from the training rows in one column."""

    distance: Annotated[float | None, "the population stability index; null where the file keeps no counts"]
    by_chance: Annotated[float | None, "what the distance exceeds once in a thousand where nothing drifted"]
    drifted: Annotated[str | None, one_of("no", "some", "much", None)]


class DriftFacts(DistanceFacts):
    """One column, or the target, beside what it was in training."""

    column: str
    kind: KindName
    missing_training: Annotated[float | None, "the share of training rows without a value"]
    missing: Annotated[float, "the share of these rows without a value that the model knows"]
    unknown: Annotated[int, "rows with a category, a word or a date that the model does not know"]
    out_of_range: Annotated[int, "rows beyond the least or the greatest value of the training rows"]


class EvaluationDocument(UsedModel, InputFacts):
    """A model on labelled rows: `venire evaluate --json` prints this."""

    rows_without_target: int
    family: Annotated[str | None, "what the verdict calls the model"]
    metrics: Annotated[list[MetricFacts], "that of the verdict first"]
    promised: Annotated[Promised | None, "by the first metric"]
    confusion: Annotated[list[list[int]] | None, "a row for each actual class, a column for each predicted one"]
    calibration: CalibrationFacts | None
    calibration_bins: list[CalibrationBin]
    calibrated_class: Annotated[str | None, "whose probability that is; null: the class that is named"]
    covered: Covered | None
    drift: Annotated[list[DriftFacts], "the target last"]
    timing: UseTiming


class ColumnWeight(TypedDict):
    """How much a column moves predictions."""

    column: str
    mean_size: Annotated[float, "the mean over the rows of the absolute Shapley value"]


class ExplanationDocument(UsedModel, InputFacts):
    """What moved the predictions of rows: `venire explain --json` prints this."""

    output: Annotated[str | None, "the file with the Shapley values"]
    columns: Annotated[list[str], "of that file"]
    plot: Annotated[str | None, "the file with the picture"]
    explained_class: Annotated[str | None, "whose probability or score is explained; null where numbers are predicted"]
    unit: Annotated[str, "of base and values: value, probability, share, log-odds or score"]
    base: Annotated[float, "the mean over the background; with the values of a row it adds up to what is said of it"]
    background_rows: int
    exact: Annotated[bool, "false where orders of the columns were sampled"]
    weights: Annotated[list[ColumnWeight], "the column that moves predictions most first"]
    timing: UseTiming
