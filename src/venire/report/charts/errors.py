"""Pictures of errors, and of the choice they lead to: family by family, block by block, along a path of settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from venire.report.charts.bars import domain, measured
from venire.report.charts.style import ACCENT, QUIET, SECOND, STEP, Chart, Pictures, finish, number, plot
from venire.report.sentences.numbers import count, finite, interval_of
from venire.report.sentences.scale import scale_of
from venire.report.sentences.verdict import Document, in_order

_THREE_ERRORS = {
    "error": "two-layer (honest)",
    "one_layer_error": "one-layer",
    "training_error": "on the training rows",
}


def errors(document: Document, pictures: Pictures) -> Chart:
    """Each family's held-out error with its interval, beside its one-layer and its training error."""
    rows = measured(document.get("leaderboard") or ())
    one, (low, high) = one_of(document), domain(rows)
    order, far = [str(row["family"]) for row in rows], astray(document)
    values, spans = [], []
    for row in rows:
        family = str(row["family"])
        if family in far:
            continue
        for key, what in _THREE_ERRORS.items():
            if (error := finite(row.get(key))) is not None and low <= error <= high:
                values.append({"family": family, "error": error / one, "what": what})
        if ends := interval_of(row):
            spans.append({"family": family, "low": ends[0] / one, "high": ends[1] / one})
    y = alt.Y("family:N", sort=order, title=None)
    scale = alt.Scale(domain=[low / one, high / one], clamp=True, nice=True)
    span = (
        plot(spans)
        .mark_rule(color=ACCENT, strokeWidth=2, opacity=0.55, clip=True)
        .encode(y=y, x=alt.X("low:Q", scale=scale, title=error_title(document)), x2="high:Q")
    )
    colour = alt.Scale(domain=list(_THREE_ERRORS.values()), range=[ACCENT, SECOND, QUIET])
    shape = alt.Scale(domain=list(_THREE_ERRORS.values()), range=["circle", "diamond", "triangle-right"])
    marks = (
        plot(values)
        .mark_point(filled=True, size=70, opacity=1, clip=True)
        .encode(
            y=y,
            x=alt.X("error:Q", scale=scale, title=error_title(document)),
            color=alt.Color("what:N", scale=colour, title=None, legend=alt.Legend(orient="top")),
            shape=alt.Shape("what:N", scale=shape, title=None),
            tooltip=[alt.Tooltip("family:N"), alt.Tooltip("what:N", title="measured"), number("error:Q")],
        )
    )
    chart = _with_astray(span + marks, far, high / one, y)
    return finish(chart, f"Errors of {count(len(rows), 'row')} of the leaderboard.", height=STEP * len(rows))


def block_errors(document: Document, pictures: Pictures) -> Chart:
    """The error of each family on each block: how much luck of the draw there is."""
    blocks: Mapping[str, Sequence[float]] = pictures["block_errors"]
    order, one, far = in_order(document, blocks), one_of(document), astray(document)
    values: list[dict[str, Any]] = [
        {"family": family, "block": index + 1, "error": error / one}
        for family in order
        for index, error in enumerate(blocks[family])
        if finite(error) is not None and family not in far
    ]
    y = alt.Y("family:N", sort=order, title=None)
    x = alt.X("error:Q", title=error_title(document), scale=alt.Scale(nice=True, zero=False))
    hover = alt.selection_point(fields=["block"], on="pointerover", empty=False)
    data = plot(values)
    dots = data.mark_circle(size=55).encode(
        y=y,
        x=x,
        color=alt.condition(hover, alt.value(SECOND), alt.value(ACCENT)),
        opacity=alt.condition(hover, alt.value(1.0), alt.value(0.5)),
        tooltip=[alt.Tooltip("family:N"), alt.Tooltip("block:O"), number("error:Q")],
    )
    means = data.mark_tick(thickness=2, size=16, color=SECOND).encode(y=y, x=alt.X("mean(error):Q"))
    end = max((value["error"] for value in values), default=1.0)
    chart = _with_astray(dots.add_params(hover) + means, {name: far[name] for name in order if name in far}, end, y)
    return finish(chart, "Error of every family on every block.", height=STEP * len(order))


def selection(document: Document, pictures: Pictures) -> Chart:
    """Which family the procedure chose when each block was held out: how steady the choice is."""
    values = [{"family": str(family)} for family in pictures["selection"]["per_block"]]
    bars = (
        plot(values)
        .mark_bar(color=ACCENT, height={"band": 0.6})
        .encode(
            y=alt.Y("family:N", sort="-x", title=None),
            x=alt.X("count():Q", title="blocks", axis=alt.Axis(tickMinStep=1)),
        )
    )
    return finish(bars, "Family chosen for each block.", height=STEP * len({v["family"] for v in values}) + 10)


def astray(document: Document) -> dict[str, str]:
    """The families whose errors would squeeze all others into a corner, each with its error in words."""
    rows = measured(document.get("leaderboard") or ())
    low, high = domain(rows)
    scale = scale_of(document)
    far = [row for row in rows if not low <= (row["error"] or 0.0) <= high]
    return {str(row["family"]): f"{scale.show(row['error'])} ›" for row in far}


def _with_astray(chart: alt.LayerChart, far: Mapping[str, str], end: float, y: alt.Y) -> alt.LayerChart:
    """The chart with their errors as words at the end of the axis: a mark there would look like an error so large."""
    if not far:
        return chart
    values: list[dict[str, Any]] = [{"family": family, "at": end, "said": said} for family, said in far.items()]
    words = plot(values).mark_text(align="right", color=SECOND, fontSize=11).encode(y=y, x="at:Q", text="said:N")
    told: alt.LayerChart = chart + words
    return told


def error_title(document: Document) -> str:
    """What an axis of errors is called."""
    name = str(document.get("metric_label") or document.get("metric") or "error")
    return f"{name} {scale_of(document).unit}".strip()


def one_of(document: Document) -> float:
    """What counts as one on an axis of errors: the power of ten that the leaderboard takes out, too."""
    return 10.0 ** scale_of(document).exponent
