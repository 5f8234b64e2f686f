"""Where classifiers draw the line: one classifier, or the members of an ensemble and what they come to together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError
from venire.inference.diversity import member_labels
from venire.pictures.plane import STEPS, Plane, plane, texts
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import Chart, finish
from venire.wording import count, share

_SIDE = 210  # of a small panel
_IN, _OUT = "in bag", "out of bag"


def decision_boundary(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    columns: Sequence[str | int] | None = None,
    in_bag: ArrayLike | None = None,
    steps: int = STEPS,
) -> Figure:
    """The regions that a fitted classifier parts the plane of two columns into, with rows on top.

    All other columns are held at their usual value: the median, or the most frequent category.

    Parameters
    ----------
    model
        A fitted classifier: anything with `predict`.
    X
        The rows that are drawn, as the classifier takes them: an array or a frame.
    y
        Their classes.
    columns
        Two columns by name or number (or one, for a line); by default the first two.
    in_bag
        Which of the rows the model was trained on; the others are drawn as rings, and both errors are given.
    steps
        How fine the grid is.

    Returns
    -------
    Figure
        The picture.

    Examples
    --------
    >>> from venire import DecisionTreeClassifier
    >>> from venire.data.generators import banana
    >>> X, y = banana(100, np.random.default_rng(0))
    >>> decision_boundary(DecisionTreeClassifier(max_depth=3).fit(X, y), X, y)
    <Figure decision_boundary: Where DecisionTreeClassifier draws the line>
    """
    place = plane(model, X, y, columns)
    seen = None if in_bag is None else _mask(in_bag, len(place.at))
    said = np.asarray(model.predict(place.rows))
    name = str(getattr(model, "family", type(model).__name__))
    numbers = _errors({name: (texts(said), seen)}, place)
    chart = finish(_panel(place, place.regions(model.predict, steps), said, seen), "A decision boundary.", width=380)
    return Figure("decision_boundary", f"Where {name} draws the line", f"{_rows_words(place, seen)}", chart, numbers)


def member_boundaries(
    ensemble: Any,
    X: Any,
    y: ArrayLike,
    *,
    columns: Sequence[str | int] | None = None,
    members: int = 5,
    steps: int = 60,
    names: Sequence[str] | None = None,
) -> Figure:
    """What single members of a bagging or a forest say of the plane of two columns, and what all of them say together.

    Rows that a member was fitted on are filled, those it has not seen are rings.

    Parameters
    ----------
    ensemble
        A fitted bagging or forest, of this package or of scikit-learn.
    X
        The rows it was fitted on.
    y
        Their classes.
    columns
        Two columns by name or number; by default the first two.
    members
        How many members are drawn, from the first on.
    steps
        How fine the grid is.
    names
        What the columns are called; by default as the table calls them.

    Returns
    -------
    Figure
        The picture: a panel for each of these members, and one for the whole ensemble.

    Examples
    --------
    >>> from venire import BaggingClassifier
    >>> from venire.data.generators import banana
    >>> X, y = banana(60, np.random.default_rng(0))
    >>> member_boundaries(BaggingClassifier(n_estimators=4, random_state=0).fit(X, y), X, y, members=2).numbers.rows[2]
    ('all 4 together', '0 %', '')
    """
    place = plane(ensemble, X, y, columns, names)
    grid_labels = member_labels(ensemble, place.grid(steps)[2])
    row_labels = member_labels(ensemble, place.rows)
    drawn = min(members, len(row_labels))
    if drawn < 1:
        raise UsageError(f"at least one member is drawn, not {members}", code="bad_members")
    bags = _bags(ensemble, place, y)
    parts = {f"member {t + 1}": (texts(row_labels[t]), bags[t]) for t in range(drawn)}
    together = f"all {len(row_labels)} together"
    voted = np.asarray(ensemble.predict(place.rows))

    def of_member(t: int) -> Any:
        return _panel(place, place.regions(lambda _: grid_labels[t], steps), row_labels[t], bags[t], f"member {t + 1}")

    panels = [of_member(t) for t in range(drawn)]
    panels.append(_panel(place, place.regions(ensemble.predict, steps), voted, None, together))
    chart = alt.concat(*(finish(p, "Regions of classes.", width=_SIDE, height=_SIDE) for p in panels), columns=3)
    numbers = _errors({**parts, together: (texts(voted), None)}, place)
    caption = (
        f"{count(drawn, 'member')} of {len(row_labels)}, each with the rows it was fitted on (filled) and those it "
        f"left out (rings), and the ensemble."
    )
    return Figure("member_boundaries", "Members of an ensemble, and their average", caption, chart, numbers)


def _panel(
    place: Plane, regions: alt.Chart, said: NDArray[Any], seen: NDArray[np.bool_] | None, title: str | None = None
) -> Chart:
    """A plane with its rows; those that are wrong have a dark rim."""
    wrong = texts(said) != place.actual
    layers: list[alt.Chart] = [regions]
    tips = [alt.Tooltip("class:N", title="actual"), alt.Tooltip("said:N", title="predicted")]
    data = place.points(
        said, wrong=wrong.astype(int), bag=[_IN] * len(wrong) if seen is None else np.where(seen, _IN, _OUT)
    )
    # The names of the bags are ours, so they may stand in an expression.
    inside = data.transform_filter(f"datum.bag === '{_IN}'").mark_circle(size=20, opacity=0.85)
    layers.append(place.encoded(inside, tooltip=tips))
    if seen is not None:
        outside = data.transform_filter(f"datum.bag === '{_OUT}'")
        layers.append(place.encoded(outside.mark_point(size=24, opacity=0.9, filled=False), tooltip=tips))
    mistakes = data.transform_filter("datum.wrong > 0").mark_point(shape="cross", size=26, color="#10151d", filled=True)
    layers.append(mistakes.encode(x="x:Q", y="y:Q"))
    chart = alt.LayerChart(layer=layers)
    return chart if title is None else chart.properties(title=alt.TitleParams(title, fontSize=12, fontWeight="normal"))


def _bags(ensemble: Any, place: Plane, y: ArrayLike) -> NDArray[np.bool_]:
    """Which rows every member was fitted on: [member, row]."""
    if hasattr(ensemble, "rows_in_bag"):
        return np.asarray(ensemble.rows_in_bag(place.rows, y))
    drawn = getattr(ensemble, "estimators_samples_", None)
    if drawn is None:
        raise UsageError(
            f"{type(ensemble).__name__} does not say which rows its members were fitted on",
            hint="give a bagging or a forest",
        )
    found = np.zeros((len(drawn), len(place.at)), dtype=bool)
    for member, rows in enumerate(drawn):
        found[member, rows] = True
    return found


def _errors(said: dict[str, tuple[NDArray[Any], NDArray[np.bool_] | None]], place: Plane) -> Numbers:
    rows = []
    for name, (labels, seen) in said.items():
        wrong = labels != place.actual
        inside = wrong if seen is None else wrong[seen]
        outside = wrong[:0] if seen is None else wrong[~seen]
        rows.append((name, _share(inside), _share(outside)))
    bags = any(seen is not None for _, seen in said.values())
    return Numbers(("", "error in bag" if bags else "error", "error out of bag"), tuple(rows))


def _share(wrong: NDArray[np.bool_]) -> str:
    return share(float(wrong.mean())) if len(wrong) else ""


def _rows_words(place: Plane, seen: NDArray[np.bool_] | None) -> str:
    words = f"{count(len(place.at), 'row')}; a dark cross marks those that are wrong."
    if seen is not None:
        words += f" Rings: the {count(int((~seen).sum()), 'row')} it was not trained on."
    others = place.rows.shape[1] - len(place.columns)
    return words + (f" The {count(others, 'other column')} at their usual value." if others else "")


def _mask(in_bag: ArrayLike, rows: int) -> NDArray[np.bool_]:
    given = np.asarray(in_bag)
    if given.dtype.kind in "iu" and not (given.shape == (rows,) and set(np.unique(given)) <= {0, 1}):
        found = np.zeros(rows, dtype=bool)
        found[given] = True
        return found
    if given.shape != (rows,):
        raise UsageError(f"in_bag has shape {given.shape}, and there are {rows} rows")
    return given.astype(bool)
