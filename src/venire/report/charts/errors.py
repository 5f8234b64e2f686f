"""Pictures of errors or scores, and of the choice they lead to: family by family, fold by fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from venire.report.charts.bars import domain, measured
from venire.report.charts.style import ACCENT, QUIET, SECOND, STEP, Chart, Pictures, finish, plot
from venire.report.sentences.numbers import finite, interval_of
from venire.report.sentences.scale import scale_of
from venire.report.sentences.verdict import Document, in_order
from venire.wording import count

_THREE_WAYS = {
    "error": "two-layer (nested)",
    "one_layer_error": "one-layer",
    "training_error": "on the training rows",
}


def errors(document: Document, pictures: Pictures) -> Chart:
    """Each family's error on test rows with its interval, beside its one-layer and its training error."""
    rows = measured(document.get("leaderboard") or ())
    shown, (low, high) = scale_of(document), domain(rows)
    order, far = [str(row["family"]) for row in rows], astray(document)
    values, spans = [], []
    for row in rows:
        family = str(row["family"])
        if family in far:
            continue
        for key, what in _THREE_WAYS.items():
            if (error := finite(row.get(key))) is not None and low <= error <= high:
                values.append({"family": family, "error": shown.plotted(error), "what": what})
        if ends := interval_of(row):
            spans.append({"family": family, "low": shown.plotted(ends[0]), "high": shown.plotted(ends[1])})
    y = alt.Y("family:N", sort=order, title=None)
    scale = alt.Scale(domain=sorted(map(shown.plotted, (low, high))), clamp=True, nice=True)
    span = (
        plot(spans)
        .mark_rule(color=ACCENT, strokeWidth=2, opacity=0.55, clip=True)
        .encode(y=y, x=alt.X("low:Q", scale=scale, title=shown.axis), x2="high:Q")
    )
    colour = alt.Scale(domain=list(_THREE_WAYS.values()), range=[ACCENT, SECOND, QUIET])
    shape = alt.Scale(domain=list(_THREE_WAYS.values()), range=["circle", "diamond", "triangle-right"])
    marks = (
        plot(values)
        .mark_point(filled=True, size=70, opacity=1, clip=True)
        .encode(
            y=y,
            x=alt.X("error:Q", scale=scale, title=shown.axis),
            color=alt.Color("what:N", scale=colour, title=None, legend=alt.Legend(orient="top")),
            shape=alt.Shape("what:N", scale=shape, title=None),
            tooltip=[alt.Tooltip("family:N"), alt.Tooltip("what:N", title="measured"), figured(document)],
        )
    )
    chart = _with_astray(span + marks, far, shown.plotted(high), y, left=shown.higher_is_better)
    return finish(chart, f"{shown.label} of {count(len(rows), 'row')} of the leaderboard.", height=STEP * len(rows))


def fold_errors(document: Document, pictures: Pictures) -> Chart:
    """The error of each family on each fold: how much it depends on the rows that were drawn."""
    folds: Mapping[str, Sequence[float]] = pictures["fold_errors"]
    order, shown, far = in_order(document, folds), scale_of(document), astray(document)
    values: list[dict[str, Any]] = [
        {"family": family, "fold": index + 1, "error": shown.plotted(error)}
        for family in order
        for index, error in enumerate(folds[family])
        if finite(error) is not None and family not in far
    ]
    y = alt.Y("family:N", sort=order, title=None)
    x = alt.X("error:Q", title=shown.axis, scale=alt.Scale(nice=True, zero=False))
    hover = alt.selection_point(fields=["fold"], on="pointerover", empty=False)
    data = plot(values)
    dots = data.mark_circle(size=55).encode(
        y=y,
        x=x,
        color=alt.condition(hover, alt.value(SECOND), alt.value(ACCENT)),
        opacity=alt.condition(hover, alt.value(1.0), alt.value(0.5)),
        tooltip=[alt.Tooltip("family:N"), alt.Tooltip("fold:O"), figured(document)],
    )
    means = data.mark_tick(thickness=2, size=16, color=SECOND).encode(y=y, x=alt.X("mean(error):Q"))
    ends = [value["error"] for value in values] or [1.0]
    end = min(ends) if shown.higher_is_better else max(ends)
    missing = {name: far[name] for name in order if name in far}
    chart = _with_astray(dots.add_params(hover) + means, missing, end, y, left=shown.higher_is_better)
    return finish(chart, f"{shown.label} of every family on every fold.", height=STEP * len(order))


def selection(document: Document, pictures: Pictures) -> Chart:
    """Which family the procedure chose when each fold was held out: how steady the choice is."""
    values = [{"family": str(family)} for family in pictures["selection"]["per_fold"]]
    bars = (
        plot(values)
        .mark_bar(color=ACCENT, height={"band": 0.6})
        .encode(
            y=alt.Y("family:N", sort="-x", title=None),
            x=alt.X("count():Q", title="folds", axis=alt.Axis(tickMinStep=1)),
        )
    )
    return finish(bars, "Family chosen for each fold.", height=STEP * len({v["family"] for v in values}) + 10)


def astray(document: Document) -> dict[str, str]:
    """The families so far off that all others would be squeezed into a corner, each with its figure in words."""
    rows = measured(document.get("leaderboard") or ())
    low, high = domain(rows)
    shown = scale_of(document)
    far = {str(row["family"]): shown.show(row["error"]) for row in rows if not low <= (row["error"] or 0.0) <= high}
    return {family: f"‹ {said}" if shown.higher_is_better else f"{said} ›" for family, said in far.items()}


def _with_astray(chart: alt.LayerChart, far: Mapping[str, str], end: float, y: alt.Y, *, left: bool) -> alt.LayerChart:
    """The chart with their figures as words at the end of the axis: a mark there would look like a figure so large."""
    if not far:
        return chart
    values: list[dict[str, Any]] = [{"family": family, "at": end, "said": said} for family, said in far.items()]
    words = (
        plot(values)
        .mark_text(align="left" if left else "right", color=SECOND, fontSize=11)
        .encode(y=y, x="at:Q", text="said:N")
    )
    both: alt.LayerChart = chart + words
    return both


def figured(document: Document) -> alt.Tooltip:
    """A figure of the metric in a tooltip, with the digits of the leaderboard."""
    shown = scale_of(document)
    return alt.Tooltip("error:Q", format=shown.scale.d3, title=shown.axis)
