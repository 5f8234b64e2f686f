"""AdaBoost looked at: every round's weights, ε, α and member; and α and the multipliers as functions of ε."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.ensembles.adaboost.rounds import Round, alpha_of, limit_of, multipliers
from venire.errors import UsageError
from venire.pictures.plane import Plane, plane, texts
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import ACCENT, QUIET, SECOND, Chart, finish, number, plot
from venire.wording import count, share

_SIDE = 210
_MOST_ALPHA = 3.0  # how far α is drawn: it has no end at ε = 0


def boosting_rounds(
    boosting: Any,
    X: Any,
    y: ArrayLike,
    *,
    columns: Sequence[str | int] | None = None,
    rounds: int = 5,
    steps: int = 60,
    names: Sequence[str] | None = None,
) -> Figure:
    """AdaBoost round by round: the rows as large as they weigh, the member's regions, ε and α; and all rounds together.

    Parameters
    ----------
    boosting
        A fitted `AdaBoostClassifier`.
    X
        The rows it was fitted on; one column is drawn as a line, of more than two the two of `columns`.
    y
        Their classes.
    columns
        One or two columns by name or number; by default the first two.
    rounds
        How many rounds are drawn, from the first on.
    steps
        How fine the grid is.
    names
        What the columns are called; by default as the table calls them.

    Returns
    -------
    Figure
        The picture: a panel a round, and one for the sum.

    Examples
    --------
    >>> from venire import AdaBoostClassifier
    >>> X, y = np.arange(10.0)[:, None], [1, 1, 1, 0, 0, 0, 0, 1, 1, 1]
    >>> boosting_rounds(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y, rounds=1).numbers.rows[0]
    ('1', '0.300', '0.424', '30.0 %')
    """
    if rounds < 1:
        raise UsageError(f"at least one round is drawn, not {rounds}", code="bad_rounds")
    place = plane(boosting, X, y, columns, names)
    history: list[Round] = list(boosting.rounds_)[:rounds]
    panels, rows = [], []
    staged = list(boosting.staged_predict(place.rows))
    for number_, step in enumerate(history, start=1):
        member = None if step.member is None else boosting.estimators_[step.member]
        said = None if member is None else np.asarray(member.predict(place.rows))
        together = "" if step.member is None else share(float((texts(staged[step.member]) != place.actual).mean()))
        rows.append((str(number_), f"{step.error:.3f}", f"{step.alpha:.3f}", together))
        title = f"round {number_}: ε = {step.error:.3f}, α = {step.alpha:.3f}"
        panels.append(_round(place, member, said, step.weights, title, steps))
    everyone = np.asarray(boosting.predict(place.rows))
    even = np.full(len(place.at), 1.0 / len(place.at))
    last = f"all {len(boosting.estimators_)} together"
    panels.append(_round(place, boosting, everyone, even, last, steps))
    high = 60 if place.flat else _SIDE
    chart = alt.concat(
        *(finish(panel, "Rows and regions of one round.", width=_SIDE, height=high) for panel in panels),
        columns=1 if place.flat else 3,
    )
    caption = (
        f"{count(len(history), 'round')} of {len(boosting.rounds_)}. A row is as large as it weighs when the round "
        f"begins; a dark cross marks what the round's member gets wrong, which weighs more in the next."
    )
    numbers = Numbers(("round", "ε", "α", "error of all so far"), tuple(rows))
    return Figure("boosting_rounds", "Boosting, round by round", caption, chart, numbers)


def boosting_alpha(classes: int = 2, algorithm: str = "SAMME") -> Figure:
    """What a round counts for (α), and what it multiplies weights by, as functions of its weighted error ε.

    Parameters
    ----------
    classes
        How many classes there are.
    algorithm
        `"SAMME"` or `"M1"`; with two classes they are the same.

    Returns
    -------
    Figure
        The picture: α on the left, the multipliers of right and wrong rows (weights sum to one again) on the right.

    Examples
    --------
    >>> boosting_alpha().numbers.rows[1]
    ('0.14', '0.908', '0.581', '3.571')
    """
    if classes < 2 or algorithm not in ("SAMME", "M1"):
        raise UsageError(f"there is no {algorithm!r} of {classes} classes", hint='"SAMME" or "M1", two classes or more')
    error = np.round(np.linspace(0.01, 0.99, 99), 2)
    alpha = alpha_of(error, classes, algorithm)
    right, wrong = multipliers(error, classes, algorithm)
    limit = limit_of(classes, algorithm)
    left = _line(error, {"α": alpha}, "α: what the round counts for", limit, domain=[-_MOST_ALPHA, _MOST_ALPHA])
    scaled = {"rows it gets right": right, "rows it gets wrong": wrong}
    chart = alt.hconcat(left, _line(error, scaled, "weight is multiplied by", limit, domain=[0, 6])).resolve_scale(
        color="independent"
    )
    shown = np.array([0.05, 0.14, 0.3, 1 / 3, 0.5])
    figures = zip(shown, alpha_of(shown, classes, algorithm), *multipliers(shown, classes, algorithm), strict=True)
    rows = tuple((f"{e:.3g}", f"{a:.3f}", f"{r:.3f}", f"{w:.3f}") for e, a, r, w in figures)
    caption = (
        f"{count(classes, 'class', 'classes')}, {algorithm}. At the dashed line, ε = {limit:.3g}, a round says nothing "
        f"and counts for nothing; beyond it, it would count against itself."
    )
    head = ("ε", "α", "right rows ×", "wrong rows ×")
    return Figure("boosting_alpha", "What an error makes of a round", caption, chart, Numbers(head, rows))


def _round(
    place: Plane, model: Any, said: NDArray[Any] | None, weights: NDArray[np.float64], title: str, steps: int
) -> Chart:
    wrong = np.zeros(len(place.at), dtype=int) if said is None else (texts(said) != place.actual).astype(int)
    # An area in proportion to the weight; 1/n is drawn as it would be without boosting.
    size = 30.0 * weights * len(weights)
    data = place.points(said, weight=np.round(weights, 6), size=np.round(size, 2), wrong=wrong)
    tips = [alt.Tooltip("class:N"), number("weight:Q")]
    area = alt.Size("size:Q", scale=None, legend=None)
    layers: list[alt.Chart] = [] if model is None else [place.regions(model.predict, steps)]
    layers.append(place.encoded(data.mark_circle(opacity=0.8), size=area, tooltip=tips))
    crossed = data.transform_filter("datum.wrong > 0").mark_point(shape="cross", color="#10151d", filled=True, size=24)
    layers.append(crossed.encode(x="x:Q", y="y:Q"))
    chart = alt.LayerChart(layer=layers)
    return chart.properties(title=alt.TitleParams(title, fontSize=12, fontWeight="normal"))


def _line(
    error: NDArray[np.float64], named: dict[str, NDArray[np.float64]], title: str, limit: float, domain: list[float]
) -> Chart:
    values = [
        {"error": float(e), "value": float(f"{v:.6g}"), "what": name}
        for name, line in named.items()
        for e, v in zip(error, line, strict=True)
        if domain[0] <= v <= domain[1]
    ]
    colours = alt.Scale(domain=list(named), range=[ACCENT, SECOND][: len(named)])
    legend = alt.Legend(orient="top") if len(named) > 1 else None
    x = alt.X("error:Q", title="ε: weighted error of the round", scale=alt.Scale(domain=[0, 1]))
    lines = (
        plot(values)
        .mark_line(strokeWidth=2)
        .encode(
            x,
            alt.Y("value:Q", title=title, scale=alt.Scale(domain=domain)),
            alt.Color("what:N", title=None, scale=colours, legend=legend),
            tooltip=[number("error:Q", "ε"), number("value:Q", title)],
        )
    )
    rule = plot([{"error": limit}]).mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x)
    return finish(alt.LayerChart(layer=[rule, lines]), title, width=300, height=240)
