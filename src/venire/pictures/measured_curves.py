"""Results of validating as pictures: error against complexity, against rows, along a selection, along an ascent."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from venire.models.gradient_ascent import Ascent
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.selection import picture
from venire.report.charts.style import ACCENT, PALETTE, QUIET, SECOND, Chart, finish, number, plot, short
from venire.selection.select import Selected
from venire.validation.curves import ComplexityCurve, LearningCurve
from venire.wording import count

_HELD_OUT, _TRAINING = "held-out rows", "training rows"
_MOST_STEPS = 400  # of an ascent that are drawn


def complexity_picture(curve: ComplexityCurve) -> Figure:
    """Training and held-out error along a family's settings, from simple to complex, with intervals.

    Parameters
    ----------
    curve
        What `venire.validation.complexity_curve` found.

    Returns
    -------
    Figure
        The picture; the setting with the lowest held-out error is marked.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from venire.validation import complexity_curve
    >>> grid = {"n_neighbors": [20, 5, 1]}
    >>> curve = complexity_curve(KNeighborsClassifier(), load_iris(return_X_y=True), grid=grid, folds=3)
    >>> complexity_picture(curve)
    <Figure complexity: Error against complexity: kneighbors_classifier>
    """
    facts = curve.to_dict()
    labels = [setting.label for setting in curve.settings]
    words = (facts["family"], f"Error against complexity: {facts['family']}")
    x = alt.X(
        "at:N", sort=labels, title="setting, from simple to complex", axis=alt.Axis(labelAngle=-40, labelLimit=90)
    )
    figures = _two_lines(labels, curve.training_errors, curve.errors, curve.intervals)
    chart = _with_best(_lines(figures, x, "error"), labels[curve.best], float(curve.errors[curve.best]), x)
    numbers = _table("setting", labels, curve.training_errors, curve.errors)
    caption = f"Cross-validated. The ring is the setting with the lowest held-out error: {labels[curve.best]}."
    return Figure("complexity", words[1], caption, finish(chart, words[1], height=260), numbers)


def learning_picture(curve: LearningCurve) -> Figure:
    """Training and held-out error of a family against the rows it is trained on, with the interval.

    Parameters
    ----------
    curve
        What `venire.validation.learning_curve` found.

    Returns
    -------
    Figure
        The picture.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from venire.validation import learning_curve
    >>> curve = learning_curve(GaussianNB(), load_iris(return_X_y=True), folds=3)
    >>> learning_picture(curve)
    <Figure learning_curve: Learning curve of gaussian_nb>
    """
    sizes = [int(size) for size in curve.to_dict()["rows"]]
    x = alt.X("at:Q", title="rows trained on", scale=alt.Scale(zero=False))
    figures = _two_lines(sizes, curve.training_errors, curve.errors, curve.intervals)
    chart = _lines(figures, x, "error")
    caption = "While the two lines come closer, more rows may help. Band: the 95 % interval."
    title = f"Learning curve of {curve.family}"
    numbers = _table("rows", [count(size) for size in sizes], curve.training_errors, curve.errors)
    return Figure("learning_curve", title, caption, finish(chart, title, height=260), numbers)


def selection_path(selected: Selected) -> Figure:
    """The path of a forward or backward selection: training and cross-validated error after every step.

    Parameters
    ----------
    selected
        What `venire.select` found.

    Returns
    -------
    Figure
        The picture; the chosen subset is marked.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from venire import select
    >>> selection_path(select(load_iris(return_X_y=True), model="naive_bayes", folds=3)).name
    'selection_path'
    """
    facts = selected.to_dict()
    rows = tuple(
        (
            count(step["attributes"]),
            short(step["change"] or "start"),
            _figure(step["error"]),
            _figure(step["training_error"]),
        )
        for step in facts["path"]
    )
    numbers = Numbers(("columns", "change", "cross-validated", "training"), rows)
    caption = f"{facts['direction'].capitalize()} selection. The ring is the subset that was chosen."
    chart = picture(facts)
    chart.title = alt.Undefined  # the figure says what it is
    return Figure("selection_path", "The path of a selection", caption, chart, numbers)


def ascent_history(ascent: Ascent, *, names: tuple[str, ...] | None = None) -> Figure:
    """Gradient ascent of a logistic regression, step by step: the log-likelihood, and every coefficient.

    Parameters
    ----------
    ascent
        What `venire.models.gradient_ascent.logistic_ascent` did.
    names
        The columns, without the intercept.

    Returns
    -------
    Figure
        The picture: the height on the left, the coefficients on the right, over the steps on a logarithmic axis.

    Examples
    --------
    >>> from venire.models.gradient_ascent import logistic_ascent
    >>> ascent = logistic_ascent([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], eta=0.5)
    >>> ascent_history(ascent).numbers.rows[0]
    ('0', '-0.6931', '0', '0')
    """
    width = ascent.coefficients.shape[1]
    known = names if names is not None else tuple(f"x{j}" for j in range(width - 1))
    labels = ["intercept", *map(short, known)]
    spread = np.geomspace(1, ascent.steps + 1, min(_MOST_STEPS, ascent.steps + 1)).round().astype(int) - 1
    steps = np.union1d(spread, [0, ascent.steps])
    x = alt.X("step:Q", title="step (+ 1)", scale=alt.Scale(type="log"))
    heights: list[dict[str, Any]] = [
        {"step": int(at) + 1, "height": float(f"{ascent.log_likelihood[at]:.6g}")} for at in steps
    ]
    up = alt.Y("height:Q", title="mean log-likelihood of a row", scale=alt.Scale(zero=False))
    left = plot(heights).mark_line(color=ACCENT, strokeWidth=2).encode(x, up)
    values: list[dict[str, Any]] = [
        {"step": int(at) + 1, "value": float(f"{ascent.coefficients[at, j]:.6g}"), "coefficient": label}
        for j, label in enumerate(labels)
        for at in steps
    ]
    colours = [PALETTE[at % len(PALETTE)] for at in range(len(labels))]
    colour = alt.Color("coefficient:N", sort=labels, scale=alt.Scale(domain=labels, range=colours), title=None)
    right = plot(values).mark_line(strokeWidth=2).encode(x, alt.Y("value:Q", title="coefficient"), colour)
    chart = alt.hconcat(
        finish(left, "Log-likelihood against steps.", width=280, height=240),
        finish(right, "Coefficients against steps.", width=280, height=240),
    )
    ended = "It converged" if ascent.converged else "It was stopped"
    caption = (
        f"{ended} after {count(ascent.steps, 'step')}. Plain gradient ascent: large steps first, then ever smaller."
    )
    shown = [int(at) for at in np.unique(np.geomspace(1, ascent.steps + 1, 8).round().astype(int) - 1)]
    rows = tuple(
        (count(at), f"{ascent.log_likelihood[at]:.4g}", *(f"{value:.4g}" for value in ascent.coefficients[at]))
        for at in shown
    )
    numbers = Numbers(("step", "mean log-likelihood", *labels), rows)
    return Figure("ascent_history", "Gradient ascent, step by step", caption, chart, numbers)


def _two_lines(places: Any, training: Any, held_out: Any, intervals: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for at, inside, outside, interval in zip(places, training, held_out, intervals, strict=True):
        span = {"low": interval.low, "high": interval.high}
        found.append({"at": at, "error": float(outside), "rows": _HELD_OUT} | span)
        found.append({"at": at, "error": float(inside), "rows": _TRAINING, "low": None, "high": None})
    return found


def _lines(figures: list[dict[str, Any]], x: alt.X, label: str) -> alt.LayerChart:
    colours = alt.Scale(domain=[_HELD_OUT, _TRAINING], range=[ACCENT, QUIET])
    colour = alt.Color("rows:N", title=None, scale=colours, legend=alt.Legend(orient="top"))
    y = alt.Y("error:Q", title=label, scale=alt.Scale(zero=False))
    tips = ["at", "rows:N", number("error:Q", label)]
    band = plot([one for one in figures if one["rows"] == _HELD_OUT]).mark_area(color=ACCENT, opacity=0.14)
    lines = plot(figures).mark_line(point=True, strokeWidth=2).encode(x, y, colour)
    tips = [alt.Tooltip("rows:N", title="measured on"), number("error:Q", label)]
    return alt.LayerChart(layer=[band.encode(x, alt.Y("low:Q", title=label), y2="high:Q"), lines.encode(tooltip=tips)])


def _with_best(chart: alt.LayerChart, at: str, error: float, x: alt.X) -> Chart:
    ring = plot([{"at": at, "error": error}]).mark_point(size=150, color=SECOND, strokeWidth=2, filled=False)
    return alt.LayerChart(layer=[*chart.layer, ring.encode(x, y="error:Q")])


def _table(head: str, places: list[str], training: Any, held_out: Any) -> Numbers:
    rows = tuple((str(a), _figure(h), _figure(t)) for a, t, h in zip(places, training, held_out, strict=True))
    return Numbers((head, _HELD_OUT, _TRAINING), rows)


def _figure(value: Any) -> str:
    return f"{float(value):.4g}"
