"""The verdict as types: `venire compare --json` prints this."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict, get_args

from venire.advice import Part
from venire.data.document import KindName, Limits, one_of
from venire.report.document.shapes.basics import Errors, Figure, Interval, Score, Splitting
from venire.validation.honesty.document import CertificateFacts
from venire.validation.question import Question
from venire.validation.trials import reasons
from venire.validation.trials.forecast import FitTooSlow

_Why = type[reasons.Reason]
_CODE = Limits((("pattern", "^V[0-9]{3}$"),))


def _kinds(why: tuple[_Why, ...]) -> list[str]:
    return sorted({one.kind for one in why})


NOT_TRIED: tuple[_Why, ...] = get_args(reasons.NotTried)
NOT_FITTED: tuple[_Why, ...] = (FitTooSlow,)
FAILED: tuple[_Why, ...] = get_args(reasons.Failure)

Weights = Annotated[dict[str, float], "how much each member counts; they sum to 1"]
RowKind = Annotated[str, one_of("procedure", "member", "combination")]


ThresholdOf = Annotated[str, one_of("probability", "score")]


class ThresholdFacts(TypedDict):
    """From where on one of two classes is said."""

    threshold: float
    threshold_class: str
    threshold_of: ThresholdOf


class Chosen(Errors, Score):
    """What the procedure picked, and the two-layer error of the procedure."""

    family: str
    setting: Annotated[str, "as people read it"]
    weights: Weights | None
    calibration: NotRequired[str | None]
    decision: NotRequired[Annotated[str | None, one_of("threshold", "one class", "least expected cost", None)]]
    threshold: NotRequired[Annotated[float | None, "from where on `threshold_class` is said"]]
    threshold_class: NotRequired[str]
    threshold_of: NotRequired[ThresholdOf]


class LeaderboardRow(Errors, Score):
    """A candidate, or in the first row the procedure; every error is a loss of the metric."""

    family: str
    kind: RowKind
    setting: Annotated[str, "as people read it"]
    weights: Weights | None
    training_error: Figure
    one_layer_error: Figure
    p_best: Annotated[float | None, "the probability of having the lowest error"]
    p_as_good: Annotated[float | None, "the probability of being as good as the best, in practice"]


class ClassFigures(TypedDict):
    """What is read off the confusion matrix for one class."""

    label: str
    rows: int
    predicted: int
    sensitivity: Figure
    specificity: Figure
    precision: Figure
    f_half: Figure
    f1: Figure
    f2: Figure


class Confusion(TypedDict):
    """The decisions of the procedure on held-out rows; `counts` has a row for each actual class."""

    family: str
    rows: int
    measured_on: str
    labels: list[str]
    counts: list[list[int]]
    accuracy: Figure
    error: Figure
    balanced_accuracy: Figure
    classes: list[ClassFigures]


class Expense(TypedDict):
    """What 1,000 rows cost, decided in one way."""

    name: str
    cost: Figure
    interval: Interval | None


class Costs(TypedDict):
    """What mistakes cost: a row for each actual class, a column for each predicted one."""

    matrix: list[list[float]]
    per_thousand: list[Expense]


class Guessing(TypedDict):
    """The procedure beside guessing."""

    baseline_error: Figure
    difference: Figure
    interval: Interval | None
    p_better: Figure
    p_better_than_coin: Figure


class MoreRows(TypedDict):
    """What twice the rows would bring."""

    rows: int
    error: Figure
    most: Annotated[float | None, "the most that more rows can gain"]
    judged: Annotated[bool, "whether the rows are enough to say anything"]
    gain: Figure
    gain_interval: Interval | None
    twice: Annotated[float | None, "the error with twice the rows"]
    p_helps: Figure


class PairFacts(TypedDict):
    """Two candidates on the same rows."""

    first: str
    second: str
    difference: Figure
    interval: Interval | None
    p_better: Figure
    p_equal: Annotated[float | None, "the probability of being the same in practice"]
    p_worse: Figure


class CalibrationFacts(TypedDict):
    """How far probabilities are from what comes true."""

    family: str
    rows: int
    calibration_error: Figure
    by_chance: Figure
    slope: Figure
    intercept: Figure
    bias: Figure
    reliability: Figure
    resolution: Figure
    uncertainty: Figure
    chance: Figure
    out_of_calibration: bool


class NotTriedFacts(TypedDict):
    """A family that was not tried, or not to the end."""

    family: str
    kind: Annotated[str, one_of(*_kinds(NOT_TRIED))]
    figures: Annotated[dict[str, Any], NOT_TRIED, "behind the reason, by its kind"]
    reason: Annotated[str, "as people read it"]


class NotFittedFacts(TypedDict):
    """A family that was judged and had no part in what is handed over, because a fit of it would have come too late."""

    family: str
    kind: Annotated[str, one_of(*_kinds(NOT_FITTED))]
    figures: Annotated[dict[str, Any], NOT_FITTED, "behind the reason, by its kind"]
    reason: Annotated[str, "as people read it"]


class FailedFacts(TypedDict):
    """A family that failed."""

    family: str
    kind: Annotated[str, one_of(*_kinds(FAILED))]
    figures: Annotated[dict[str, Any], FAILED, "behind the reason, by its kind"]
    reason: Annotated[str, "as people read it"]


class FindingFacts(TypedDict):
    """Something worth knowing before acting on the verdict."""

    code: Annotated[str, _CODE]
    message: str
    advice: str
    advice_parts: Annotated[list[Part], "the advice as texts and the options it names"]


class CheckFacts(TypedDict):
    """What a check came to."""

    code: Annotated[str, _CODE]
    title: str
    status: Annotated[str, one_of("found", "clear", "muted", "not applicable")]
    reason: str


class UsedColumn(TypedDict):
    """A column that models were given."""

    name: str
    kind: KindName
    missing: int
    categories: int


class Timing(TypedDict):
    """Where the time went, in seconds; the only part that differs between two runs of the same."""

    seconds: float
    budget: float | None
    stages: dict[str, float]
    families: Annotated[dict[str, float], "of all trials of a family, those found on disk among them"]
    trials: Annotated[int, "run"]
    reused: Annotated[int, "trials found on disk"]
    workers: Annotated[int | None, "of the cluster that the trials ran on; null where they ran on this machine"]


class TestedModel(Errors, Score):
    """A model of the leaderboard, fitted on all rows, on the test rows; the error is a loss of the metric."""

    family: str
    kind: RowKind
    chosen: Annotated[bool, "whether this is what the verdict hands over"]
    problem: Annotated[str | None, "why there is no figure"]


class OnTestRows(TypedDict):
    """Every model on a separate test file, with intervals for the model as it is on new rows like these."""

    source: str
    rows: Annotated[int, "with a target"]
    rows_without_target: int
    copies: Annotated[int, "of them, rows that a training row equals in all columns and the target"]
    notes: Annotated[list[str], "values that make no sense in their column, and count as missing"]
    models: Annotated[list[TestedModel], "in the order of the leaderboard"]


class VerdictFacts(Question):
    """The verdict, but for the time it took."""

    class_counts: list[int]
    positive: str | None
    folds: int
    judged_folds: Annotated[int, "of them, those whose error is reported"]
    plan_notes: Annotated[list[str], "what is to be known about the split"]
    repeats: int
    splitting: Splitting
    estimates: Annotated[str, "what the two-layer error is an error of"]
    stopped: Annotated[str | None, one_of(*reasons.Stopped, None)]
    chosen: Chosen
    leaderboard: list[LeaderboardRow]
    confusion: Confusion | None
    costs: Costs | None
    guessing: Guessing | None
    more_rows: MoreRows | None
    practical_difference: Annotated[float | None, "errors closer than this are the same in practice"]
    pairwise: list[PairFacts]
    calibration: list[CalibrationFacts]
    certificates: list[CertificateFacts]
    not_tried: list[NotTriedFacts]
    not_fitted: list[NotFittedFacts]
    models_of_folds: Annotated[
        list[NotFittedFacts], "members handed over as the models of the outer folds, averaged, and why"
    ]
    failed: list[FailedFacts]
    findings: list[FindingFacts]
    checks: list[CheckFacts]
    columns: list[UsedColumn]
    test: Annotated[OnTestRows | None, "null where no test file was given"]


class VerdictDocument(VerdictFacts):
    """The verdict of a comparison: `venire compare --json` and `venire demo --json` print this."""

    timing: Timing
