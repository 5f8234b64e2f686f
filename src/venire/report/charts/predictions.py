"""Pictures of predictions on held-out rows: the confusion matrix, predicted against actual values."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from venire.report.charts.style import ACCENT, QUIET, STEP, Chart, Pictures, diagonal, finish, number, plot, short
from venire.report.sentences.numbers import Scale, finite
from venire.report.sentences.split import held_out_words
from venire.report.sentences.verdict import Document, class_order

MOST_POINTS = 2000  # of a scatter: more would only blacken it


def confusion(document: Document, pictures: Pictures) -> Chart:
    """The confusion matrix of the procedure on held-out rows: rows are actual classes, columns predicted ones."""
    named = [str(label) for label in pictures["confusion"]["labels"]]
    labels = [named[at] for at in class_order(document, named)]
    values = [
        {"actual": named[i], "predicted": named[j], "rows": number, "share": number / (sum(row) or 1)}
        for i, row in enumerate(pictures["confusion"]["counts"])
        for j, number in enumerate(row)
    ]
    side = min(max(STEP * len(labels), 140), 560)
    base = plot(values).encode(
        x=alt.X("predicted:N", sort=labels, title="predicted", axis=alt.Axis(labelAngle=-40, labelLimit=120)),
        y=alt.Y("actual:N", sort=labels, title="actual", axis=alt.Axis(labelLimit=160)),
        tooltip=[alt.Tooltip("actual:N"), alt.Tooltip("predicted:N"), alt.Tooltip("rows:Q"), number("share:Q")],
    )
    cells = base.mark_rect().encode(
        color=alt.Color("share:Q", scale=alt.Scale(domain=[0, 1], range=["#eef3fa", ACCENT]), legend=None)
    )
    numbers = base.transform_filter("datum.rows > 0").mark_text(fontSize=11, color="#10151d").encode(text="rows:Q")
    return finish(cells + numbers, "Confusion matrix.", height=side, width=side)


def scatter(document: Document, pictures: Pictures) -> Chart:
    """Predicted against actual values on held-out rows (a regular selection of them where there are many)."""
    points, size = _points(pictures)
    values: list[dict[str, Any]] = [{"actual": _drawn(a, size), "predicted": _drawn(p, size)} for a, p in points]
    ends = [end for value in values for end in value.values()] or [0.0, 1.0]
    scale = alt.Scale(domain=[min(ends), max(ends)], nice=True)
    target = f"{short(document.get('target'))} {size.unit}".strip()
    dots: alt.Chart = _dots(values).encode(
        x=alt.X("actual:Q", scale=scale, title=f"actual {target}"),
        y=alt.Y("predicted:Q", scale=scale, title=f"predicted {target}"),
        tooltip=[number("actual:Q"), number("predicted:Q")],
    )
    line = diagonal(min(ends), max(ends))
    return finish(alt.LayerChart(layer=[line, dots]), "Predicted against actual values.")


def residuals(document: Document, pictures: Pictures) -> Chart:
    """Actual minus predicted over the prediction, of the same rows."""
    points, size = _points(pictures)
    values = [
        {"predicted": _drawn(p, size), "residual": _drawn(a - p, size), "actual": _drawn(a, size)} for a, p in points
    ]
    target = f"{short(document.get('target'))} {size.unit}".strip()
    dots: alt.Chart = _dots(values).encode(
        x=alt.X("predicted:Q", scale=alt.Scale(zero=False, nice=True), title=f"predicted {target}"),
        y=alt.Y("residual:Q", scale=alt.Scale(nice=True), title=f"actual − predicted {size.unit}".strip()),
        tooltip=[number("predicted:Q"), number("residual:Q"), number("actual:Q")],
    )
    exact = plot([{"residual": 0.0}]).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(y="residual:Q")
    return finish(alt.LayerChart(layer=[exact, dots]), "Residuals against the prediction.")


def _points(pictures: Pictures) -> tuple[list[tuple[float, float]], Scale]:
    """Actual and predicted values that can be drawn, and the power of ten to take out of them."""
    drawn = pictures["scatter"]
    points = [
        (float(actual), float(predicted))
        for actual, predicted in zip(drawn["actual"], drawn["predicted"], strict=True)
        if finite(actual) is not None and finite(predicted) is not None
    ]
    points = points[:: math.ceil(len(points) / MOST_POINTS) or 1]
    return points, Scale.for_size(max((abs(actual) for actual, _ in points), default=0.0), 0.0)


def _drawn(value: float, size: Scale) -> float:
    """A value on its axis; more digits than can be seen would only make a larger file."""
    return float(f"{value / 10.0**size.exponent:.6g}")


def _dots(values: list[dict[str, Any]]) -> alt.Chart:
    dots: alt.Chart = plot(values).mark_circle(size=26, opacity=0.4, color=ACCENT)
    return dots


def drawn_rows(document: Document, pictures: Pictures) -> str:
    """Which rows a scatter shows, in words."""
    there = len(pictures["scatter"]["actual"])
    shown = math.ceil(there / (math.ceil(there / MOST_POINTS) or 1))
    rows = held_out_words(document, pooled=False)
    return rows if shown == there else f"{rows}; {shown:,} of them drawn"
