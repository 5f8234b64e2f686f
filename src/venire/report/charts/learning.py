"""The picture of a learning curve: training and held-out rows against the number of rows trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from venire.report.charts.style import ACCENT, QUIET, Chart, finish, number, plot
from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import scale_of
from venire.report.sentences.verdict import Document

_HELD_OUT, _TRAINING = "held-out rows", "training rows"


def learning(document: Document, found: Mapping[str, Any]) -> Chart:
    """Both lines, and the interval of the held-out figure; `found` is what a learning curve says of itself."""
    shown = scale_of(document)
    values = [
        {"size": size, "error": shown.plotted(error), "rows": what}
        for what, key in ((_HELD_OUT, "held_out"), (_TRAINING, "training"))
        for size, error in zip(found["rows"], found[key], strict=True)
        if finite(error) is not None
    ]
    spans = [
        {"size": size, "low": shown.plotted(low), "high": shown.plotted(high)}
        for size, low, high in zip(found["rows"], found["low"], found["high"], strict=True)
        if finite(low) is not None and finite(high) is not None
    ]
    x = alt.X(
        "size:Q",
        title="rows trained on",
        axis=alt.Axis(format=",d", tickMinStep=1, tickCount=8),
        scale=alt.Scale(zero=False),
    )
    y = alt.Y("error:Q", title=shown.axis, scale=alt.Scale(zero=False, nice=True))
    colours = alt.Scale(domain=[_HELD_OUT, _TRAINING], range=[ACCENT, QUIET])
    band = (
        plot(spans).mark_area(color=ACCENT, opacity=0.16).encode(x=x, y=alt.Y("low:Q", title=shown.axis), y2="high:Q")
    )
    lines = (
        plot(values)
        .mark_line(point=alt.OverlayMarkDef(size=36), strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color("rows:N", scale=colours, title=None, legend=alt.Legend(orient="top")),
            tooltip=[
                alt.Tooltip("size:Q", title="rows trained on"),
                alt.Tooltip("rows:N"),
                number("error:Q", shown.axis),
            ],
        )
    )
    words = f"{shown.label} of {found['family']} against the number of rows it was trained on."
    return finish(alt.LayerChart(layer=[band, lines] if spans else [lines]), words)
