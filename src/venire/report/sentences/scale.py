"""An error as the report says it: as a percentage, as the score people know, or as a plain number."""

from __future__ import annotations

from venire.report.document.shapes.common import Errors, Measured
from venire.report.document.shapes.verdict import LeaderboardRow, VerdictDocument
from venire.report.sentences.numbers import MISSING, Scale, amount, interval_of, percent

Document = VerdictDocument
Row = LeaderboardRow

# Losses that are one minus a score people know by name.
SCORES = {"auc": "AUC", "r2": "R²", "f1": "F1"}


def figure(document: Measured, value: float | None, width: float = 0.0) -> str:
    """An error as a sentence says it: a percentage where it is a rate, the score where people know the score."""
    if value is None:
        return MISSING
    metric = document.get("metric")
    if metric in ("error", "balanced_error"):
        return percent(value, width)
    return amount(1 - value if metric in SCORES else value, width)


def measure(document: Measured) -> str:
    """What `figure` is a figure of."""
    metric = str(document.get("metric"))
    return SCORES.get(metric) or str(document.get("metric_label") or metric)


def scale_of(document: Document) -> Scale:
    """The format of errors in tables and on axes: that of the leaderboard."""
    return Scale.of(document.get("leaderboard") or ())


def width_of(row: Errors) -> float:
    """How wide a row's interval is; 0 where there is none."""
    ends = interval_of(row)
    return ends[1] - ends[0] if ends else 0.0
