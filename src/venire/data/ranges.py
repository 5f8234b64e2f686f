"""Numbers cut into ranges: equal width, equal frequency, or edges of one's own; and the midpoints a tree tries.

A range holds its upper edge and not its lower one, as a split `x <= edge` does. The first range has no lower end
and the last no upper one, so that no new value falls outside; what is missing stays missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from venire.errors import UsageError
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import FEATURES, CheckedState, Fitted
from venire.states.constraints import array, sequence

Floats = NDArray[np.float64]


def midpoints(values: ArrayLike) -> Floats:
    """The middles between neighbouring distinct values: every cut that parts them differently, once.

    >>> midpoints([15, 18, 21, 22, 24, 25, 29, 31])
    array([16.5, 19.5, 21.5, 23. , 24.5, 27. , 30. ])
    """
    present = _present(values)
    distinct = np.unique(present)
    return _between(distinct[:-1], distinct[1:])


def equal_width_edges(values: ArrayLike, ranges: int) -> Floats:
    """The inner edges of ranges of the same width from the least to the greatest value.

    >>> equal_width_edges([0, 1, 2, 10], 5)
    array([2., 4., 6., 8.])
    """
    present = _present(values)
    _check_ranges(ranges)
    if not present.size or present.min() == present.max():
        return np.empty(0)
    return np.asarray(np.linspace(present.min(), present.max(), ranges + 1)[1:-1])


def equal_frequency_edges(values: ArrayLike, ranges: int) -> Floats:
    """The inner edges of ranges that hold about as many values each; equal values are never parted.

    An edge lies midway between the values it parts. Where a value is frequent, there are fewer ranges.

    >>> equal_frequency_edges([1, 2, 3, 4, 5, 6], 3)
    array([2.5, 4.5])
    >>> equal_frequency_edges([1, 1, 1, 1, 1, 6], 3)
    array([3.5])
    """
    _check_ranges(ranges)
    ordered = np.sort(_present(values))
    if not ordered.size:
        return np.empty(0)
    wanted = np.rint(np.arange(1, ranges) * len(ordered) / ranges).astype(int)
    upper = ordered[wanted[(wanted > 0) & (wanted < len(ordered))]]
    # A cut falls before the first of equal values, or after the last one when nothing lies before.
    first = np.searchsorted(ordered, upper, side="left")
    first = np.where(first == 0, np.searchsorted(ordered, upper, side="right"), first)
    first = np.unique(first[first < len(ordered)])
    return _between(ordered[first - 1], ordered[first])


def cut(values: ArrayLike, edges: ArrayLike) -> Floats:
    """The number of the range each value falls into: 0 up to the first edge, and so on; NaN stays NaN.

    >>> cut([15, 16.5, 17, np.nan], [16.5, 19.5])
    array([ 0.,  0.,  1., nan])
    """
    given = np.asarray(values, dtype=np.float64)
    codes = np.searchsorted(_check_edges(edges), given, side="left").astype(np.float64)
    return np.where(np.isnan(given), np.nan, codes)


def range_labels(edges: ArrayLike) -> tuple[str, ...]:
    """The ranges as a person writes them.

    >>> range_labels([16.5, 19.5])
    ('<= 16.5', '(16.5, 19.5]', '> 19.5')
    """
    inner = [f"{edge:g}" for edge in _check_edges(edges)]
    if not inner:
        return ("all",)
    middle = (f"({low}, {high}]" for low, high in itertools.pairwise(inner))
    return (f"<= {inner[0]}", *middle, f"> {inner[-1]}")


class Ranges(CheckedState, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Cut every column into ranges learned from the training rows; the result holds codes 0, 1, 2, …, NaN if missing.

    how : `"width"`, `"frequency"`, or `"edges"`.
    ranges : how many, for the first two.
    edges : for the last, one list of inner edges a column, or one list for all.

    >>> Ranges(how="frequency", ranges=2).fit_transform([[1.0], [2.0], [8.0], [9.0]]).ravel()
    array([0., 0., 1., 1.])
    """

    _fitted_constraints: ClassVar[Fitted] = {**FEATURES, "edges_": sequence(array("f8", None), "features")}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "how": [StrOptions({"width", "frequency", "edges"})],
        "ranges": [Interval(Integral, 2, None, closed="left")],
        "edges": ["array-like", None],
    }

    def __init__(self, *, how: str = "width", ranges: int = 5, edges: Any = None) -> None:
        self.how = how
        self.ranges = ranges
        self.edges = edges

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the edges of every column."""
        self._validate_params()
        matrix = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        columns = range(matrix.shape[1])
        if self.how == "edges":
            self.edges_ = self._given_edges(len(columns))
        else:
            find = equal_width_edges if self.how == "width" else equal_frequency_edges
            self.edges_ = [find(matrix[:, j], self.ranges) for j in columns]
        return self

    def transform(self, X: Any) -> Floats:
        """Replace values by the number of their range."""
        check_is_fitted(self, "edges_")
        matrix = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return np.column_stack([cut(matrix[:, j], edges) for j, edges in enumerate(self.edges_)])

    def _given_edges(self, columns: int) -> list[Floats]:
        if self.edges is None or not len(self.edges):
            raise UsageError('how="edges" needs the edges', hint="give edges=[…], one list a column or one for all")
        if np.ndim(self.edges[0]) == 0:
            return [_check_edges(self.edges)] * columns
        if len(self.edges) != columns:
            raise UsageError(f"there are edges for {len(self.edges)} columns, and {columns} columns")
        return [_check_edges(each) for each in self.edges]


def _present(values: ArrayLike) -> Floats:
    given = np.asarray(values, dtype=np.float64).ravel()
    return np.asarray(given[~np.isnan(given)])


def _between(low: Floats, high: Floats) -> Floats:
    """The middle of each pair, or its lower value when rounding leaves no number between them: `low <= cut < high`."""
    middle = low + (high - low) / 2
    return np.asarray(np.where(middle < high, middle, low))


def _check_ranges(ranges: int) -> None:
    if ranges < 1:
        raise UsageError(f"values are cut into at least one range, and {ranges} were asked for")


def _check_edges(edges: ArrayLike | Sequence[float]) -> Floats:
    found = np.asarray(edges, dtype=np.float64)
    if found.ndim != 1 or np.isnan(found).any() or (np.diff(found) <= 0).any():
        raise UsageError(f"edges must be numbers that ascend, and are {np.asarray(edges).tolist()}")
    return found
