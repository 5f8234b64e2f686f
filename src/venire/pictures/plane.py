"""Two columns of a table as a plane: the grid a classifier is asked about, the regions it makes, the rows on top."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.data.table import label_text
from venire.errors import DataError, UsageError
from venire.explain.exchange import as_rows, column_names, column_number, column_values, mixed
from venire.report.charts.style import PALETTE, plot, short

STEPS = 80  # of the grid, to a side
MARGIN = 0.05  # of the span of the rows, around them
Labels = NDArray[Any]
Says = Callable[[Any], Labels]


@dataclass(frozen=True, eq=False, slots=True)
class Plane:
    """The rows of a table in the plane of two of its columns, or on the line of a single one."""

    rows: Any  # the table, to be asked about
    columns: tuple[int, ...]  # one or two
    names: tuple[str, ...]
    at: NDArray[np.float64]  # [row, 2]; of a single column the second is 0
    labels: tuple[str, ...]  # the classes
    actual: NDArray[Any]  # the class of every row, as text

    @property
    def flat(self) -> bool:
        """Whether there is one column only."""
        return len(self.columns) == 1

    def grid(self, steps: int) -> tuple[NDArray[np.float64], NDArray[np.float64], Any]:
        """The edges of the cells across and up, and a row in the middle of each, all other columns at their usual."""
        across = np.linspace(*_span(self.at[:, 0]), steps + 1)
        up = np.array([-0.5, 0.5]) if self.flat else np.linspace(*_span(self.at[:, 1]), steps + 1)
        middles = np.meshgrid((across[1:] + across[:-1]) / 2, (up[1:] + up[:-1]) / 2)
        asked = mixed(self.rows, np.tile(_usual(self.rows), (middles[0].size, 1)))
        for column, values in zip(self.columns, middles, strict=False):
            asked = _with_values(asked, column, values.ravel())
        return across, up, asked

    def regions(self, says: Says, steps: int = STEPS) -> alt.Chart:
        """The plane, coloured by the class that `says` gives each place of a grid."""
        across, up, asked = self.grid(steps)
        said = texts(says(asked)).reshape(len(up) - 1, steps)
        bars = [
            {"x": _few(across[a]), "x2": _few(across[b]), "y": _few(up[c]), "y2": _few(up[d]), "class": label}
            for a, b, c, d, label in rectangles(said)
        ]
        chart = plot(bars).mark_rect(opacity=0.22, strokeWidth=0)
        drawn: alt.Chart = chart.encode(self._x(), self._y(), self.colour(), x2="x2:Q", y2="y2:Q")
        return drawn

    def points(self, said: Labels | None = None, **columns: ArrayLike) -> alt.Chart:
        """The rows as values of a chart, coloured by their class; `columns` are further figures of each row."""
        further: dict[str, list[Any]] = {name: np.asarray(column).tolist() for name, column in columns.items()}
        if said is not None:
            further["said"] = texts(said).tolist()
        values = [
            {"x": _few(x), "y": _few(y), "class": str(label)} | {name: column[i] for name, column in further.items()}
            for i, ((x, y), label) in enumerate(zip(self.at, self.actual, strict=True))
        ]
        return plot(values)

    def encoded(self, marked: alt.Chart, **further: Any) -> alt.Chart:
        """Marks on the axes of the plane, in the colours of the classes."""
        drawn: alt.Chart = marked.encode(self._x(), self._y(), self.colour(), **further)
        return drawn

    def colour(self) -> alt.Color:
        """The colours of the classes."""
        names = [short(label) for label in self.labels]
        colours = [PALETTE[at % len(PALETTE)] for at in range(len(names))]
        return alt.Color("class:N", title="class", scale=alt.Scale(domain=list(self.labels), range=colours))

    def _x(self) -> alt.X:
        scale = alt.Scale(domain=list(_span(self.at[:, 0])), nice=False)
        return alt.X("x:Q", title=short(self.names[0]), scale=scale, axis=alt.Axis(tickCount=5, grid=False))

    def _y(self) -> alt.Y:
        if self.flat:
            return alt.Y("y:Q", title=None, axis=None, scale=alt.Scale(domain=[-0.5, 0.5]))
        scale = alt.Scale(domain=list(_span(self.at[:, 1])), nice=False)
        return alt.Y("y:Q", title=short(self.names[1]), scale=scale, axis=alt.Axis(tickCount=5, grid=False))


def plane(
    model: Any, X: Any, y: Any, columns: Sequence[str | int] | None = None, names: Sequence[str] | None = None
) -> Plane:
    """The plane of two columns (the first two unless others are named), for rows whose classes are `y`."""
    rows = as_rows(X)
    known_as = column_names(model, rows) if names is None else tuple(map(str, names))
    wanted = tuple(columns) if columns is not None else tuple(range(min(2, len(known_as))))
    numbers = tuple(column_number(one, known_as) for one in wanted)
    if len(numbers) not in (1, 2) or len(set(numbers)) != len(numbers):
        raise UsageError(f"a plane has two different columns (or one, for a line), not {list(wanted)!r}")
    actual = np.asarray(y)
    if len(actual) != len(rows):
        raise UsageError(f"X has {len(rows)} rows, and y has {len(actual)}")
    at = np.zeros((len(rows), 2))
    for side, number in enumerate(numbers):
        at[:, side] = _numbers(rows, number, known_as[number])
    known = getattr(model, "classes_", None)
    labels = tuple(dict.fromkeys(texts(np.unique(actual) if known is None else known).tolist()))
    return Plane(rows, numbers, tuple(known_as[j] for j in numbers), at, labels, texts(actual))


def rectangles(said: NDArray[Any]) -> list[tuple[int, int, int, int, str]]:
    """Cells of one class as few rectangles: first and last edge across, first and last edge up, and the class.

    Neighbours in a line are one bar, and equal bars in neighbouring lines one rectangle: few marks, and no seams.

    >>> rectangles(np.array([["a", "a", "b"], ["a", "a", "a"]], dtype=object))
    [(0, 2, 0, 1, 'a'), (2, 3, 0, 1, 'b'), (0, 3, 1, 2, 'a')]
    """
    finished: list[tuple[int, int, int, int, str]] = []
    open_bars: dict[tuple[int, int, str], int] = {}
    for line, row in enumerate([*said, None]):
        bars = () if row is None else _bars(row)
        ended = [bar for bar in open_bars if bar not in bars]
        finished += [(a, b, open_bars.pop((a, b, label)), line, label) for a, b, label in ended]
        for bar in bars:
            open_bars.setdefault(bar, line)
    return finished


def _bars(row: NDArray[Any]) -> list[tuple[int, int, str]]:
    """Runs of one class in a line of the grid."""
    starts = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
    return [(int(a), int(b), str(row[a])) for a, b in zip(starts, np.append(starts[1:], len(row)), strict=True)]


def texts(labels: Any) -> NDArray[Any]:
    """Labels as they are written on a chart."""
    return np.array([label_text(label) for label in np.asarray(labels).tolist()], dtype=object)


def _numbers(rows: Any, column: int, name: str) -> NDArray[np.float64]:
    values = column_values(rows, column)
    if values.dtype.kind not in "iufb":
        raise DataError(f"column {name!r} holds no numbers, and has no place on an axis", column=name)
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).any():
        raise DataError(f"column {name!r} holds no value at all", code="empty_column", column=name)
    return numbers


def _span(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    reach = MARGIN * (high - low) or 0.5
    return low - reach, high + reach


def _usual(rows: Any) -> NDArray[np.intp]:
    """For every column the row that holds its usual value: the median of numbers, else the most frequent one."""
    width = rows.shape[1]
    return np.array([_usual_row(column_values(rows, j)) for j in range(width)], dtype=np.intp)


def _usual_row(values: NDArray[Any]) -> int:
    if values.dtype.kind in "iufb":
        known = np.flatnonzero(np.isfinite(values.astype(np.float64)))
        if not len(known):
            return 0
        return int(known[np.argsort(values[known], kind="stable")[len(known) // 2]])
    words = np.array([str(value) for value in values])
    distinct, first, counts = np.unique(words, return_index=True, return_counts=True)
    del distinct
    return int(first[counts.argmax()])


def _with_values(rows: Any, column: int, values: NDArray[np.float64]) -> Any:
    frame = nw.from_native(rows, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        made = nw.new_series(frame.columns[column], values.tolist(), backend=frame.implementation)
        return frame.with_columns(made).to_native()
    changed = rows.astype(np.float64) if rows.dtype.kind in "iub" else rows.copy()
    changed[:, column] = values
    return changed


def _few(value: float) -> float:
    """A place on an axis; more digits than can be seen would only make a larger file."""
    return float(f"{value:.5g}")
