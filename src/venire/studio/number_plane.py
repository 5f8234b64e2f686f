"""What a model says of numbers in the plane of two columns: a place has the colour of the prediction, a row its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Kind, Table

Floats = NDArray[np.float64]
_STEPS = 40  # of the grid, to a side
_MARGIN = 0.05  # of the span of the rows, around them
_COLOURS: Final = ["#3b7dd8", "#c9c4bd", "#d2691e"]  # low, middle, high


def usual_row(table: Table) -> Floats:
    """What a column usually is: the median of numbers, the most frequent of categories."""
    found = np.empty(len(table.columns))
    for at, column in enumerate(table.columns):
        present = table.X[:, at][~np.isnan(table.X[:, at])]
        if not present.size:
            found[at] = np.nan
        elif column.kind is Kind.NUMERIC:
            found[at] = np.median(present)
        else:
            found[at] = np.bincount(present.astype(np.intp)).argmax()
    return found


def surface(
    says: Callable[[Floats, Floats], Floats], rows: Floats, actual: Floats, train: NDArray[np.bool_], names: list[str]
) -> dict[str, Any]:
    """The picture. `says` gives predictions of places, `names` are those of the two columns and of the target.

    Rows that trained the model are filled, the others are rings.
    """
    known = np.isfinite(rows).all(axis=1)
    rows, actual, train = rows[known], actual[known], train[known]
    edges = [_edges(rows[:, side]) for side in (0, 1)]
    across, up = np.meshgrid(*((one[1:] + one[:-1]) / 2 for one in edges))
    said = np.asarray(says(across.ravel(), up.ravel())).reshape(_STEPS, _STEPS)
    cells = [
        {"x": _few(edges[0][i]), "x2": _few(edges[0][i + 1]), "y": _few(edges[1][j]), "y2": _few(edges[1][j + 1]),
         "value": _few(said[j, i])}
        for j in range(_STEPS) for i in range(_STEPS)
    ]  # fmt: skip
    dots = [
        {"x": _few(x), "y": _few(y), "value": _few(value), "rows": "training" if trained else "held out"}
        for (x, y), value, trained in zip(rows, actual, train, strict=True)
    ]
    ends = [_few(end) for end in np.quantile(np.append(actual, said.ravel()), (0.01, 0.99))]
    colour = {"field": "value", "type": "quantitative", "title": names[2],
              "scale": {"domain": ends, "range": _COLOURS, "clamp": True, "interpolate": "rgb"},
              "legend": {"type": "gradient", "gradientLength": 120}}  # fmt: skip
    place = {side: _axis(side, edges[at], names[at]) for at, side in enumerate("xy")}
    marked = {"type": "point", "size": 26, "strokeWidth": 1.4}
    told = [{"field": side, "type": "quantitative", "title": names[at]} for at, side in enumerate(("x", "y", "value"))]

    def drawn(part: str, **mark: Any) -> dict[str, Any]:
        values = [dot for dot in dots if dot["rows"] == part]
        return {"data": {"values": values}, "mark": {**marked, **mark},
                "encoding": {**place, "color": colour, "tooltip": told}}  # fmt: skip

    outlined = {"stroke": "#1c2230", "strokeWidth": 0.6, "filled": True, "opacity": 0.9}
    fill = {**drawn("training", **outlined)}
    fill["encoding"] = {**place, "fill": colour, "tooltip": told}
    layers = [
        {"data": {"values": cells}, "mark": {"type": "rect", "opacity": 0.55, "strokeWidth": 0},
         "encoding": {**place, "x2": {"field": "x2"}, "y2": {"field": "y2"}, "color": colour}},
        fill, drawn("held out", filled=False, opacity=1.0),
    ]  # fmt: skip
    return {"layer": layers, "width": 380, "height": 300, "description": "Predictions in the plane of two columns."}


def _edges(values: Floats) -> Floats:
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    reach = _MARGIN * (high - low) or 0.5
    return np.linspace(low - reach, high + reach, _STEPS + 1)


def _axis(side: str, edges: Floats, name: str) -> dict[str, Any]:
    scale = {"domain": [_few(edges[0]), _few(edges[-1])], "nice": False, "zero": False}
    axis = {"tickCount": 5, "grid": False}
    return {"field": side, "type": "quantitative", "title": name, "scale": scale, "axis": axis}


def _few(value: Any) -> float | None:
    """Six digits of a number; nothing where there is none."""
    return float(f"{float(value):.6g}") if np.isfinite(value) else None
