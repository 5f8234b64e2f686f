"""Stagewise fitting of residuals, looked at: what each stage is fitted to, and what the sum has become."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError
from venire.explain.exchange import as_rows, column_names, column_values
from venire.pictures.plane import plane
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import ACCENT, QUIET, SECOND, Chart, finish, plot, short
from venire.wording import count

_WIDTH, _HEIGHT, _POINTS = 260, 150, 200


def residual_stages(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    column: str | int = 0,
    stages: tuple[int, ...] = (1, 2, 3, 10),
    name: str | None = None,
) -> Figure:
    """Additive regression along one column: on the left the sum so far, on the right what it left to the next stage.

    Parameters
    ----------
    model
        A fitted additive regressor: `AdditiveRegressor`, or anything else with `staged_predict`.
    X
        The rows it was fitted on.
    y
        Their targets.
    column
        The column along which it is drawn; all others are held at their median.
    stages
        After which stages.
    name
        What the column is called; by default as the table calls it.

    Returns
    -------
    Figure
        The picture: a line of two panels for each of these stages.

    Examples
    --------
    >>> from venire import AdditiveRegressor
    >>> from venire.data.generators import linear_sinusoid
    >>> X, y = linear_sinusoid(100, np.random.default_rng(0))
    >>> model = AdditiveRegressor(n_estimators=5, random_state=0).fit(X, y)
    >>> residual_stages(model, X, y, stages=(1, 5)).numbers.rows
    (('1', '0.612'), ('5', '0.203'))
    """
    target = np.asarray(y, dtype=np.float64)
    rows = as_rows(X)
    place = plane(model, rows, np.zeros(len(target), dtype=int), [column])
    _, _, asked = place.grid(_POINTS)
    line = np.asarray(column_values(asked, place.columns[0]), dtype=np.float64)
    curves, sums = list(model.staged_predict(asked)), list(model.staged_predict(rows))
    drawn = [stage for stage in stages if stage <= len(sums)]
    if not drawn or min(drawn) < 1:
        raise UsageError(f"there is no stage {list(stages)}", hint=f"the model has stages 1 to {len(sums)}")
    x, along = place.at[:, 0], short(name or column_names(model, rows)[place.columns[0]])
    lines, figures = [], []
    for stage in drawn:
        left = target - sums[stage - 1]
        size = float(np.sqrt(np.mean(np.square(left))))
        figures.append((str(stage), f"{size:.3f}"))
        title = f"after {count(stage, 'stage')}"
        lines.append(
            alt.hconcat(
                _panel(x, target, along, "target", title, line=(line, curves[stage - 1])),
                _panel(x, left, along, "residual", f"left over: {size:.3g} (root mean square)", colour=SECOND),
            )
        )
    caption = (
        f"{count(len(target), 'row')}. Left: the rows and the sum of the stages so far. Right: the residuals, "
        f"which the next stage is fitted to."
    )
    numbers = Numbers(("stage", "root mean squared residual"), tuple(figures))
    return Figure("residual_stages", "Stage after stage, fitted to what is left", caption, alt.vconcat(*lines), numbers)


def _panel(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    name: str,
    label: str,
    title: str,
    *,
    line: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    colour: str = QUIET,
) -> Chart:
    values = [{"x": float(f"{a:.5g}"), "y": float(f"{b:.5g}")} for a, b in zip(x, y, strict=True)]
    across = alt.X("x:Q", title=name, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5))
    up = alt.Y("y:Q", title=label, axis=alt.Axis(tickCount=5))
    layers = [plot(values).mark_circle(size=18, opacity=0.6, color=colour).encode(across, up)]
    if line is None:
        layers.append(plot([{"y": 0.0}]).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(up))
    else:
        drawn = [{"x": float(f"{a:.5g}"), "y": float(f"{b:.5g}")} for a, b in zip(*line, strict=True)]
        layers.append(plot(drawn).mark_line(color=ACCENT, strokeWidth=2).encode(across, up))
    chart = alt.LayerChart(layer=layers).properties(title=alt.TitleParams(title, fontSize=12, fontWeight="normal"))
    return finish(chart, title, width=_WIDTH, height=_HEIGHT)
