"""Every picture as an Altair chart. Altair is imported with this module, so import it only to draw.

Each function takes the document and the picture data and returns one chart of a fixed size and plain colours, which
saves to PNG, SVG or HTML as it is; the page stretches it to its column and lends it the page's inks. Names and labels
are only ever data values or titles, never part of an expression, so no name can break or hijack a chart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from venire.errors import UsageError
from venire.report.bars import domain, measured
from venire.report.marks import (
    ACCENT,
    QUIET,
    SECOND,
    STEP,
    Chart,
    diagonal,
    finish,
    highlighted,
    number,
    plot,
    short,
    thinned,
    unit,
)
from venire.report.numbers import Scale, count, finite, interval_of
from venire.report.words import Document, in_order, rows_words

Pictures = Mapping[str, Any]

MOST_POINTS = 2000  # of a scatter: more would only blacken it
MOST_ON_CURVE = 300
MOST_CALIBRATED = 4  # calibration curves drawn: they cross so much that more cannot be told apart
_THREE_ERRORS = {
    "error": "two-layer (honest)",
    "one_layer_error": "one-layer",
    "training_error": "on the training rows",
}


def draw(name: str, document: Document, pictures: Pictures) -> Chart:
    """The picture of that name; an error lists those there are."""
    there = available(document, pictures)
    if name not in there:
        raise UsageError(
            f"there is no picture {name!r} of this verdict",
            code="no_picture",
            hint=f"choose one of: {', '.join(there) or 'none could be drawn'}",
        )
    return DRAWN[name](document, pictures)


def available(document: Document, pictures: Pictures) -> list[str]:
    """The names of the pictures that can be drawn from what is there."""
    there = [name for name in DRAWN if name == "errors" or pictures.get(name)]
    return there if measured(document.get("leaderboard") or ()) else [name for name in there if name != "errors"]


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


def roc(document: Document, pictures: Pictures) -> Chart:
    """ROC curves of the held-out rows; the leading curves in colour, the others in grey."""
    curves: Mapping[str, Mapping[str, Any]] = pictures["roc"]
    names = {family: _with_auc(family, curve) for family, curve in curves.items()}
    ranked = sorted(curves, key=lambda family: -(finite(curves[family].get("auc")) or 0.0))
    values = [
        {"family": names[family], "order": index, "fpr": fpr, "tpr": tpr}
        for family in ranked
        for index, (fpr, tpr) in enumerate(thinned(curves[family]["fpr"], curves[family]["tpr"], MOST_ON_CURVE))
    ]
    lines = (
        plot(values)
        .mark_line(strokeWidth=1.8, interpolate="linear")
        .encode(
            x=alt.X("fpr:Q", title="share of the other rows flagged (false positives)", scale=unit()),
            y=alt.Y("tpr:Q", title=f"share of {_positive(document)} found (true positives)", scale=unit()),
            color=highlighted([names[family] for family in ranked], "AUC"),
            order="order:Q",
            tooltip=[alt.Tooltip("family:N"), number("fpr:Q", "false positives"), number("tpr:Q", "true positives")],
        )
    )
    return finish(diagonal(0.0, 1.0) + lines, "ROC curves.")


def calibration(document: Document, pictures: Pictures) -> Chart:
    """What was predicted against what came true; a model that means its probabilities follows the diagonal."""
    curves: Mapping[str, Mapping[str, Any]] = pictures["calibration"]
    order = in_order(document, curves)[:MOST_CALIBRATED]
    values = [
        {"family": family, "predicted": predicted, "observed": observed, "count": number}
        for family in order
        for predicted, observed, number in zip(
            curves[family]["predicted"], curves[family]["observed"], curves[family]["count"], strict=True
        )
        if finite(predicted) is not None and finite(observed) is not None
    ]
    lines = plot(values).mark_line(strokeWidth=1.8, point=alt.OverlayMarkDef(size=30)).encode(
        x=alt.X("predicted:Q", title="predicted probability (mean of the bin)", scale=unit()),
        y=alt.Y("observed:Q", title=f"share that was {_positive(document)}", scale=unit()),
        color=highlighted(order, None),
        tooltip=[
            alt.Tooltip("family:N"), number("predicted:Q"), number("observed:Q"), alt.Tooltip("count:Q", title="rows")
        ],
    )  # fmt: skip
    return finish(diagonal(0.0, 1.0) + lines, "Calibration curves.")


def confusion(document: Document, pictures: Pictures) -> Chart:
    """The confusion matrix of the procedure on held-out rows: rows are actual classes, columns predicted ones."""
    labels = [str(label) for label in pictures["confusion"]["labels"]]
    values = [
        {"actual": labels[i], "predicted": labels[j], "rows": number, "share": number / (sum(row) or 1)}
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


def scatter(document: Document, pictures: Pictures) -> Chart:
    """Predicted against actual values on held-out rows (a regular selection of them where there are many)."""
    points = [
        (float(actual), float(predicted))
        for actual, predicted in zip(pictures["scatter"]["actual"], pictures["scatter"]["predicted"], strict=True)
        if finite(actual) is not None and finite(predicted) is not None
    ]
    points = points[:: math.ceil(len(points) / MOST_POINTS) or 1]
    size = Scale.for_size(max((abs(actual) for actual, _ in points), default=0.0), 0.0)
    values = [{"actual": a / 10.0**size.exponent, "predicted": p / 10.0**size.exponent} for a, p in points]
    ends = [end for value in values for end in value.values()] or [0.0, 1.0]
    scale = alt.Scale(domain=[min(ends), max(ends)], nice=True)
    target = f"{short(document.get('target'))} {size.unit}".strip()
    dots = (
        plot(values)
        .mark_circle(size=26, opacity=0.4, color=ACCENT)
        .encode(
            x=alt.X("actual:Q", scale=scale, title=f"actual {target}"),
            y=alt.Y("predicted:Q", scale=scale, title=f"predicted {target}"),
            tooltip=[number("actual:Q"), number("predicted:Q")],
        )
    )
    return finish(diagonal(min(ends), max(ends)) + dots, "Predicted against actual values.")


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


def drawn_rows(document: Document, pictures: Pictures) -> str:
    """Which rows a scatter shows, in words."""
    there = len(pictures["scatter"]["actual"])
    shown = math.ceil(there / (math.ceil(there / MOST_POINTS) or 1))
    return rows_words(document) if shown == there else f"{rows_words(document)}; {shown:,} of them drawn"


DRAWN: dict[str, Callable[[Document, Pictures], Chart]] = {
    "errors": errors,
    "block_errors": block_errors,
    "roc": roc,
    "confusion": confusion,
    "calibration": calibration,
    "paths": paths,
    "scatter": scatter,
    "selection": selection,
}


def _error_title(document: Document) -> str:
    name = str(document.get("metric_label") or document.get("metric") or "error")
    return f"{name} {_scale(document).unit}".strip()


def _scale(document: Document) -> Scale:
    return Scale.of(document.get("leaderboard") or ())


def _one(document: Document) -> float:
    """What counts as one on an axis of errors: the power of ten that the leaderboard takes out, too."""
    return 10.0 ** _scale(document).exponent


def _with_auc(family: str, curve: Mapping[str, Any]) -> str:
    area = finite(curve.get("auc"))
    return family if area is None else f"{family} {area:.3f}"


def _positive(document: Document) -> str:
    positive = document.get("positive")
    return "the class" if positive is None else f"'{short(positive)}'"
