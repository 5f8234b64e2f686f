"""From codes and gaps to numbers a learner can use. What is learned here is learned on the training part only.

A numeric column is filled (mean of the training part) and scaled to unit variance; where the training part has gaps a
column of zeros and ones says which values were filled. A categorical column becomes one column a category seen in
training; categories beyond the most frequent share one column, and so does what was never seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from venire.states.checked import FEATURES, CheckedState, Fitted
from venire.states.constraints import Sizes, array, flag, require, row, sequence, whole

Matrix = NDArray[np.float64]
_AT_ONCE = 1 << 15  # numbers of several columns looked at together: they stay in the cache
_FEWEST_ROWS = 64  # fewer of a matrix that is kept by columns are not worth a look at each column


_MOST_CODES = 1 << 21  # a table is made per column, as large as its highest code: of a stored one, 16 MB at most
_CODES = array("i8", None, low=0, below=_MOST_CODES)


class OneHotScaled(CheckedState, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Filled, scaled numbers and one column a category: what distances and linear models need.

    >>> X = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, 1.0]])
    >>> OneHotScaled(categorical=[False, True]).fit_transform(X)
    array([[-1.,  0.,  1.,  0.],
           [ 1.,  0.,  0.,  1.],
           [ 0.,  1.,  0.,  1.]])
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        "numeric_": array("i8", "numeric", low=0, below="features"),
        "origin_": array("f8", "numeric"),
        "offset_": array("f8", "numeric"),
        "mean_": array("f8", "numeric"),
        "spread_": array("f8", "numeric", low=np.finfo(np.float64).tiny),
        "gaps_": array("i8", None, low=0, below="numeric"),
        "levels_": sequence(row(whole(), _CODES, flag)),
    }

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        _require_columns([j for j, _, _ in state["levels_"]], sizes)

    def __init__(self, categorical: Any = None, max_categories: int = 50) -> None:
        self.categorical = categorical
        self.max_categories = max_categories

    def fit(self, X: Matrix, y: Any = None) -> Self:
        """Learn means, spreads and categories from the training part."""
        mask = _mask(self.categorical, X.shape[1])
        self.n_features_in_ = X.shape[1]
        self.numeric_ = np.flatnonzero(~mask)
        self.origin_, self.offset_, self.spread_, self.gaps_ = _moments(X, self.numeric_)
        self.mean_ = self.origin_ + self.offset_
        codes = np.flatnonzero(mask)
        self.levels_ = [(int(j), *levels(np.bincount(as_codes(X[:, j])), self.max_categories)) for j in codes]
        return self

    @property
    def origins_(self) -> NDArray[np.intp]:
        """For every column given, the column it comes from."""
        check_is_fitted(self, "levels_")
        of_categories = [np.full(len(kept) + shared, j) for j, kept, shared in self.levels_]
        return np.concatenate([self.numeric_, self.numeric_[self.gaps_], *of_categories]).astype(np.intp)

    def transform(self, X: Matrix) -> Matrix:
        """Encode rows with what was learned; a category never seen goes to the shared column, or nowhere."""
        check_is_fitted(self, "levels_")
        return self.encoded(X)

    def encoded(self, X: Matrix) -> Matrix:
        """`transform` without scikit-learn's work around it, which takes longer than a row: [row, column] by rows."""
        width = len(self.numeric_) + len(self.gaps_) + sum(len(kept) + shared for _, kept, shared in self.levels_)
        out = np.zeros((X.shape[0], width))
        for begin in range(0, len(X), self._rows_at_once):
            rows = slice(begin, begin + self._rows_at_once)
            self._scale(X[rows], out[rows])
        at = len(self.numeric_) + len(self.gaps_)
        for j, kept, shared in self.levels_:
            at = _spread_out(out, at, as_codes(X[:, j]), kept, shared)
        return out

    @property
    def _rows_at_once(self) -> int:
        return max(_FEWEST_ROWS, _AT_ONCE // max(1, len(self.numeric_)))

    def _scale(self, X: Matrix, out: Matrix) -> None:
        """Numbers and gaps of some rows into the first columns."""
        at = len(self.numeric_)
        numbers = X.take(self.numeric_, axis=1)  # row by row in memory, as what is given
        missing = np.isnan(numbers)
        numbers -= self.origin_
        numbers -= self.offset_
        numbers /= self.spread_
        numbers[missing] = 0.0
        out[:, :at] = numbers
        out[:, at : at + len(self.gaps_)] = missing[:, self.gaps_]


class FrequencyCodes(CheckedState, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Categories as ranks, the most frequent in training first; gaps stay gaps. What trees need.

    Categories beyond `max_categories` share the last rank, and so does what was never seen.

    >>> X = np.array([[7.0, 2.0], [8.0, 0.0], [9.0, 2.0], [np.nan, np.nan]])
    >>> FrequencyCodes(categorical=[False, True]).fit_transform(X)
    array([[ 7.,  0.],
           [ 8.,  1.],
           [ 9.,  0.],
           [nan, nan]])
    """

    _fitted_constraints: ClassVar[Fitted] = {**FEATURES, "order_": sequence(row(whole(), _CODES))}

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        _require_columns([j for j, _ in state["order_"]], sizes)

    def __init__(self, categorical: Any = None, max_categories: int = 250) -> None:
        self.categorical = categorical
        self.max_categories = max_categories

    def fit(self, X: Matrix, y: Any = None) -> Self:
        """Learn how frequent the categories of the training part are."""
        mask = _mask(self.categorical, X.shape[1])
        self.n_features_in_ = X.shape[1]
        self.order_ = [(int(j), _by_frequency(X[:, j])[: self.max_categories - 1]) for j in np.flatnonzero(mask)]
        return self

    def transform(self, X: Matrix) -> Matrix:
        """Replace codes by ranks."""
        check_is_fitted(self, "order_")
        out = np.array(X, dtype=np.float64, order="F")
        for j, order in self.order_:
            codes = as_codes(X[:, j])
            rank = np.full(max(int(codes.max(initial=0)), int(order.max(initial=0))) + 1, float(len(order)))
            rank[order] = np.arange(len(order))
            rank[0] = np.nan
            out[:, j] = rank[codes]
        return out


class AsTheyAre(CheckedState, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Nothing to learn, for learners that take codes and gaps as the table has them."""

    _fitted_constraints: ClassVar[Fitted] = FEATURES

    def fit(self, X: Matrix, y: Any = None) -> Self:
        """Learn nothing."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Matrix) -> Matrix:
        """Give the rows back."""
        return X


def _require_columns(named: list[int], sizes: Sizes) -> None:
    require(all(j < sizes["features"] for j in named), "an encoded column does not exist")


def _mask(categorical: Any, columns: int) -> NDArray[np.bool_]:
    if categorical is None:
        return np.zeros(columns, dtype=bool)
    mask = np.asarray(categorical, dtype=bool)
    if mask.shape != (columns,):
        raise ValueError(f"categorical has {mask.size} entries, but the matrix has {columns} columns")
    return mask


def _moments(X: Matrix, numeric: NDArray[np.intp]) -> tuple[Matrix, Matrix, Matrix, NDArray[np.intp]]:
    """Origin, mean from there and spread of the values that are there; the positions of the columns with gaps."""
    origin, mean, deviation = np.zeros((3, len(numeric)))
    gaps = np.zeros(len(numeric), dtype=bool)
    step = max(1, _AT_ONCE // max(1, len(X)))
    for first in range(0, len(numeric), step):
        part = slice(first, first + step)
        columns = np.ascontiguousarray(X[:, numeric[part]].T)
        gaps[part] = np.isnan(columns).any(axis=1)
        if len(X) and not gaps[part].any():
            origin[part] = columns[:, 0]
            columns -= origin[part, None]
            mean[part], deviation[part] = columns.mean(axis=1), columns.std(axis=1)
            continue
        for position, column in enumerate(columns, start=first):
            present = column[~np.isnan(column)]
            if len(present):
                # Measured from one of its own values, a column that lies far from 0 loses no digits.
                origin[position] = present[0]
                present = present - present[0]
                mean[position], deviation[position] = present.mean(), present.std()
    return origin, mean, spreads(origin + mean, deviation), np.flatnonzero(gaps)


def spreads(level: Matrix, deviation: Matrix) -> Matrix:
    """What columns are divided by: their deviation, unless that is nothing but the rounding of their level."""
    rounding = 1e-12 * np.maximum(np.abs(level), np.finfo(np.float64).tiny)
    return np.where(deviation > rounding, deviation, 1.0)


def as_codes(column: Matrix) -> NDArray[np.int64]:
    """Category codes shifted by one, so that a missing value is category 0."""
    return np.where(np.isnan(column), -1.0, column).astype(np.int64) + 1


def levels(counts: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], bool]:
    """The categories with a column of their own, by how often each is seen, and whether the rest share one."""
    seen = np.flatnonzero(counts)
    if len(seen) <= most:
        return seen, False
    return np.sort(_most_frequent(counts, seen)[: most - 1]), True


def _by_frequency(column: Matrix) -> NDArray[np.int64]:
    """The categories seen, the most frequent first, without the missing one."""
    counts = np.bincount(as_codes(column), minlength=1)
    return _most_frequent(counts, np.flatnonzero(counts[1:]) + 1)


def _most_frequent(counts: NDArray[np.int64], seen: NDArray[np.int64]) -> NDArray[np.int64]:
    # Among equals the lower code, so that the order never depends on the sort.
    return seen[np.lexsort((seen, -counts[seen]))]


def _spread_out(out: Matrix, at: int, codes: NDArray[np.int64], kept: NDArray[np.int64], shared: bool) -> int:
    """Write one column a kept category (and one for the rest) and return where the next column starts."""
    place = np.full(max(int(codes.max(initial=0)), int(kept.max(initial=0))) + 1, len(kept) if shared else -1)
    place[kept] = np.arange(len(kept))
    column = place[codes]
    rows = np.flatnonzero(column >= 0)
    out[rows, at + column[rows]] = 1.0
    return at + len(kept) + int(shared)
