"""Random forests against q, the columns a split may look at, and T, the number of trees."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from venire.ensembles.forest.estimators import RandomForestClassifier, RandomForestRegressor
from venire.errors import UsageError
from venire.explain.exchange import as_rows
from venire.inference.diversity import member_correlation, member_outputs
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import ACCENT, PALETTE, QUIET, SECOND, Chart, finish, number, plot
from venire.wording import count

_MOST_Q = 10  # values of q where nobody names them


def forest_curves(
    X: Any,
    y: ArrayLike,
    new_X: Any,
    new_y: ArrayLike,
    *,
    q: Sequence[int] | None = None,
    trees: int = 100,
    categorical: ArrayLike | None = None,
    seed: int = 0,
) -> Figure:
    """The error of a forest and of its single trees, and the correlation ρ of two trees, against q and T.

    Parameters
    ----------
    X, y
        The training rows: numbers for `y` make a regression, anything else a classification.
    new_X, new_y
        Rows the forests have not seen, on which they are measured.
    q
        How many columns a split may look at; by default 1 to all of them, at most ten values.
    trees
        The largest T; every smaller one is read off the same forest.
    categorical
        Which columns hold codes of categories, as `categorical_features` of a forest; by default none.
    seed
        Of the forests.

    Returns
    -------
    Figure
        The picture: errors against q, ρ against q, the error against T for the smallest, the default and the largest q.

    Examples
    --------
    >>> from venire.data.generators import chi_square
    >>> rng = np.random.default_rng(0)
    >>> figure = forest_curves(*chi_square(200, rng), *chi_square(400, rng), q=[1, 10], trees=20)
    >>> [row[0] for row in figure.numbers.rows]
    ['1', '10']
    """
    target, new = np.asarray(y), np.asarray(new_y)
    columns = as_rows(X).shape[1]
    tried = _tried(columns, q)
    regression = target.dtype.kind == "f"
    kind: Any = RandomForestRegressor if regression else RandomForestClassifier
    rows, by_trees = [], {}
    for each in tried:
        forest = kind(n_estimators=trees, max_features=each, categorical_features=categorical, random_state=seed)
        forest.fit(X, target)
        found = member_correlation(forest, new_X, new)
        outputs, classes = member_outputs(forest, new_X)
        path = forest.predict_path(new_X)
        errors = _errors(path, new, regression)
        single = outputs[:, :, 0] if classes is None else classes[outputs.argmax(axis=2)]
        rows.append((each, float(errors[-1]), float(np.mean(_errors(single, new, regression))), found.rho))
        by_trees[each] = errors
    usual = int(log2(columns)) + 1
    drawn = list(dict.fromkeys([tried[0], min(tried, key=lambda one: abs(one - usual)), tried[-1]]))
    label = "root mean squared error" if regression else "error rate"
    chart = alt.hconcat(
        _against_q(rows, label, usual), _rho(rows, usual), _against_trees({one: by_trees[one] for one in drawn}, label)
    ).resolve_scale(color="independent")
    caption = (
        f"Forests of {count(trees, 'tree')} on {count(len(target), 'row')}, measured on {count(len(new), 'new row')}. "
        f"q = 1 is totally random, q = {columns} is bagging; the dashed line is the default, ⌊log₂ m⌋ + 1 = {usual}. "
        f"Few columns make weak trees that differ; many make good trees that all say the same."
    )
    numbers = Numbers(
        ("q", f"{label} of the forest", "of a tree", "ρ"),
        tuple((str(a), f"{b:.3f}", f"{c:.3f}", f"{d:.3f}") for a, b, c, d in rows),
    )
    return Figure("forest_curves", "A forest against q and T", caption, chart, numbers)


def _tried(columns: int, q: Sequence[int] | None) -> list[int]:
    wanted = np.unique(np.linspace(1, columns, min(columns, _MOST_Q)).round().astype(int)) if q is None else q
    found = [int(one) for one in wanted]
    if not found or min(found) < 1 or max(found) > columns:
        raise UsageError(f"q counts columns, 1 to {columns}, and {found} was given")
    return found


def _errors(said: Any, actual: Any, regression: bool) -> Any:
    """The error after each number of trees, or of each tree: [tree]."""
    if regression:
        return np.sqrt(np.mean(np.square(np.asarray(said, dtype=np.float64) - actual), axis=1))
    return np.mean(np.asarray(said) != actual, axis=1)


def _against_q(rows: list[tuple[int, float, float, float]], label: str, usual: int) -> Chart:
    names = ("the forest", "a single tree")
    values = [
        {"q": row[0], "error": float(f"{row[at]:.6g}"), "what": name}
        for row in rows
        for at, name in enumerate(names, 1)
    ]
    colour = alt.Color(
        "what:N",
        title=None,
        scale=alt.Scale(domain=list(names), range=[ACCENT, QUIET]),
        legend=alt.Legend(orient="top"),
    )
    x = alt.X("q:Q", title="q", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False))
    lines = plot(values).mark_line(point=True).encode(x, alt.Y("error:Q", title=label), colour)
    return _marked(lines.encode(tooltip=["what:N", "q:Q", number("error:Q", label)]), x, usual, "Errors against q.")


def _rho(rows: list[tuple[int, float, float, float]], usual: int) -> Chart:
    values = [{"q": row[0], "rho": float(f"{row[3]:.6g}")} for row in rows]
    x = alt.X("q:Q", title="q", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False))
    lines = plot(values).mark_line(point=True, color=SECOND).encode(x, alt.Y("rho:Q", title="ρ of two trees"))
    return _marked(lines.encode(tooltip=["q:Q", number("rho:Q", "ρ")]), x, usual, "Correlation against q.")


def _marked(lines: alt.Chart, x: alt.X, usual: int, words: str) -> Chart:
    rule = plot([{"q": usual}]).mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x)
    return finish(alt.LayerChart(layer=[rule, lines]), words, width=230, height=220)


def _against_trees(errors: dict[int, Any], label: str) -> Chart:
    names = [f"q = {one}" for one in errors]
    values = [
        {"trees": at + 1, "error": float(f"{error:.6g}"), "what": name}
        for name, line in zip(names, errors.values(), strict=True)
        for at, error in enumerate(line)
    ]
    colour = alt.Color(
        "what:N",
        title=None,
        sort=names,
        scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)])),
        legend=alt.Legend(orient="top"),
    )
    x = alt.X("trees:Q", title="T, trees", scale=alt.Scale(zero=False))
    lines = plot(values).mark_line().encode(x, alt.Y("error:Q", title=label, scale=alt.Scale(zero=False)), colour)
    return finish(lines, "Error against the number of trees.", width=230, height=220)
