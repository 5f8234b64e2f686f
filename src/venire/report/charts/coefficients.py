"""The picture of a linear model: its coefficients, the largest on top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from venire.report.charts.style import ACCENT, PALETTE, QUIET, STEP, Chart, finish, number, plot, short

MOST_DRAWN = 20
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


def coefficients(found: Mapping[str, Any]) -> Chart:
    """A dot for every coefficient, right of the line where it raises what is predicted; of several classes a colour."""
    lines = found["lines"]
    classes = [short(line["of"]) for line in lines]
    order = largest(found)[:MOST_DRAWN]
    names = unique([short(found["names"][at]) for at in order])
    values: list[dict[str, Any]] = [
        {"column": name, "of": of, "coefficient": float(f"{line['values'][at]:.6g}")}
        for of, line in zip(classes, lines, strict=True)
        for name, at in zip(names, order, strict=True)
    ]
    y = alt.Y("column:N", sort=names, title=None, axis=alt.Axis(labelLimit=170))
    x = alt.X("coefficient:Q", title=f"added to the {found['what']}", axis=alt.Axis(tickCount=6))
    zero = plot([{"coefficient": 0.0}]).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x="coefficient:Q")
    said = [alt.Tooltip("column:N"), number("coefficient:Q")]
    data = plot(values)
    if len(lines) > 1:
        legend = alt.Legend(orient="top", columns=3, labelLimit=110)
        scale = alt.Scale(domain=classes, range=list(PALETTE[: len(classes)]))
        colour = alt.Color("of:N", scale=scale, sort=classes, title=None, legend=legend)
        shapes = alt.Scale(domain=classes, range=list(_SHAPES[: len(classes)]))
        shape = alt.Shape("of:N", scale=shapes, sort=classes, title=None, legend=legend)
        dots = data.mark_point(filled=True, size=60, opacity=1)
        marks = dots.encode(x=x, y=y, color=colour, shape=shape, tooltip=[alt.Tooltip("of:N", title="class"), *said])
        layers = [zero, marks]
    else:
        stems = data.mark_rule(color=ACCENT, strokeWidth=2, opacity=0.55).encode(x=x, x2=alt.datum(0), y=y)
        layers = [zero, stems, data.mark_circle(size=70, opacity=1, color=ACCENT).encode(x=x, y=y, tooltip=said)]
    words = f"Coefficients of {found['model']}."
    return finish(alt.LayerChart(layer=layers), words, height=STEP * len(names) + 10)


def largest(found: Mapping[str, Any]) -> list[int]:
    """The places of the coefficients, from the largest on."""
    return sorted(range(len(found["names"])), key=lambda at: -max(abs(line["values"][at]) for line in found["lines"]))


def unique(names: list[str]) -> list[str]:
    """The names, numbered where two are cut to the same.

    >>> unique(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told
