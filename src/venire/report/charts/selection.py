"""The picture of a selection: training and cross-validated error along the path, the chosen subset marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from venire.report.charts.style import ACCENT, SECOND, Chart, finish, number, plot, short
from venire.report.sentences.scale import measured_by
from venire.report.terminal.selection import title
from venire.selection.document import SelectionDocument

_MOST_TICKS = 10
_NAMED = 12  # steps that are named; more names would lie on top of each other
_LINES = {"error": "cross-validated", "training_error": "training"}


def picture(document: SelectionDocument) -> Chart:
    """The error or score over the number of columns, in the direction in which the selection went."""
    steps, shown = document.get("path") or (), measured_by(document, [document.get("chosen") or {}])
    values = [
        {"columns": step["attributes"], "error": shown.value(error), "rows": what, "change": _change(step)}
        for step in steps
        for error, what in ((step["error"], _LINES["error"]), (step["training_error"], _LINES["training_error"]))
    ]
    x = alt.X(
        "columns:Q",
        title="columns",
        sort="ascending" if document.get("direction") == "forward" else "descending",
        axis=alt.Axis(values=_ticks([int(step["attributes"]) for step in steps]), format="d"),
    )
    y = alt.Y("error:Q", title=shown.label, scale=alt.Scale(zero=False))
    colour = alt.Color("rows:N", title=None, scale=alt.Scale(domain=list(_LINES.values()), range=[ACCENT, SECOND]))
    lines = (
        plot(values)
        .mark_line(point=True)
        .encode(x, y, colour, tooltip=["change:N", number("error:Q", shown.label), "rows:N"])
    )
    chosen = [{"columns": step["attributes"], "error": shown.value(step["error"])} for step in steps if step["chosen"]]
    layers = [lines, plot(chosen).mark_point(size=200, strokeWidth=2, color=ACCENT).encode(x, y)]
    if len(steps) <= _NAMED:
        names = [value for value in values if value["rows"] == _LINES["error"]]
        layers.append(plot(names).mark_text(align="left", dx=6, dy=-8).encode(x, y, text="change:N"))
    drawn: alt.LayerChart = alt.LayerChart(layer=layers).properties(title=title(document))
    return finish(drawn, f"{shown.label} against the number of columns, on training rows and cross-validated.")


def _ticks(columns: list[int]) -> list[int]:
    """Whole numbers of columns, no more than fit.

    >>> _ticks([6, 5, 4]), _ticks(list(range(25)))
    ([4, 5, 6], [0, 3, 6, 9, 12, 15, 18, 21, 24])
    """
    return sorted(set(columns))[:: max(1, -(-len(columns) // _MOST_TICKS))]


def _change(step: Mapping[str, Any]) -> str:
    return short(step["change"] or "start")
