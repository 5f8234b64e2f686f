"""Pictures of what a model does with its columns: importance, dependence, Shapley values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from venire.report.charts.style import (
    ACCENT,
    DASHES,
    PALETTE,
    QUIET,
    SECOND,
    STEP,
    Chart,
    Pictures,
    finish,
    number,
    plot,
    short,
)
from venire.report.sentences.numbers import Scale, finite
from venire.report.sentences.scale import scale_of
from venire.report.sentences.verdict import Document

MOST_IMPORTANT = 20  # columns drawn
MOST_EXPLAINED = 12
_SMALL_WIDTH, _SMALL_HEIGHT = 300, 200
Drawn = Mapping[str, Any]


def importance(document: Document, pictures: Pictures) -> Chart:
    """The rise of the loss on held-out rows when a column is shuffled, with intervals, the most important on top."""
    found: Drawn = pictures["importance"]
    power = 10.0 ** scale_of(document).scale.exponent
    values: list[dict[str, Any]] = [
        {"column": _unique(found["names"], at)}
        | {key: _six(found[held][at], power) for key, held in (("rise", "values"), ("low", "low"), ("high", "high"))}
        for at in ranked(found)[:MOST_IMPORTANT]
    ]
    y = alt.Y("column:N", sort=[value["column"] for value in values], title=None, axis=alt.Axis(labelLimit=170))
    title = f"{rise_words(document)} {scale_of(document).unit}".strip()
    said = [alt.Tooltip("column:N"), number("rise:Q", title), number("low:Q", "from"), number("high:Q", "to")]
    data = plot(values)
    zero = plot([{"rise": 0.0}]).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x="rise:Q")
    spans = data.mark_rule(color=ACCENT, strokeWidth=2, opacity=0.55).encode(
        y=y, x=alt.X("low:Q", title=title, axis=alt.Axis(tickCount=5)), x2="high:Q", tooltip=said
    )
    dots = data.mark_circle(size=70, opacity=1, color=ACCENT).encode(y=y, x=alt.X("rise:Q", title=title), tooltip=said)
    words = f"{title} when each of {len(values)} columns is shuffled."
    return finish(alt.LayerChart(layer=[zero, spans, dots]), words, height=STEP * len(values) + 10)


def dependence(document: Document, found: Drawn) -> Chart:
    """The mean prediction as one column takes its values, with the band of the middle of the rows."""
    size = Scale.for_size(max(abs(mean) for line in found["lines"] for mean in line["mean"]), 0.0)
    power = 10.0**size.exponent
    values = [
        {"at": at, "of": short(line["of"] or "")}
        | {"mean": _six(mean, power), "low": _six(low, power), "high": _six(high, power)}
        for line in found["lines"]
        for at, mean, low, high in zip(found["grid"], line["mean"], line["low"], line["high"], strict=True)
    ]
    drawn = _by_category if found["categorical"] else _by_number
    chart = drawn(plot(values), found, f"{said_of(document, found)} {size.unit}".strip())
    height = max(STEP * len(found["grid"]), 60) if found["categorical"] else _SMALL_HEIGHT
    words = f"{said_of(document, found)} against {short(found['column'])}."
    return finish(chart, words, width=_SMALL_WIDTH, height=height)


def _by_number(data: alt.Chart, found: Drawn, title: str) -> alt.LayerChart:
    """A line over the values, or one a class; of a single one the band."""
    name = short(found["column"])
    x = alt.X("at:Q", title=name, axis=alt.Axis(tickCount=5), scale=alt.Scale(zero=False, nice=False))
    y = alt.Y("mean:Q", title=title, scale=_shared(found))
    line = data.mark_line(color=ACCENT, strokeWidth=2, point=alt.OverlayMarkDef(size=22))
    if len(found["lines"]) > 1:
        return alt.LayerChart(
            layer=[
                line.encode(
                    x=x,
                    y=y,
                    color=_classes(found),
                    strokeDash=_dashes(found),
                    tooltip=_tips(number("at:Q", name), found, title),
                )
            ]
        )
    band = data.mark_area(color=ACCENT, opacity=0.16).encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q")
    return alt.LayerChart(layer=[band, line.encode(x=x, y=y, tooltip=_tips(number("at:Q", name), found, title))])


def _by_category(data: alt.Chart, found: Drawn, title: str) -> alt.LayerChart:
    """A dot a category, whose names stand below each other, where they can be read."""
    name = short(found["column"])
    y = alt.Y("at:N", title=None, sort=list(found["grid"]), axis=alt.Axis(labelLimit=120))
    x = alt.X("mean:Q", title=title, scale=_shared(found), axis=alt.Axis(tickCount=5))
    dots = data.mark_point(filled=True, size=60, opacity=1, color=ACCENT)
    said = _tips(alt.Tooltip("at:N", title=name), found, title)
    if len(found["lines"]) > 1:
        return alt.LayerChart(layer=[dots.encode(x=x, y=y, color=_classes(found), tooltip=said)])
    band = data.mark_rule(color=ACCENT, opacity=0.3, strokeWidth=5).encode(
        y=y, x=alt.X("low:Q", title=title), x2="high:Q"
    )
    return alt.LayerChart(layer=[band, dots.encode(x=x, y=y, tooltip=said)])


def _shared(found: Drawn) -> alt.Scale:
    """Probabilities all on one scale, so that columns can be compared; numbers each on their own."""
    return alt.Scale(domain=[0, 1]) if found["unit"] == "probability" else alt.Scale(zero=False, nice=True)


def _classes(found: Drawn) -> alt.Color:
    names = [short(line["of"]) for line in found["lines"]]
    scale = alt.Scale(domain=names, range=list(PALETTE[: len(names)]))
    return alt.Color("of:N", title=None, scale=scale, sort=names, legend=_key())


def _dashes(found: Drawn) -> alt.StrokeDash:
    names = [short(line["of"]) for line in found["lines"]]
    scale = alt.Scale(domain=names, range=[list(dash) for dash in DASHES[: len(names)]])
    return alt.StrokeDash("of:N", title=None, scale=scale, sort=names, legend=_key())


def _key() -> alt.Legend:
    return alt.Legend(orient="top", labelLimit=80, columns=3)


def _tips(at: alt.Tooltip, found: Drawn, title: str) -> list[alt.Tooltip]:
    if len(found["lines"]) > 1:
        return [alt.Tooltip("of:N", title="class"), at, number("mean:Q", title)]
    return [
        at,
        number("mean:Q", title),
        number("low:Q", "a tenth of the rows below"),
        number("high:Q", "a tenth above"),
    ]


def _six(value: float | None, power: float = 1.0) -> float | None:
    """A figure on an axis that takes out a power of ten; more digits than can be seen would only make a larger file."""
    return None if value is None else float(f"{value / power:.6g}")


def shapley(document: Document, found: Drawn) -> Chart:
    """A dot for every row and column: how far the column moved the prediction of the row."""
    names = [_unique(found["names"], at) for at in range(len(found["names"]))][:MOST_EXPLAINED]
    size = Scale.for_size(max((abs(moved) for moves in found["values"] for moved in moves), default=0.0), 0.0)
    values: list[dict[str, Any]] = [
        # Dots of one column lie beside each other, in an order that is no row's but always the same.
        {
            "column": name,
            "moved": _six(moved, 10.0**size.exponent),
            "place": place,
            "aside": round((at * 0.618) % 1.0, 3),
        }
        for name, moves, places in zip(names, found["values"], found["places"], strict=False)
        for at, (moved, place) in enumerate(zip(moves, places, strict=True))
    ]
    y = alt.Y("column:N", sort=names, title=None, axis=alt.Axis(labelLimit=170))
    x = alt.X("moved:Q", title=f"added to the {_what(document, found)} {size.unit}".strip(), axis=alt.Axis(tickCount=8))
    aside = alt.YOffset("aside:Q", scale=alt.Scale(domain=[-0.6, 1.6]))
    said = [alt.Tooltip("column:N"), number("moved:Q", "added")]
    legend = alt.Legend(orient="top", gradientLength=120, values=[0, 1], labelExpr="datum.value ? 'high' : 'low'")
    scale = alt.Scale(domain=[0, 1], range=[ACCENT, SECOND], interpolate="rgb")
    zero = plot([{"moved": 0.0}]).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x="moved:Q")
    layers: list[alt.Chart] = [zero]
    if grey := [value for value in values if value["place"] is None]:
        layers.append(
            plot(grey).mark_circle(size=24, opacity=0.75, color=QUIET).encode(x=x, y=y, yOffset=aside, tooltip=said)
        )
    if known := [value for value in values if value["place"] is not None]:
        colour = alt.Color("place:Q", title="value of the column", scale=scale, legend=legend)
        dots = plot(known).mark_circle(size=24, opacity=0.75)
        layers.append(dots.encode(x=x, y=y, yOffset=aside, color=colour, tooltip=said))
    words = f"Shapley values of {len(names)} columns."
    return finish(alt.LayerChart(layer=layers), words, height=26 * len(names) + 10)


def ranked(found: Drawn) -> list[int]:
    """The places of the columns, from the most important to the least; those without a figure last."""
    return sorted(
        range(len(found["names"])), key=lambda at: (finite(found["values"][at]) is None, -(found["values"][at] or 0.0))
    )


def rise_words(document: Document) -> str:
    """What an importance is a figure of."""
    shown = scale_of(document)
    return f"fall of the {shown.label}" if shown.higher_is_better else f"rise of the {shown.label}"


def said_of(document: Document, found: Drawn) -> str:
    """What the lines of a dependence are means of."""
    if not found["classes"]:
        return f"predicted {short(document.get('target'))}"
    of = f" of '{short(found['lines'][0]['of'])}'" if len(found["lines"]) == 1 else ""
    return f"{found['unit']}{of}"


def _what(document: Document, found: Drawn) -> str:
    return (
        f"predicted {short(document.get('target'))}"
        if found["of"] is None
        else f"{found['unit']} of '{short(found['of'])}'"
    )


def _unique(names: list[str], at: int) -> str:
    """A name that fits beside an axis and is no other's."""
    name = short(names[at])
    return name if [short(each) for each in names].count(name) == 1 else f"{name} ({at + 1})"
