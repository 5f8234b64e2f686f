"""One against one, looked at: who voted for whom on some rows, and who won."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from venire.data.table import label_text
from venire.errors import UsageError
from venire.explain.exchange import as_rows, take
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import ACCENT, finish, number, plot, short
from venire.wording import count

_MOST_ROWS = 12


def one_vs_one_votes(model: Any, X: Any, *, rows: int = 6) -> Figure:
    """The votes for every class on some rows: as counted (bars), and as strongly as they were cast (dots).

    Parameters
    ----------
    model
        A fitted `OneVsOneClassifier` or `OneVsRestClassifier`: anything with `votes`.
    X
        Rows to be voted on; the first ones are drawn.
    rows
        How many, at most 12.

    Returns
    -------
    Figure
        The picture: a panel a row, the winner in colour.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from venire import DecisionTreeClassifier, OneVsOneClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsOneClassifier(DecisionTreeClassifier(max_depth=2)).fit(X, y)
    >>> one_vs_one_votes(model, X[[0, 70]]).numbers.rows
    (('1', '2', '1', '0', '0'), ('2', '0', '1', '2', '2'))
    """
    if not 1 <= rows <= _MOST_ROWS:
        raise UsageError(f"1 to {_MOST_ROWS} rows are drawn, not {rows}", code="bad_rows")
    table = as_rows(X)
    asked = take(table, np.arange(min(rows, len(table))))
    votes, winners = model.votes(asked), np.asarray(model.predict(asked)).tolist()
    classes = [short(label_text(label)) for label in np.asarray(model.classes_).tolist()]
    won = [classes[np.asarray(model.classes_).tolist().index(label)] for label in winners]
    values = [
        {"row": f"row {i + 1}", "class": label, "votes": float(votes.crisp[i, j])}
        | {"weighted": float(f"{votes.weighted[i, j]:.5g}"), "won": "wins" if label == won[i] else "loses"}
        for i in range(len(asked))
        for j, label in enumerate(classes)
    ]
    y = alt.Y("class:N", sort=classes, title=None)
    x = alt.X("votes:Q", title="votes", axis=alt.Axis(tickMinStep=1, format="d", tickCount=min(len(classes) - 1, 6)))
    tips = ["class:N", "votes:Q", number("weighted:Q", "weighted votes")]
    colour = alt.Color("won:N", title=None, scale=alt.Scale(domain=["wins", "loses"], range=[ACCENT, "#c3c8cf"]))
    panels = []
    for i in range(len(asked)):
        data = plot(values[i * len(classes) : (i + 1) * len(classes)])
        bars = data.mark_bar(height={"band": 0.65}).encode(x, y, colour, tooltip=tips)
        dots = data.mark_point(filled=True, color="#10151d", size=40, shape="diamond", opacity=1).encode(
            x=alt.X("weighted:Q", title="votes"), y=y
        )
        title = alt.TitleParams(f"row {i + 1}: {won[i]}", fontSize=12, fontWeight="normal")
        panel = alt.LayerChart(layer=[bars, dots]).properties(title=title)
        panels.append(finish(panel, "Votes on one row.", width=190, height=max(24 * len(classes), 60)))
    numbers = Numbers(
        ("row", *classes, "wins"),
        tuple((str(i + 1), *(f"{v:.0f}" for v in votes.crisp[i]), won[i]) for i in range(len(asked))),
    )
    crisp = getattr(model, "voting", "crisp") == "crisp"
    most = "counted votes; a tie goes to the stronger ones" if crisp else "weighted votes"
    caption = (
        f"{count(len(model.estimators_), 'model')}. Bars count votes, diamonds add up how strongly they were cast. "
        f"The winner has the most {most}."
    )
    return Figure(
        "one_vs_one_votes", "Votes, class by class", caption, alt.concat(*panels, columns=3).resolve_scale(x="shared"),
        numbers,
    )  # fmt: skip
