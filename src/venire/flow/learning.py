"""The learning curve of a family of the leaderboard, on the table and by the metric of the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from venire.errors import UsageError
from venire.validation.curves import LearningCurve, learning_curve
from venire.verdict.judgement import Judgement

_FOLDS = 5


def learning_of(judgement: Judgement, family: str | None, sizes: Sequence[float] | None) -> LearningCurve:
    """Of this family; without a name of what is handed over, or of the best family where that is a combination."""
    docket = judgement.docket
    members = [row.family for row in judgement.rows if row.kind == "member"]
    chosen = judgement.procedure.chosen.name
    name = family or (chosen if chosen in members else members[0])
    if name not in members:
        raise UsageError(
            f"{name} is a combination, and a learning curve is of a single family",
            code="no_picture",
            hint=f"there are: {', '.join(members)}",
        )
    return learning_curve(
        docket.families[name],
        docket.table,
        sizes=sizes,
        folds=min(_FOLDS, docket.plan.folds),
        seed=docket.plan.seed,
        metric=docket.metric.name,
        costs=docket.metric.costs,
    )
