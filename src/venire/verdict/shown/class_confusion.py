"""What the procedure's decisions on held-out rows come to: one confusion matrix, pooled over the outer folds."""

from __future__ import annotations

from dataclasses import replace

from venire.metrics import ConfusionMatrix, confusion_matrix
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE


def confusion(judgement: Judgement, family: str = PROCEDURE) -> ConfusionMatrix | None:
    """The matrix of the procedure (or another) in the first split, every row predicted once; None of numbers."""
    target = judgement.docket.table.target
    if target is None or not target.classes:
        return None
    held = held_out(judgement, family)
    counted = confusion_matrix(held.actual, held.predicted, target.labels, positive=target.positive)
    return replace(counted, counts=counted.counts.astype(int))


def class_of_interest(judgement: Judgement) -> int:
    """Of two classes the one that curves look for: the positive one, or the second where none was named."""
    target = judgement.docket.table.target
    return 1 if target is None or target.positive is None else target.positive
