"""Pictures of errors, and of the choice they lead to: family by family, block by block, along a path of settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from venire.report.bars import domain, measured
from venire.report.figured import scale_of
from venire.report.marks import ACCENT, QUIET, SECOND, STEP, Chart, Pictures, finish, number, plot
from venire.report.numbers import count, finite, interval_of
from venire.report.words import Document, in_order

_THREE_ERRORS = {
    "error": "two-layer (honest)",
    "one_layer_error": "one-layer",
    "training_error": "on the training rows",
}


def errors(document: Document, pictures: Pictures) -> Chart:
    """Each family's held-out error with its interval, beside its one-layer and its training error."""
    rows = measured(document.get("leaderboard") or ())
    one = _one(document)
    order = [str(row["family"]) for row in rows]
    values, spans = [], []
    for row in rows:
        family = str(row["family"])
        for key, what in _THREE_ERRORS.items():
            if finite(row.get(key)) is not None:
                values.append({"family": family, "error": row[key] / one, "what": what})
        if ends := interval_of(row):
            spans.append({"family": family, "low": ends[0] / one, "high": ends[1] / one})
    y = alt.Y("family:N", sort=order, title=None)
    scale = alt.Scale(domain=[end / one for end in domain(rows)], clamp=True, nice=True)
    span = (
        plot(spans)
        .mark_rule(color=ACCENT, strokeWidth=2, opacity=0.55, clip=True)
        .encode(y=y, x=alt.X("low:Q", scale=scale, title=_error_title(document)), x2="high:Q")
    )
    colour = alt.Scale(domain=list(_THREE_ERRORS.values()), range=[ACCENT, SECOND, QUIET])
    shape = alt.Scale(domain=list(_THREE_ERRORS.values()), range=["circle", "diamond", "triangle-right"])
    marks = (
        plot(values)
        .mark_point(filled=True, size=70, opacity=1, clip=True)
        .encode(
            y=y,
            x=alt.X("error:Q", scale=scale, title=_error_title(document)),
            color=alt.Color("what:N", scale=colour, title=None, legend=alt.Legend(orient="top")),
            shape=alt.Shape("what:N", scale=shape, title=None),
            tooltip=[alt.Tooltip("family:N"), alt.Tooltip("what:N", title="measured"), number("error:Q")],
        )
    )
    return finish(span + marks, f"Errors of {count(len(rows), 'row')} of the leaderboard.", height=STEP * len(rows))


def block_errors(document: Document, pictures: Pictures) -> Chart:
    """The error of each family on each block: how much luck of the draw there is."""
    blocks: Mapping[str, Sequence[float]] = pictures["block_errors"]
    order, one = in_order(document, blocks), _one(document)
    values = [
        {"family": family, "block": index + 1, "error": error / one}
        for family in order
        for index, error in enumerate(blocks[family])
        if finite(error) is not None
    ]
    y = alt.Y("family:N", sort=order, title=None)
    x = alt.X("error:Q", title=_error_title(document), scale=alt.Scale(nice=True, zero=False))
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
    return finish(dots.add_params(hover) + means, "Error of every family on every block.", height=STEP * len(order))


def path(document: Document, pictures: Pictures, family: str) -> Chart:
    """The complexity curve of one family: training and held-out error along its settings, simple to complex."""
    curve: Mapping[str, Any] = pictures["paths"][family]
    settings, one = [str(setting) for setting in curve["settings"]], _one(document)
    values = [
        {"place": index, "setting": settings[index], "error": error / one, "rows": what}
        for what, key in (("held-out rows", "held_out"), ("training rows", "training"))
        for index, error in enumerate(curve[key])
        if finite(error) is not None
    ]
    x = alt.X(
        "setting:O",
        sort=settings,
        title=str(curve.get("label") or "setting"),
        axis=alt.Axis(labelAngle=0, labelOverlap=True),
    )
    colours = alt.Scale(domain=["held-out rows", "training rows"], range=[ACCENT, QUIET])
    lines = (
        plot(values)
        .mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=1.8)
        .encode(
            x=x,
            y=alt.Y("error:Q", title=_error_title(document)),
            color=alt.Color("rows:N", scale=colours, title=None, legend=alt.Legend(orient="top")),
            tooltip=[alt.Tooltip("setting:N"), alt.Tooltip("rows:N", title="measured on"), number("error:Q")],
        )
    )
    chosen = curve.get("chosen")
    words = f"Training and held-out error of {family} along its settings."
    if not isinstance(chosen, int) or not 0 <= chosen < len(settings):
        return finish(lines, words, height=200, width=300)
    mark = plot([{"setting": settings[chosen]}]).mark_rule(color=SECOND, strokeDash=[4, 3], strokeWidth=1.5)
    return finish(mark.encode(x=x) + lines, words, height=200, width=300)


def paths(document: Document, pictures: Pictures) -> Chart:
    """The complexity curve of the chosen family, or of the best family that has one."""
    families = in_order(document, pictures["paths"])
    chosen = (document.get("chosen") or {}).get("family")
    return path(document, pictures, chosen if chosen in families else families[0])


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


def _error_title(document: Document) -> str:
    name = str(document.get("metric_label") or document.get("metric") or "error")
    return f"{name} {scale_of(document).unit}".strip()


def _one(document: Document) -> float:
    """What counts as one on an axis of errors: the power of ten that the leaderboard takes out, too."""
    return 10.0 ** scale_of(document).exponent
