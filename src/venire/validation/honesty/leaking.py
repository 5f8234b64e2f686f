"""What the check of a family found where it leaks: reasons with figures, as all others are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from venire.validation.trials.reasons import Reason


@dataclass(frozen=True)
class SeesHeldOutRows(Reason):
    """What it predicts changes with rows it must not know."""

    kind: ClassVar[str] = "sees_held_out_rows"
    family: str
    folds: tuple[int, ...]  # it was trained on, from 1 on
    what: str  # "settings", "outputs", "labels" or the name of a training loss
    setting: int  # of the path, from 1 on
    fold: int  # it predicted, from 1 on
    row: int | None

    def __str__(self) -> str:
        where = "" if self.row is None else f" for row {self.row}"
        return (
            f"{self.family}, trained on folds {', '.join(map(str, self.folds))}: its {self.what}{where} changed with "
            f"data it must not see (setting {self.setting}, predicting fold {self.fold})"
        )


@dataclass(frozen=True)
class KnowsAnswers(Reason):
    """It predicts true labels that it was not trained on."""

    kind: ClassVar[str] = "knows_answers"
    family: str
    rows: int

    def __str__(self) -> str:
        return (
            f"{self.family} orders {self.rows} held-out rows by their true answers after all its training labels were "
            "changed at random: it has the answers from somewhere else"
        )


@dataclass(frozen=True)
class HangsOnState(Reason):
    """The same fit, made again, says the same twice, and something else than it said among the other fits."""

    kind: ClassVar[str] = "hangs_on_state"
    family: str
    folds: tuple[int, ...]  # it was trained on, from 1 on

    def __str__(self) -> str:
        return (
            f"{self.family}, trained on folds {', '.join(map(str, self.folds))}, says something else when it is fitted "
            "again, each time the same: what it said hangs on what it was fitted on before"
        )


Leaking = SeesHeldOutRows | KnowsAnswers | HangsOnState
