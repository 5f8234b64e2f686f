"""Partial dependence: what a model says on average when one or two columns are set to each of a few values.

Every row keeps its other columns, so the mean is over the rows' own surroundings, and each row has a curve of its
own (individual conditional expectation): where these cross, the column acts together with others. Values are
taken from the rows themselves, so a frame's categories stay what they are. Where two columns hang together the grid
holds pairs that no row has; `counts` says how many rows lie nearest to each value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.spaced_rows import spaced_rows
from venire.errors import DataError, UsageError
from venire.explain.exchange import (
    UNITS,
    as_rows,
    borrowed,
    column_names,
    column_number,
    column_values,
    gives,
    outputs_of,
    take,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class PartialDependence:
    """The curve (or surface) of one or two columns.

    The last axis of `mean` and `curves` is there when the model tells more than two classes apart; of two classes the
    figure is the second's.

    Attributes
    ----------
    names
        Of the columns.
    grid
        The values of each column.
    mean
        `[value(, value of the second)(, class)]`.
    curves
        The rows' own curves: `[row, …]`.
    counts
        The rows nearest to each value, per column.
    classes
        In the order of the last axis; None where there is none.
    unit
        What the figure is.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[0.0, 5.0], [1.0, 3.0], [2.0, 2.0]])
    >>> found = partial_dependence(LinearRegression().fit(X, [0.0, 2.0, 4.0]), X, 0)
    >>> found.mean.round(3), found.counts
    (array([0., 2., 4.]), (array([1, 1, 1]),))
    """

    names: tuple[str, ...]
    grid: tuple[NDArray[Any], ...]
    mean: Floats
    curves: Floats
    counts: tuple[NDArray[np.int64], ...]
    classes: tuple[Any, ...] | None
    unit: str

    @property
    def rows(self) -> int:
        """How many rows the mean is over."""
        return int(self.curves.shape[0])


def partial_dependence(
    model: Any, X: Any, columns: str | int | tuple[str | int, str | int], *, points: int = 30, rows: int = 500
) -> PartialDependence:
    """The mean prediction, and every row's own, as one column (or a pair of them) takes values from end to end.

    Parameters
    ----------
    model
        A fitted classifier or regressor.
    X
        The rows it is asked about.
    columns
        The name or the number of a column, or two of them.
    points
        Values of a numeric column, at equal shares of its rows; of a pair, `points` of each. A column with no more
        distinct values, or of words, gets all of them. Gaps are left out.
    rows
        At most so many rows are asked, at equal distances in the table.

    Returns
    -------
    PartialDependence
        The curve, or the surface of a pair.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[0.0, 5.0], [1.0, 3.0], [2.0, 1.0]])
    >>> found = partial_dependence(LinearRegression().fit(X, [0.0, 2.0, 4.0]), X, 0)
    >>> found.grid[0], found.curves.shape
    (array([0., 1., 2.]), (3, 3))
    """
    X = as_rows(X)
    if points < 2 or rows < 1:
        raise UsageError(f"points must be at least 2 and rows at least 1; got {points} and {rows}")
    names = column_names(model, X)
    numbers = [column_number(one, names) for one in (columns if isinstance(columns, tuple) else (columns,))]
    if len(set(numbers)) != len(numbers) or len(numbers) > 2:
        raise UsageError(f"partial dependence is of one column or of two different ones; got {columns!r}")
    places = [_places(column_values(X, j), names[j], points) for j in numbers]
    asked = take(X, spaced_rows(len(X), rows))
    predicted = [_ask(model, asked, X, numbers, pair) for pair in _pairs([source for source, _ in places])]
    curves = np.stack(predicted, axis=1)
    curves = curves.reshape(len(curves), *(len(source) for source, _ in places), *curves.shape[2:])
    classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
    return PartialDependence(
        tuple(names[j] for j in numbers),
        tuple(column_values(X, j)[source] for j, (source, _) in zip(numbers, places, strict=True)),
        np.asarray(curves.mean(axis=0)),
        curves,
        tuple(counts for _, counts in places),
        classes,
        UNITS[gives(model)],
    )


def _places(values: NDArray[Any], name: str, points: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Rows whose values make the grid, in order of the values, and how many rows are nearest to each."""
    known = np.flatnonzero(values == values) if values.dtype.kind == "f" else _not_missing(values)
    if known.size == 0:
        raise DataError(f"column {name!r} holds no value at all", code="empty_column", column=name)
    distinct, first, member = np.unique(values[known], return_index=True, return_inverse=True)
    counts = np.bincount(member, minlength=len(distinct))
    if len(distinct) <= points or values.dtype.kind not in "iufb":
        return known[first], counts
    shares = (np.cumsum(counts) - counts / 2) / counts.sum()
    kept = np.unique([int(np.abs(shares - wish).argmin()) for wish in np.linspace(0.0, 1.0, points)])
    nearest = np.abs(distinct[:, None].astype(float) - distinct[kept].astype(float)).argmin(axis=1)
    return known[first[kept]], np.bincount(nearest, weights=counts, minlength=len(kept)).astype(np.int64)


def _not_missing(values: NDArray[Any]) -> NDArray[np.intp]:
    if values.dtype.kind != "O":
        return np.arange(len(values))
    return np.array([i for i, value in enumerate(values) if value is not None and value == value], dtype=np.intp)


def _pairs(sources: list[NDArray[np.intp]]) -> list[tuple[int, ...]]:
    return [
        tuple(map(int, one))
        for one in np.stack(np.meshgrid(*sources, indexing="ij"), axis=-1).reshape(-1, len(sources))
    ]


def _ask(model: Any, asked: Any, source: Any, numbers: list[int], pair: tuple[int, ...]) -> Floats:
    for number, row in zip(numbers, pair, strict=True):
        asked = borrowed(asked, [number], source, np.full(len(asked), row, dtype=np.intp))
    predicted, _ = outputs_of(model, asked)
    if predicted.shape[1] <= 2:
        return predicted[:, -1]
    return predicted
