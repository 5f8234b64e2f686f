"""What the examples share: charts from arrays, the regions a classifier parts the plane into, and where pictures go."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike, NDArray

BLUE, ORANGE, GREEN, GREY = "#3b7dd8", "#e07b39", "#2f9e6e", "#8a919c"
COLOURS = [BLUE, ORANGE, GREEN, "#9a6ad0", "#d1495b"]


def data(**columns: ArrayLike) -> alt.InlineData:
    """Columns of equal length (a single value is repeated) as the data of a chart."""
    arrays = np.broadcast_arrays(*(np.asarray(column) for column in columns.values()))
    rows = zip(*(array.tolist() for array in arrays), strict=True)
    return alt.InlineData(values=[dict(zip(columns, row, strict=True)) for row in rows])


def lines(x: ArrayLike, named: Mapping[str, ArrayLike], x_title: str, y_title: str, **scales: alt.Scale) -> alt.Chart:
    """One line a name over the same x; `x_scale` and `y_scale` change the axes."""
    at = np.asarray(x)
    values = np.concatenate([np.asarray(line) for line in named.values()])
    names = np.repeat(list(named), len(at))
    return (
        alt.Chart(data(x=np.tile(at, len(named)), value=values, what=names))
        .mark_line(strokeWidth=2, clip=True)
        .encode(
            alt.X("x:Q", title=x_title, scale=scales.get("x_scale", alt.Scale(zero=False))),
            alt.Y("value:Q", title=y_title, scale=scales.get("y_scale", alt.Scale())),
            alt.Color("what:N", title=None, sort=list(named), scale=alt.Scale(range=COLOURS)),
        )
        .properties(width=380, height=260)
    )


def bars(named: Mapping[str, float], title: str) -> alt.Chart:
    """One bar a name, in the order given."""
    chart = alt.Chart(data(name=list(named), value=list(named.values())))
    y = alt.Y("name:N", sort=list(named), title=None, axis=alt.Axis(labelLimit=260))
    return (
        chart.mark_bar(color=BLUE)
        .encode(alt.X("value:Q", title=title, axis=alt.Axis(tickCount=6)), y)
        .properties(width=380)
    )


def points(X: NDArray[Any], y: ArrayLike, **marks: Any) -> alt.Chart:
    """Rows in the plane, coloured by class."""
    chart = alt.Chart(data(x=X[:, 0], y=X[:, 1], **{"class": np.asarray(y).astype(str)}))
    return chart.mark_circle(**{"size": 18, "opacity": 0.8, **marks}).encode(_axis("x", X), _axis("y", X), _colour(y))


def regions(say: Callable[[NDArray[Any]], NDArray[Any]], X: NDArray[Any], y: ArrayLike, steps: int = 80) -> alt.Chart:
    """The plane around the rows, coloured by the class that `say` gives each place of a grid."""
    across, up = (np.linspace(*_span(X[:, j]), steps + 1) for j in (0, 1))
    middles = np.meshgrid((across[1:] + across[:-1]) / 2, (up[1:] + up[:-1]) / 2)
    said = np.asarray(say(np.column_stack([side.ravel() for side in middles]))).reshape(steps, steps)
    # Neighbours of one class in a line of the grid are drawn as one bar: far fewer marks, and no seams.
    starts = np.ones((steps, steps), dtype=bool)
    starts[:, 1:] = said[:, 1:] != said[:, :-1]
    line, first = np.nonzero(starts)
    end = np.append(first[1:], 0)
    end[end == 0] = steps
    bars = data(x=across[first], x2=across[end], y=up[line], y2=up[line + 1], **{"class": said[starts].astype(str)})
    chart = alt.Chart(bars).mark_rect(opacity=0.25, strokeWidth=0)
    return chart.encode(_axis("x", X), _axis("y", X), _colour(y), x2="x2:Q", y2="y2:Q")


def save(chart: Any, script: str) -> None:
    """Write the picture of a script into the folder given on the command line, or into the working directory."""
    name = f"{Path(script).stem}.png"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    folder.mkdir(parents=True, exist_ok=True)
    chart.save(folder / name, scale_factor=1.5)
    print(f"\nThe picture is {name}")


def _span(values: NDArray[Any]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _axis(side: str, X: NDArray[Any]) -> Any:
    scale = alt.Scale(domain=_span(X[:, "xy".index(side)]), nice=False)
    return (alt.X if side == "x" else alt.Y)(f"{side}:Q", title=None, scale=scale)


def _colour(y: ArrayLike) -> alt.Color:
    names = np.unique(np.asarray(y).astype(str)).tolist()
    return alt.Color("class:N", scale=alt.Scale(domain=names, range=COLOURS[: len(names)]))
