"""A validation as types: `venire validate --json` prints this."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from venire.data.document import PAIR, Limits
from venire.report.document.shapes.basics import Figure, Interval, Splitting
from venire.validation.honesty.document import CertificateFacts, StoppedBy
from venire.validation.question import Question

Range = Annotated[list[int], PAIR, "the least and the most"]


class CostMatrix(TypedDict):
    """What mistakes cost: a row for each actual class, a column for each predicted one."""

    matrix: list[list[float]]


class Bootstrapped(TypedDict):
    """What the bootstrap adds to the figures of a setting."""

    out_of_bag_error: NotRequired[Figure]
    no_information_error: NotRequired[Figure]
    overfitting: NotRequired[Figure]
    weight: NotRequired[Annotated[float | None, "of the out-of-bag error in .632+"]]
    error_632: NotRequired[Figure]
    error_632_plus: NotRequired[Figure]


class SettingFigures(Bootstrapped):
    """One setting of the path: in one layer, chosen and judged on the same rows."""

    setting: str
    value: Annotated[str | None, "of `path`, where that is all it sets"]
    training_error: Figure
    error: Figure
    chosen: bool
    inner_error: NotRequired[Annotated[float | None, "on the inner folds, which choose"]]
    chosen_in: NotRequired[Annotated[int, "in how many training parts"]]


class ValidatedChoice(Bootstrapped):
    """The setting chosen, and the error of choosing and using it."""

    setting: str
    error: Figure
    training_error: Figure
    interval: NotRequired[Interval | None]
    one_layer_error: NotRequired[Figure]
    one_layer_setting: NotRequired[str]
    optimism: NotRequired[Annotated[float | None, "two-layer error less one-layer error"]]


class TestedPart(TypedDict):
    """One part of the rows that was tested, at the setting chosen for it."""

    trained_on: int
    tested_on: int
    setting: str
    training_error: Figure
    error: Figure


class Seconds(TypedDict):
    """The time it took."""

    seconds: float


class SplitFacts(TypedDict):
    """How rows were split, and the setting chosen; what a way of splitting has not is null."""

    by: Annotated[str, "how rows were split"]
    layers: Annotated[int, Limits((("enum", (1, 2)),))]
    splitting: Splitting
    folds: int | None
    repeats: int | None
    inner_folds: int | None
    share: float | None
    inner_share: float | None
    samples: int | None
    estimate: str | None
    rule: str | None


class Parts(TypedDict):
    """How many rows were trained and tested on, and what came of every part but samples of the bootstrap."""

    trained_on: Range
    tested_on: Range
    parts: NotRequired[list[TestedPart]]


class Validated(Parts):
    """What the settings err, and what was chosen."""

    trials: Annotated[int, "fits of the whole path"]
    settings: list[SettingFigures]
    chosen: ValidatedChoice


class ValidationDocument(Question, SplitFacts, Validated):
    """The validation of one model: `venire validate --json` prints this."""

    costs: CostMatrix | None
    model: str
    path: Annotated[str, "what the settings vary"]
    stopped: StoppedBy
    warnings: list[str]
    certificates: list[CertificateFacts]
    timing: Seconds
