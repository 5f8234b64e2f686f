"""What a verdict gives as frames: the leaderboard by any metric, and the rows that are most wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.flow.refits import Seconds, seconds
from venire.report.document.shapes.verdict import VerdictDocument
from venire.verdict.every_metric import scored
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE


def leaderboard_columns(
    judgement: Judgement, document: VerdictDocument, metrics: Sequence[str] | None, *, timed: bool
) -> dict[str, NDArray[Any]]:
    """The columns of the leaderboard: what a line is, its figures with their intervals, and what it takes."""
    rows = document["leaderboard"]
    columns: dict[str, list[Any]] = {
        "model": [row["family"] for row in rows],
        "kind": [row["kind"] for row in rows],
        "setting": [row["setting"] for row in rows],
    }
    for name, figures in scored(judgement, metrics).items():
        each = [figures[row["family"]] for row in rows]
        columns[name] = [figure.value for figure in each]
        columns[f"{name}_low"] = [figure.low for figure in each]
        columns[f"{name}_high"] = [figure.high for figure in each]
    if timed:
        taken = seconds(judgement)
        taken[PROCEDURE] = taken[judgement.procedure.chosen.name]
        spent: list[Seconds] = [taken[row["family"]] for row in rows]
        columns["fit_seconds"] = [each.fit for each in spent]
        columns["predict_seconds_per_row"] = [each.predict for each in spent]
    return {name: np.array(values) for name, values in columns.items()}
