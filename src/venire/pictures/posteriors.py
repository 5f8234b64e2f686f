"""What is believed, as curves: the posterior of an accuracy, of a difference, and the probabilities of every pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray
from scipy import stats

from venire.errors import UsageError
from venire.inference.comparisons import Comparison
from venire.inference.intervals import accuracy_interval
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import ACCENT, QUIET, SECOND, STEP, finish, number, plot, short
from venire.report.sentences.numbers import probability
from venire.wording import count, percent, share

_POINTS = 241
_PARTS = ("better", "the same in practice", "worse")
_COLOURS = (ACCENT, QUIET, SECOND)


def accuracy_posterior(correct: int, rows: int, *, level: float = 0.95, guessing: float | None = None) -> Figure:
    """What one test set says of an accuracy: the posterior Beta(m + ½, N − m + ½), with its central interval.

    Parameters
    ----------
    correct
        Rows predicted rightly.
    rows
        Rows of the test set.
    level
        Of the interval.
    guessing
        The accuracy of guessing, to be drawn beside it; the probability of being better is then given.

    Returns
    -------
    Figure
        The picture.

    Examples
    --------
    >>> accuracy_posterior(67, 100, guessing=0.5).numbers.rows
    (('95 % interval', '57.4 % to 75.6 %'), ('better than guessing', '>99.9 %'))
    """
    interval = accuracy_interval(correct, rows, level)
    belief = stats.beta(correct + 0.5, rows - correct + 0.5)
    low, high = belief.ppf([1e-4, 1 - 1e-4])
    if guessing is not None:
        low, high = min(low, guessing - 0.02), max(high, guessing + 0.02)
    at = np.linspace(max(low, 0.0), min(high, 1.0), _POINTS + 2)[1:-1]  # the density may be infinite at the ends
    words = [(f"{percent(level)} interval", f"{share(interval.low)} to {share(interval.high)}")]
    chart = _density(at, belief.pdf(at), [(interval.low, interval.high, ACCENT)], "accuracy", percent=True)
    if guessing is not None:
        words.append(("better than guessing", share(float(belief.sf(guessing)))))
        rule = plot([{"at": guessing}]).mark_rule(color=SECOND, strokeDash=[4, 3], strokeWidth=2).encode(x="at:Q")
        chart = alt.LayerChart(layer=[*chart.layer, rule])
    caption = f"{count(correct)} of {count(rows, 'test row')} right. Shaded: the {percent(level)} interval."
    caption += "" if guessing is None else f" Dashed: guessing, {share(guessing)}."
    figure = finish(chart, "Posterior of an accuracy.", height=220)
    return Figure(
        "accuracy_posterior", "How good is it? The posterior of the accuracy", caption, figure,
        Numbers(("", ""), tuple(words)),
    )  # fmt: skip


def difference_posterior(
    compared: Comparison, *, first: str = "the first", second: str = "the second", label: str = "difference in error"
) -> Figure:
    """What the folds say of the difference between two models, with the region of no practical difference.

    Parameters
    ----------
    compared
        What `venire.inference.compare_learners` (or another comparison) found.
    first, second
        What the two are called; below zero the first is better.
    label
        What the difference is of.

    Returns
    -------
    Figure
        The picture: the parts of the curve are the probabilities of better, the same in practice, and worse.

    Examples
    --------
    >>> from venire.inference import Student
    >>> both = Comparison(Student(mean=-0.04, scale=0.01, df=9), rope=0.01)
    >>> difference_posterior(both, first="forest", second="tree").numbers.rows[0]
    ('forest is better', '>0.99')
    """
    belief, rope = compared.posterior, compared.rope
    if not belief.scale > 0:
        raise UsageError("there is no curve to draw: the folds say one point, or nothing", code="no_picture")
    ends = belief.interval(0.9995)
    at = np.linspace(min(ends.low, -1.2 * rope), max(ends.high, 1.2 * rope), _POINTS)
    step = 1e-4 * (at[-1] - at[0])
    density = np.array([(belief.cdf(x + step) - belief.cdf(x - step)) / (2 * step) for x in at.tolist()])
    parts = [(-np.inf, -rope, _COLOURS[0]), (-rope, rope, _COLOURS[1]), (rope, np.inf, _COLOURS[2])]
    chart = _density(at, density, parts, f"{label}: {short(first)} − {short(second)}")
    middle = compared.interval()
    span = plot([{"at": middle.low, "to": middle.high}]).mark_rule(strokeWidth=3, color=ACCENT)
    zero = plot([{"at": 0.0}]).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x="at:Q")
    layers = [*chart.layer, zero, span.encode(x="at:Q", x2="to:Q", y=alt.value(298))]
    chances = (compared.p_better, compared.p_equal, compared.p_worse)
    said = tuple(
        (words, probability(chance))
        for words, chance in zip(
            (f"{first} is better", "the same in practice", f"{second} is better"), chances, strict=True
        )
    )
    caption = (
        f"{', '.join(f'{words}: {chance}' for words, chance in said)}. The line below is the 95 % interval, "
        f"{middle.low:.3g} to {middle.high:.3g}. "
    )
    caption += (
        f"Grey: differences of at most {rope:.3g}, which do not matter in practice."
        if rope
        else "No region of practical equivalence was given."
    )
    return Figure(
        "difference_posterior",
        f"Is the difference real? {first} and {second}",
        caption,
        finish(alt.LayerChart(layer=layers), "Posterior of a difference."),
        Numbers(("", "probability"), said),
    )


def pairwise(names: Sequence[str], better: Sequence[Sequence[float | None]] | NDArray[Any]) -> Figure:
    """Every pair of models: the probability that the one of the row is better than the one of the column.

    Parameters
    ----------
    names
        The models.
    better
        The probabilities, `[row][column]`; the diagonal does not count.

    Returns
    -------
    Figure
        The picture.

    Examples
    --------
    >>> pairwise(["forest", "tree"], [[None, 0.97], [0.01, None]]).numbers.rows
    (('forest', '', '0.97'), ('tree', '0.01', ''))
    """
    table = [[None if i == j else better[i][j] for j in range(len(names))] for i in range(len(names))]
    labels = _different([short(name) for name in names])
    values = [
        {"row": labels[i], "column": labels[j], "p": value, "said": probability(value)}
        for i, row in enumerate(table)
        for j, value in enumerate(row)
        if value is not None and np.isfinite(value)
    ]
    x = alt.X("column:N", sort=labels, title="than", axis=alt.Axis(labelAngle=-40, labelLimit=120, orient="top"))
    y = alt.Y("row:N", sort=labels, title="better", axis=alt.Axis(labelLimit=140))
    base = plot(values).encode(x, y, tooltip=["row:N", "column:N", number("p:Q", "probability")])
    cells = base.mark_rect().encode(
        color=alt.Color("p:Q", scale=alt.Scale(domain=[0, 1], range=["#eef3fa", ACCENT]), legend=None)
    )
    words = base.mark_text(fontSize=10.5, color="#10151d").encode(text="said:N")
    side = min(max(34 * len(labels), 4 * STEP), 620)
    chart = finish(alt.LayerChart(layer=[cells, words]), "Probabilities of pairs.", width=side, height=int(side * 0.75))
    rows = tuple(
        (name, *("" if p is None else probability(p) for p in row)) for name, row in zip(labels, table, strict=True)
    )
    caption = (
        "The probability that the model of the row is better than that of the column, beyond what matters in practice."
    )
    return Figure("pairwise", "Every pair", caption, chart, Numbers(("better ↓ than →", *labels), rows))


def _density(
    at: NDArray[np.float64],
    density: NDArray[np.float64],
    shaded: Sequence[tuple[float, float, str]],
    title: str,
    *,
    percent: bool = False,
) -> alt.LayerChart:
    """A curve over its axis, with areas below it."""
    x = alt.X("at:Q", title=title, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(tickCount=7))
    if percent:
        x = alt.X("at:Q", title=title, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(tickCount=7, format="%"))
    y = alt.Y("density:Q", title=None, axis=None)
    layers = []
    for low, high, colour in shaded:
        inside = _between(at, density, low, high)
        if len(inside) > 1:
            layers.append(plot(inside).mark_area(color=colour, opacity=0.35).encode(x, y))
    layers.append(plot(_between(at, density, -np.inf, np.inf)).mark_line(color=ACCENT, strokeWidth=2).encode(x, y))
    return alt.LayerChart(layer=layers)


def _between(at: NDArray[np.float64], density: NDArray[np.float64], low: float, high: float) -> list[dict[str, Any]]:
    """The points of a curve inside of two ends, with the ends themselves."""
    ends = [end for end in (low, high) if at[0] < end < at[-1]]
    inside = np.union1d(at[(at >= low) & (at <= high)], ends)
    heights = np.interp(inside, at, density)
    return [{"at": float(f"{x:.6g}"), "density": float(f"{h:.6g}")} for x, h in zip(inside, heights, strict=True)]


def _different(names: Sequence[str]) -> list[str]:
    """Names that an axis can tell apart."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found
