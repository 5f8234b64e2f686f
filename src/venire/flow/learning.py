"""The learning curve of a family of the leaderboard, on the table and by the metric of the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from venire.errors import UsageError
from venire.validation.curves import INNER_FOLDS, SHARES, LearningCurve, learning_curve
from venire.verdict.judgement import Judgement

_FOLDS = 5


def learned_family(judgement: Judgement, family: str | None) -> str:
    """This family; without a name what is handed over, or the best family where that is a combination."""
    members = [row.family for row in judgement.rows if row.kind == "member"]
    chosen = judgement.procedure.chosen.name
    name = family or (chosen if chosen in members else members[0])
    if name not in members:
        raise UsageError(
            f"{name} is a combination, and a learning curve is of a single family",
            code="no_picture",
            hint=f"there are: {', '.join(members)}",
        )
    return name


def curve_fits(judgement: Judgement, family: str) -> float:
    """How many fits on all rows a curve takes: one a size and fold, and the inner folds, on parts of the rows."""
    settings = len(judgement.ledgers[family].settings)
    folds = min(_FOLDS, judgement.docket.plan.folds)
    return sum(SHARES) * (folds - 1) * (1 + INNER_FOLDS if settings > 1 else 1)


def learning_of(judgement: Judgement, family: str | None, sizes: Sequence[float] | None) -> LearningCurve:
    """The learning curve of `learned_family`."""
    docket, name = judgement.docket, learned_family(judgement, family)
    return learning_curve(
        docket.families[name],
        docket.table,
        sizes=sizes,
        folds=min(_FOLDS, docket.plan.folds),
        seed=docket.plan.seed,
        metric=docket.metric.name,
        costs=docket.metric.costs,
    )
