"""Curves of two classes on held-out rows: ROC, precision and recall, cost, calibration.

All of them draw the choice first and the others in the order of the leaderboard, so that each has one colour
throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from venire.report.charts.style import (
    ACCENT,
    QUIET,
    SECOND,
    Chart,
    Pictures,
    dashed,
    diagonal,
    finish,
    highlighted,
    number,
    plot,
    short,
    thinned,
    unit,
)
from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import scale_of
from venire.report.sentences.verdict import PROCEDURE, Document, in_order
from venire.wording import MISSING

MOST_ON_CURVE = 300
MOST_CALIBRATED = 4  # calibration curves drawn: they cross so much that more cannot be told apart

_WIDTH = alt.StrokeWidth("width:Q", scale=None, legend=None)

Curves = Mapping[str, Mapping[str, Any]]


def roc(document: Document, pictures: Pictures) -> Chart:
    """ROC curves of the held-out rows; the leading curves in colour, the others in grey."""
    curves: Curves = pictures["roc"]
    areas = {family: area(document, curve.get("auc")) for family, curve in curves.items()}
    names = {family: _named(document, family, areas[family]) for family in curve_order(document, curves)}
    lines = (
        plot(_points(curves, names, "fpr", "tpr"))
        .mark_line()
        .encode(
            strokeWidth=_WIDTH,
            x=alt.X("fpr:Q", title="false positive rate: others flagged", scale=unit()),
            y=alt.Y("tpr:Q", title=f"true positive rate: share of {of_interest(document)} found", scale=unit()),
            color=highlighted(list(names.values()), "AUC"),
            strokeDash=dashed(list(names.values()), "AUC"),
            order="order:Q",
            tooltip=[
                alt.Tooltip("family:N"),
                number("fpr:Q", "false positive rate"),
                number("tpr:Q", "true positive rate"),
            ],
        )
    )
    here = operating(pictures) if PROCEDURE in curves else None
    if here is None:
        return finish(diagonal(0.0, 1.0) + lines, "ROC curves.")
    x, y = alt.X("fpr:Q"), alt.Y("tpr:Q")
    edge = [{"fpr": a, "tpr": b} for a, b in hull(curves[PROCEDURE]["fpr"], curves[PROCEDURE]["tpr"])]
    around = plot(edge).mark_line(color=ACCENT, strokeDash=[2, 2], strokeWidth=1, opacity=0.8).encode(x, y)
    same = plot([{"fpr": 0.0}, {"fpr": 1.0}]).transform_calculate(tpr="here_tpr + iso_slope * (datum.fpr - here_fpr)")
    iso = same.mark_line(color=SECOND, strokeWidth=1.2, clip=True).encode(x, y)
    dot = _dot(fpr=here["fpr"], tpr=here["tpr"]).encode(x, y, tooltip=[number("fpr:Q"), number("tpr:Q")])
    chart = alt.LayerChart(layer=[*(diagonal(0.0, 1.0) + lines).layer, around, iso, dot])
    return finish(chart.add_params(alt.param(name="iso_slope", value=here["slope"])), "ROC curves.")


def precision_recall(document: Document, pictures: Pictures) -> Chart:
    """Precision against recall, in the steps the average precision sums up; the procedure's own decisions as a dot."""
    drawn: Mapping[str, Any] = pictures["precision_recall"]
    curves: Curves = drawn["curves"]
    figures = {family: three(curve.get("average_precision")) for family, curve in curves.items()}
    names = {family: _named(document, family, figures[family]) for family in curve_order(document, curves)}
    x = alt.X("recall:Q", title=f"recall: share of {of_interest(document)} found", scale=unit())
    y = alt.Y("precision:Q", title="precision: share of the flagged that are right", scale=unit())
    said = [number("recall:Q"), number("precision:Q")]
    lines = (
        plot(_points(curves, names, "recall", "precision"))
        .mark_line(interpolate="step-before")
        .encode(
            strokeWidth=_WIDTH,
            x=x,
            y=y,
            color=highlighted(list(names.values()), "average precision"),
            strokeDash=dashed(list(names.values()), "average precision"),
            order="order:Q",
            tooltip=[alt.Tooltip("family:N"), *said],
        )
    )
    share = [{"recall": end, "precision": drawn["share"]} for end in (0.0, 1.0)]
    guessing = plot(share).mark_line(color=QUIET, strokeDash=[3, 3], strokeWidth=1).encode(x=x, y=y)
    decided = decision(pictures)
    if decided is None:
        return finish(guessing + lines, "Precision-recall curves.")
    dot = _dot(recall=decided["recall"], precision=decided["precision"], of_curve=PROCEDURE in curves)
    return finish(guessing + lines + dot.encode(x=x, y=y, tooltip=said), "Precision-recall curves.")


def cost_curve(document: Document, pictures: Pictures) -> Chart:
    """The least expected cost at every balance of the two mistakes; the rule is where this table stands."""
    drawn: Mapping[str, Any] = pictures["cost_curve"]
    curves: Curves = drawn["curves"]
    names = {family: _named(document, family) for family in curve_order(document, curves)}
    title = f"probability cost: weight of missed {of_interest(document)}"
    x = alt.X("probability_cost:Q", title=title, scale=unit())
    y = alt.Y("expected_cost:Q", title="expected cost (1: every row is wrong)", scale=alt.Scale(domain=[0, 0.5]))
    lines = (
        plot(_points(curves, names, "probability_cost", "expected_cost"))
        .mark_line()
        .encode(
            strokeWidth=_WIDTH,
            x=x,
            y=y,
            color=highlighted(list(names.values()), None),
            strokeDash=dashed(list(names.values()), None),
            order="order:Q",
            tooltip=[
                alt.Tooltip("family:N"),
                number("probability_cost:Q", "probability cost"),
                number("expected_cost:Q", "expected cost"),
            ],
        )
    )
    same = [{"probability_cost": at, "expected_cost": min(at, 1 - at)} for at in (0.0, 0.5, 1.0)]
    chart = plot(same).mark_line(color=QUIET, strokeDash=[3, 3], strokeWidth=1).encode(x=x, y=y) + lines
    if finite(drawn.get("here")) is None:
        return finish(chart, "Cost curves.")
    place = plot([{"dot": "here"}]).transform_calculate(probability_cost="here_balance")
    here = place.mark_rule(color=SECOND, strokeDash=[8, 3], strokeWidth=1.5).encode(x=x)
    return finish(chart + here.add_params(alt.param(name="here_balance", value=drawn["here"])), "Cost curves.")


def calibration(document: Document, pictures: Pictures) -> Chart:
    """Predicted probability against observed share; a calibrated model follows the diagonal."""
    curves: Curves = pictures["calibration"]
    order = curve_order(document, curves)[:MOST_CALIBRATED]
    named = [_named(document, family) for family in order]
    everyone = curve_order(document, pictures.get("roc") or curves)
    values = [
        {"family": _named(document, family), "predicted": predicted, "observed": observed, "count": number}
        for family in order
        for predicted, observed, number in zip(
            curves[family]["predicted"], curves[family]["observed"], curves[family]["count"], strict=True
        )
        if finite(predicted) is not None and finite(observed) is not None
    ]
    lines = plot(values).mark_line(strokeWidth=1.8, point=alt.OverlayMarkDef(size=30)).encode(
        x=alt.X("predicted:Q", title="predicted probability (mean of the bin)", scale=unit()),
        y=alt.Y("observed:Q", title=f"share that was {of_interest(document)}", scale=unit()),
        color=highlighted(named, None, [*map(everyone.index, order)]),
        strokeDash=dashed(named, None, [*map(everyone.index, order)]),
        tooltip=[
            alt.Tooltip("family:N"), number("predicted:Q"), number("observed:Q"), alt.Tooltip("count:Q", title="rows")
        ],
    )  # fmt: skip
    return finish(diagonal(0.0, 1.0) + lines, "Calibration curves.")


def _dot(*, of_curve: bool = True, **at: float) -> alt.Chart:
    """A dot whose place is given by parameters (`here_fpr` is the `fpr` of it), so that a page can move it."""
    places = {name: f"here_{name}" for name in at}
    colour = ACCENT if of_curve else QUIET  # that of its curve, where it has one
    marked = plot([{"dot": "here"}]).transform_calculate(**places)
    dot: alt.Chart = marked.mark_point(size=150, opacity=1, fill=colour, stroke="white", strokeWidth=2)
    return dot.add_params(*(alt.param(name=places[name], value=value) for name, value in at.items()))


def operating(pictures: Pictures) -> dict[str, float] | None:
    """Where the procedure's own decisions lie on a ROC curve, and the slope of lines of equal cost there."""
    found = pictures.get("operating")
    if not found:
        return None
    point, positives, negatives = found["points"][found["decided"]], found["positives"], found["negatives"]
    return {
        "fpr": point["alarms"] / negatives,
        "tpr": point["found"] / positives,
        "slope": negatives / (positives * found["ratio"]),
    }


def hull(fpr: Sequence[float], tpr: Sequence[float]) -> list[tuple[float, float]]:
    """The upper convex hull of a ROC curve: what can be reached by tossing a coin between two thresholds.

    >>> hull([0.0, 0.0, 0.5, 0.6, 1.0], [0.0, 0.5, 0.6, 0.9, 1.0])
    [(0.0, 0.0), (0.0, 0.5), (0.6, 0.9), (1.0, 1.0)]
    """
    kept: list[tuple[float, float]] = []
    for x, y in sorted(zip(fpr, tpr, strict=True)):
        while len(kept) > 1 and _turns_left(kept[-2], kept[-1], (x, y)):
            kept.pop()
        kept.append((x, y))
    return kept


def _turns_left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) >= 0


def decision(pictures: Pictures) -> dict[str, Any] | None:
    """Where the procedure's own decisions lie; None where nothing was flagged, which has no precision."""
    decided = pictures["precision_recall"].get("decided") or {}
    return None if any(finite(decided.get(key)) is None for key in ("recall", "precision")) else dict(decided)


def curve_order(document: Document, curves: Mapping[str, Any]) -> list[str]:
    """The procedure, the model that was chosen, then the others in the order of the leaderboard."""
    first = [name for name in (PROCEDURE, _chosen(document)) if name in curves]
    return [*first, *(name for name in in_order(document, curves) if name not in first)]


def of_interest(document: Document) -> str:
    """The class the curves look for, in quotes: the positive one, or the second of two where none was named."""
    classes: Sequence[Any] = document.get("classes") or ()
    label = document.get("positive")
    if label is None and len(classes) == 2:
        label = classes[1]
    return "the class" if label is None else f"'{short(label)}'"


def _points(curves: Curves, names: dict[str, str], x: str, y: str) -> list[dict[str, Any]]:
    """The points of every curve under the name its legend has; the leading one is the widest, and drawn on top."""
    leading = next(iter(names), None)
    return [
        {"family": names[family], "width": 2.6 if family == leading else 1.5, "order": index, x: along, y: up}
        for family in reversed(names)
        for index, (along, up) in enumerate(thinned(curves[family][x], curves[family][y], MOST_ON_CURVE))
    ]


def area(document: Document, auc: Any) -> str:
    """An AUC; with the digits of the leaderboard where that shows the same figure."""
    number = finite(auc)
    same = document.get("metric") == "auc" and number is not None
    return scale_of(document).show(1.0 - number) if same and number is not None else three(auc)


def three(value: Any) -> str:
    """A share beside a curve that no leaderboard sets the digits of."""
    return MISSING if finite(value) is None else f"{value:.3f}"


def _named(document: Document, family: str, figure: str = MISSING) -> str:
    """A family as the legend has it: with its figure, and a word if it is the chosen one."""
    name = family if figure == MISSING else f"{family} {figure}"
    return f"{name} (chosen)" if family == _chosen(document) else name


def _chosen(document: Document) -> str:
    return str((document.get("chosen") or {}).get("family"))
