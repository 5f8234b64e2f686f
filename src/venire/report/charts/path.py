"""The picture of a complexity curve: training and held-out rows along a path, one line for each thing set besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import altair as alt

from venire.report.charts.errors import figured
from venire.report.charts.setting_axis import on_a_scale, setting_axis
from venire.report.charts.style import ACCENT, PALETTE, QUIET, SECOND, Chart, Pictures, finish, plot
from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import scale_of
from venire.report.sentences.verdict import Document, in_order

_HELD_OUT, _TRAINING = "held-out rows", "training rows"
_HEIGHT, _WIDTH = 200, 300
MOST_LINES = len(PALETTE)  # drawn of one path: more could not be told apart

Curve = Mapping[str, Any]


def path(document: Document, pictures: Pictures, family: str) -> Chart:
    """The complexity curve of one family: training and held-out rows along its settings, from simple to complex."""
    curve: Curve = pictures["paths"][family]
    drawn = drawn_lines(curve)
    shown = scale_of(document)
    along = [str(value) for value in curve.get("axis") or dict.fromkeys(map(str, curve["settings"]))]
    numbers = on_a_scale(along) is not None
    values = [
        {**_place(setting, numbers), "line": line, "error": shown.plotted(error), "rows": what, "faint": faint}
        for what, key, faint in ((_HELD_OUT, "held_out", 1.0), (_TRAINING, "training", 0.5))
        for setting, line, error in zip(map(str, curve["settings"]), lines_of(curve), curve[key], strict=True)
        if finite(error) is not None and line in drawn
    ]
    x = setting_axis(along, str(curve.get("label") or "setting"))
    y = alt.Y("error:Q", title=shown.axis, scale=alt.Scale(zero=not shown.higher_is_better))
    lines = (
        _several(values, drawn, x, y, figured(document)) if len(drawn) > 1 else _single(values, x, y, figured(document))
    )
    words = f"{shown.label} of {family} on training rows and on held-out rows, along its settings."
    at = chosen_of(curve)
    if at is None:
        return finish(lines, words, height=_HEIGHT, width=_WIDTH)
    error = finite(curve["held_out"][at])
    place = _place(str(curve["settings"][at]), numbers) | {"error": None if error is None else shown.plotted(error)}
    mark = plot([place])
    rule = mark.mark_rule(color=SECOND, strokeDash=[4, 3], strokeWidth=1.5).encode(x=x)
    ring = mark.mark_point(shape="circle", size=130, filled=False, color=SECOND, strokeWidth=2).encode(x=x, y=y)
    return finish(rule + lines + ring, words, height=_HEIGHT, width=_WIDTH)


def _place(setting: str, numbers: bool) -> dict[str, Any]:
    """Where a setting stands on the axis."""
    return {"setting": setting, "at": float(setting)} if numbers else {"setting": setting}


def paths(document: Document, pictures: Pictures) -> Chart:
    """The complexity curve of the chosen family, or of the best family that has one."""
    return path(document, pictures, shown_family(document, pictures))


def shown_family(document: Document, pictures: Pictures) -> str:
    """Whose curve is drawn where none is asked for: the chosen family's, or that of the best one that has a curve."""
    families = in_order(document, pictures["paths"])
    chosen = str((document.get("chosen") or {}).get("family"))
    return chosen if chosen in families else families[0]


def lines_of(curve: Curve) -> list[str]:
    """The line each setting is on."""
    return [str(line) for line in curve.get("lines") or [""] * len(curve["settings"])]


def chosen_of(curve: Curve) -> int | None:
    """The place of the chosen setting on the path, if one was chosen."""
    chosen = curve.get("chosen")
    return chosen if isinstance(chosen, int) and 0 <= chosen < len(curve["settings"]) else None


def drawn_lines(curve: Curve) -> list[str]:
    """The lines that are drawn: all, or where there are too many the chosen one and the best of the others."""
    lines = lines_of(curve)
    different = list(dict.fromkeys(lines))
    if len(different) <= MOST_LINES:
        return different
    lowest = dict.fromkeys(different, inf)
    for line, error in zip(lines, curve["held_out"], strict=True):
        lowest[line] = min(lowest[line], inf if finite(error) is None else error)
    at = chosen_of(curve)
    kept = sorted(different, key=lambda line: (at is None or line != lines[at], lowest[line]))[:MOST_LINES]
    return [line for line in different if line in kept]


def setting_words(curve: Curve, at: int) -> str:
    """A setting as the leaderboard calls it."""
    value = f"{curve.get('label') or 'setting'} = {curve['settings'][at]}"
    line = lines_of(curve)[at]
    return f"{line}, {value}" if line else value


def _single(values: list[dict[str, Any]], x: alt.X, y: alt.Y, figure: alt.Tooltip) -> alt.Chart:
    """One line: the colour tells training rows from held-out ones."""
    colours = alt.Scale(domain=[_HELD_OUT, _TRAINING], range=[ACCENT, QUIET])
    return _drawn(
        values, x, y, figure, color=alt.Color("rows:N", scale=colours, title=None, legend=alt.Legend(orient="top"))
    )


def _several(values: list[dict[str, Any]], lines: Sequence[str], x: alt.X, y: alt.Y, figure: alt.Tooltip) -> alt.Chart:
    """Several lines: the colour tells them apart, and what was measured on training rows is dashed and faint."""
    rows = [_HELD_OUT, _TRAINING]
    colours = alt.Scale(domain=list(lines), range=list(PALETTE[: len(lines)]))
    legend = alt.Legend(orient="top", columns=3, labelLimit=110)
    return _drawn(
        values,
        x,
        y,
        figure,
        alt.Tooltip("line:N", title="with"),
        color=alt.Color("line:N", scale=colours, sort=list(lines), title=None, legend=legend),
        strokeDash=alt.StrokeDash("rows:N", scale=alt.Scale(domain=rows, range=[[1, 0], [4, 3]]), legend=None),
        opacity=alt.Opacity("faint:Q", scale=None, legend=None),
    )


def _drawn(
    values: list[dict[str, Any]], x: alt.X, y: alt.Y, figure: alt.Tooltip, *said: alt.Tooltip, **marks: Any
) -> alt.Chart:
    """Points joined by lines, set apart by these marks; what is said of a point comes before its setting."""
    shown = [*said, alt.Tooltip("setting:N"), alt.Tooltip("rows:N", title="measured on"), figure]
    marked = plot(values).mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=1.8)
    drawn: alt.Chart = marked.encode(x=x, y=y, tooltip=shown, **marks)
    return drawn
