"""How far what is handed over was off on rows that had no part in training or choosing it.

For what the procedure chose these are the predictions of the procedure: each fold by what was chosen without it. They
are the predictions that the error of the verdict comes from, and as honest as that error. Where some folds chose a
model without probabilities they have only decisions in common. Then the held-out predictions of the chosen one take
their place, each fold by settings and weights that were learned without it.
"""

from __future__ import annotations

import numpy as np

from venire.combine.conformal import Conformal, class_scores, residual_scores
from venire.metrics.predictions import Output
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE


def conformal(judgement: Judgement, family: str) -> Conformal | None:
    """The scores of the held-out predictions of a line of the leaderboard; None where it gives no probabilities."""
    held, table = held_out(judgement, family), judgement.docket.table
    if family == PROCEDURE and held.output is Output.LABELS:
        held = held_out(judgement, judgement.procedure.chosen.name)
    if held.output is Output.VALUES:
        scores = residual_scores(held.actual, held.predicted)
    elif held.output is Output.PROBABILITIES:
        # Evidence is kept in half the digits, and a probability may be rounded past 1.
        scores = class_scores(held.actual, np.clip(held.outputs, 0.0, 1.0))
    else:
        return None
    if table.groups is None:
        independent = judgement.docket.plan.independent(held.rows)
    else:
        independent = len(np.unique(table.groups[held.rows]))
    return Conformal.of(scores, independent)
