"""The leaderboard by other metrics, as columns that take the place of the first ones when a reader asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venire.report.charts.bars import Bar, bars
from venire.report.sentences.numbers import amount, finite
from venire.report.sentences.verdict import Document
from venire.wording import MISSING


@dataclass(frozen=True, slots=True)
class MetricCell:
    """One line of the leaderboard by one metric."""

    figure: str
    between: str
    bar: Bar | None


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """One metric: its name, which way is better, and a cell for every line of the leaderboard."""

    name: str
    label: str
    higher_is_better: bool
    cells: tuple[MetricCell, ...]


def metric_columns(document: Document, found: Sequence[Mapping[str, Any]]) -> tuple[MetricColumn, ...]:
    """The metrics besides that of the verdict, in the order given; `found` has figures by the names of models."""
    families = [str(row.get("family")) for row in document.get("leaderboard") or ()]
    columns = []
    for one in found:
        figures = [one["figures"].get(family) or (None, None, None) for family in families]
        drawn: list[Any] = [{"error": value, "interval": [low, high]} for value, low, high in figures]
        marks = bars(drawn)
        cells = tuple(_cell(value, low, high, mark) for (value, low, high), mark in zip(figures, marks, strict=True))
        columns.append(MetricColumn(str(one["name"]), str(one["label"]), bool(one["higher_is_better"]), cells))
    return tuple(columns)


def _cell(value: Any, low: Any, high: Any, mark: Bar | None) -> MetricCell:
    if finite(value) is None:
        return MetricCell(MISSING, MISSING, None)
    inside = MISSING if finite(low) is None or finite(high) is None else f"[{amount(low)}, {amount(high)}]"
    return MetricCell(amount(value), inside, mark)
