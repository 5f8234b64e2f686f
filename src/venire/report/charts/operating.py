"""What every threshold costs: the picture that a page's two sliders drive, and the numbers they move over."""

from __future__ import annotations

from typing import Any

import altair as alt

from venire.report.charts.style import ACCENT, SECOND, Chart, Pictures, finish, number, plot
from venire.report.sentences.verdict import Document


def threshold_cost(document: Document, pictures: Pictures) -> Chart:
    """The cost of 1,000 rows against the threshold; `cost_ratio` and `here_threshold` are parameters."""
    found: dict[str, Any] = pictures["operating"]
    rows = found["positives"] + found["negatives"]
    values = [
        {"threshold": point["threshold"], "missed": found["positives"] - point["found"], "alarms": point["alarms"]}
        for point in found["points"]
    ]
    kind = "probability" if found["pooled"] else "rank in its fold"
    x = alt.X("threshold:Q", title=f"threshold: flag from this {kind} on", scale=alt.Scale(nice=False))
    y = alt.Y(
        "cost:Q",
        title="cost of 1,000 rows, in false alarms",
        scale=alt.Scale(type="sqrt", nice=True),
        axis=alt.Axis(tickCount=6),
    )
    cost = f"1000 * (cost_ratio * datum.missed + datum.alarms) / {rows:d}"
    tips = [number("threshold:Q"), number("cost:Q"), alt.Tooltip("missed:Q"), alt.Tooltip("alarms:Q")]
    curve = plot(values).transform_calculate(cost=cost)
    line = curve.mark_line(color=ACCENT, strokeWidth=2, interpolate="step-after").encode(x, y, order="threshold:Q")
    dots = curve.mark_circle(color=ACCENT, size=14, opacity=0.6).encode(x, y, tooltip=tips)
    point = found["points"][found["decided"]]
    place = plot([{"dot": "here"}]).transform_calculate(
        threshold="here_threshold", cost=f"1000 * (cost_ratio * here_missed + here_alarms) / {rows:d}"
    )
    rule = place.mark_rule(color=SECOND, strokeDash=[4, 3]).encode(x)
    here = place.mark_point(size=150, opacity=1, fill=ACCENT, stroke="white", strokeWidth=2).encode(x, y)
    at = {
        "cost_ratio": found["ratio"],
        "here_threshold": point["threshold"],
        "here_missed": found["positives"] - point["found"],
        "here_alarms": point["alarms"],
    }
    chart = alt.LayerChart(layer=[line, dots, rule, here])
    chart = chart.add_params(*(alt.param(name=name, value=value) for name, value in at.items()))
    return finish(chart, "Cost against the threshold.")
