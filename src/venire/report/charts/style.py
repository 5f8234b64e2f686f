"""What the charts share: the data they draw, colours, sizes, axes, and how a long curve is thinned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
from altair.utils.schemapi import debug_mode

from venire.report.sentences.numbers import finite

Chart = alt.Chart | alt.LayerChart
Pictures = Mapping[str, Any]  # what is to be drawn, by the name of the picture

ACCENT, SECOND, QUIET = "#3b7dd8", "#d2691e", "#8a919c"
# Mid-tones, so that one palette reads on light and on dark paper (3:1 at least), chosen to stay as far apart as they
# can for people who do not see red, green or blue; lines have a dash each besides.
PALETTE = (ACCENT, SECOND, "#2d7869", "#a55aa5", "#b48787", "#b44b00")
_SOLID = (1, 0)
DASHES = (_SOLID, _SOLID, (7, 2), (2, 2), (9, 3, 2, 3), (4, 4))  # one for each colour
WIDTH, HEIGHT, STEP = 460, 300, 22


def plot(values: list[dict[str, Any]]) -> alt.Chart:
    """An empty chart over these values; what JSON has no word for (NaN, infinity) becomes null."""
    plain = [{key: _plain(value) for key, value in row.items()} for row in values]
    with debug_mode(False):  # Altair checks every value against its schema, a second for a thousand: these are plain
        return alt.Chart(alt.InlineData(values=plain))


def _plain(value: Any) -> str | int | float | None:
    return value if isinstance(value, str | int) else finite(value)


def finish(chart: Chart, words: str, *, width: int = WIDTH, height: int = HEIGHT) -> Chart:
    """The chart with its size, and the description a screen reader says.

    It has no configuration of its own, so that it can stand beside others in one picture.
    """
    sized: Chart = chart.properties(width=width, height=max(height, 40), description=words)
    return sized


def highlighted(names: list[str], title: str | None, places: Sequence[int] | None = None) -> alt.Color:
    """A colour for each of the leading names, grey for the others; `places` are theirs among all, where some miss."""
    colours = [PALETTE[at] if at < len(PALETTE) else QUIET for at in places or range(len(names))]
    scale = alt.Scale(domain=names, range=colours)
    return alt.Color("family:N", scale=scale, sort=names, title=title, legend=_key())


def dashed(names: list[str], title: str | None, places: Sequence[int] | None = None) -> alt.StrokeDash:
    """A dash for each of the leading names, so that their lines are told apart without colour; the rest is solid."""
    dashes = [DASHES[at] if at < len(DASHES) else _SOLID for at in places or range(len(names))]
    scale = alt.Scale(domain=names, range=[list(dash) for dash in dashes])
    return alt.StrokeDash("family:N", scale=scale, sort=names, title=title, legend=_key())


def _key() -> alt.Legend:
    """The same for colours and dashes, so that they make one legend."""
    return alt.Legend(orient="right", labelLimit=180, symbolType="stroke", symbolSize=380, symbolStrokeWidth=2.5)


def unit() -> alt.Scale:
    """An axis from 0 to 1."""
    return alt.Scale(domain=[0, 1])


def number(field: str, title: str | None = None) -> alt.Tooltip:
    """A number in a tooltip."""
    return alt.Tooltip(field, format=".4~g", title=title or field.split(":")[0])


def diagonal(low: float, high: float) -> alt.Chart:
    """The dashed line on which both axes agree."""
    ends = plot([{"at": low}, {"at": high}])
    line: alt.Chart = ends.mark_line(color=QUIET, strokeDash=[3, 3], strokeWidth=1).encode(x="at:Q", y="at:Q")
    return line


def short(name: Any) -> str:
    """A name that fits beside an axis."""
    text = str(name)
    return text if len(text) <= 40 else f"{text[:39]}…"


def thinned(xs: Sequence[float], ys: Sequence[float], most: int) -> list[tuple[float, float]]:
    """Points of a curve, at equal steps along it when there are more than `most`; both ends stay."""
    if len(xs) <= most:
        return list(zip(xs, ys, strict=True))
    x, y = np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    kept = np.searchsorted(along, np.linspace(0.0, along[-1], most)).clip(0, len(x) - 1)
    kept = np.union1d(kept, [0, len(x) - 1])
    return [(float(a), float(b)) for a, b in zip(x[kept], y[kept], strict=True)]
