"""From whatever a user hands in to the matrix the tree core reads.

Arrays pass through untouched when the core knows their scalar type. Frames may hold columns of a categorical, string or
enumeration type: those become codes into the categories seen while fitting; a value that was not seen then is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, check_X_y, validate_data

from venire._core import code_scan
from venire.data.store.stored_matrix import StoredMatrix, is_stored
from venire.errors import DataError, UsageError
from venire.models.few_rows import fits_plainly
from venire.states.constraints import array, mapping, record, require, sequence, whole

KNOWN_SCALARS = (np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_)
MOST_CODES = 1 << 24  # a table of codes is kept per column; beyond this a "category" is surely something else

CategoricalFeatures = Sequence[int] | Sequence[str] | NDArray[Any] | str | None


@dataclass(frozen=True, slots=True)
class Layout:
    """What was learned about the columns while fitting."""

    categorical: NDArray[np.bool_]
    categories: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # only of columns that came as categories

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.categorical.size)


def _category(value: Any, sizes: dict[str, int]) -> None:
    require(isinstance(value, str | int | float | bool), "is no category")


LAYOUT = record(
    Layout,
    categorical=array("?", "features"),
    categories=mapping(whole(), sequence(_category, kind=tuple)),
)  # the check of a stored one


def read_fit(
    estimator: Any,
    X: Any,
    y: Any,
    categorical_features: CategoricalFeatures,
    *,
    numeric_target: bool,
    declared: bool = False,
    check_codes: bool = True,
    several: bool = False,
    sparse: bool = False,
) -> tuple[NDArray[Any], NDArray[Any], Layout]:
    """The matrix, the checked target and the layout; records the names and the number of features on the estimator.

    With `declared`, a column whose type lists its categories has all of them, also those that no row shows.
    Without `check_codes`, the caller looks at the codes itself. With `several`, the target may have columns; with
    `sparse`, the matrix may be sparse, and is then one of scipy's by column.
    """
    if is_stored(X):
        return _read_stored(estimator, X, y, categorical_features, numeric_target=numeric_target)
    frame = _mixed_frame(X)
    checks: dict[str, Any] = {
        "ensure_all_finite": "allow-nan",
        "y_numeric": numeric_target,
        "multi_output": several,
        "accept_sparse": "csc" if sparse else False,
    }
    categories: dict[int, tuple[Any, ...]] = {}
    if issparse(y):
        check_array(y, accept_sparse=False, input_name="y")  # which refuses it
    if frame is None:
        matrix, y = validate_data(estimator, X, y, **checks)
        matrix = _supported(matrix)
    else:
        validate_data(estimator, X, skip_check_array=True)
        categories = _categories(frame, declared=declared)
        matrix, y = check_X_y(_frame_matrix(frame, categories), y, **checks)
    mask = column_mask(estimator, categorical_features, matrix.shape[1])
    if issparse(matrix) and mask.any():
        raise UsageError(
            "categorical_features are codes, and a sparse matrix holds numbers",
            hint="leave them out, or make these columns dense",
        )
    if check_codes and mask.any():
        highest_codes(matrix, mask)  # those of a frame's own categories are right by construction
    mask[list(categories)] = True
    return matrix, y, Layout(mask, categories)


def _read_stored(
    estimator: Any, X: StoredMatrix, y: Any, categorical_features: CategoricalFeatures, *, numeric_target: bool
) -> tuple[Any, NDArray[Any], Layout]:
    """A matrix in files as it is: its values were checked when they were written."""
    checked = check_array(y, ensure_2d=False, dtype="numeric" if numeric_target else None, input_name="y")
    estimator.n_features_in_ = X.shape[1]
    return X, checked, Layout(column_mask(estimator, categorical_features, X.shape[1]))


def read_predict(estimator: Any, X: Any, layout: Layout, *, sparse: bool = False) -> NDArray[Any]:
    """The matrix of new rows under the layout learned while fitting; with `sparse` it may be one of scipy's."""
    if not layout.categories and fits_plainly(estimator, X):
        return np.asarray(X)
    frame = _mixed_frame(X) if layout.categories else None
    if frame is None:
        accepted = "csr" if sparse else False
        found = validate_data(estimator, X, reset=False, ensure_all_finite="allow-nan", accept_sparse=accepted)
        return _supported(found)
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return _frame_matrix(frame, layout.categories)


def widened(layout: Layout, X: Any) -> Layout:
    """The layout with the categories that more rows bring; each column's stay in order."""
    frame = _mixed_frame(X) if layout.categories else None
    if frame is None:
        return layout
    found = _categories(frame, declared=True)
    union = {j: tuple(sorted({*known, *found.get(j, ())})) for j, known in layout.categories.items()}
    return Layout(layout.categorical, union)


def coded_frame(X: Any) -> tuple[NDArray[np.float64], dict[int, tuple[Any, ...]]] | None:
    """The matrix of a frame that holds categories or texts, and these by column; None for numbers alone.

    >>> import pandas as pd
    >>> coded_frame(pd.DataFrame({"a": ["x", "y", None, "x"]}))[1]
    {0: ('x', 'y')}
    """
    frame = _mixed_frame(X)
    if frame is None:
        return None
    categories = _categories(frame, declared=False)
    return _frame_matrix(frame, categories), categories


def _supported(matrix: NDArray[Any]) -> NDArray[Any]:
    if matrix.dtype.type in KNOWN_SCALARS:
        return matrix
    return matrix.astype(np.float64)


def _mixed_frame(X: Any) -> nw.DataFrame[Any] | None:
    """The frame, if it is one that holds anything but numbers."""
    if isinstance(X, np.ndarray) or issparse(X):
        return None
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    _refuse_times(frame)
    return frame if any(_is_category(dtype) for dtype in frame.schema.values()) else None


def _refuse_times(frame: nw.DataFrame[Any]) -> None:
    """Dates would be read as days by one library, as microseconds by another, and refused by a third."""
    for name, dtype in frame.schema.items():
        if isinstance(dtype, nw.Date | nw.Datetime | nw.Duration | nw.Time):
            raise DataError(
                f"it holds times ({dtype}), and a learner takes numbers and categories",
                code="date_column",
                column=name,
                hint="turn it into numbers such as the day of the year, or let venire.compare read the table",
            )


def _is_category(dtype: Any) -> bool:
    return isinstance(dtype, nw.Categorical | nw.Enum | nw.String | nw.Object)


def _categories(frame: nw.DataFrame[Any], *, declared: bool) -> dict[int, tuple[Any, ...]]:
    chosen = [j for j, dtype in enumerate(frame.schema.values()) if _is_category(dtype)]
    return {j: _categories_of(frame, j, declared=declared) for j in chosen}


def _categories_of(frame: nw.DataFrame[Any], j: int, *, declared: bool) -> tuple[Any, ...]:
    column = frame[:, j]
    values = column.drop_nulls().unique().to_list()
    if declared and isinstance(column.dtype, nw.Categorical | nw.Enum):
        values = list({*values, *column.cat.get_categories().to_list()})
    try:
        return tuple(sorted(values))
    except TypeError:
        kinds = sorted({type(value).__name__ for value in values})
        raise DataError(
            f"it mixes types that cannot be ordered: {', '.join(kinds)}",
            code="mixed_types",
            column=frame.columns[j],
            hint="turn its values into strings first",
        ) from None


def _frame_matrix(frame: nw.DataFrame[Any], categories: dict[int, tuple[Any, ...]]) -> NDArray[np.float64]:
    matrix = np.empty(frame.shape, dtype=np.float64, order="F")
    for j, name in enumerate(frame.columns):
        column = frame[name]
        if j in categories:
            code_of = {category: float(code) for code, category in enumerate(categories[j])}
            matrix[:, j] = [code_of.get(value, np.nan) for value in column.to_list()]
        else:
            matrix[:, j] = column.cast(nw.Float64()).to_numpy()
    return matrix


def column_names(estimator: Any) -> list[str]:
    """The names of the columns it was fitted on, or x0, x1, … where nobody gave any."""
    numbered = [f"x{j}" for j in range(estimator.n_features_in_)]
    return [str(name) for name in getattr(estimator, "feature_names_in_", numbered)]


def column_mask(
    estimator: Any, wish: CategoricalFeatures, columns: int, parameter: str = "categorical_features"
) -> NDArray[np.bool_]:
    """Which columns a parameter chooses by mask, numbers or names."""
    mask = np.zeros(columns, dtype=bool)
    if wish is None or (isinstance(wish, str) and wish == "from_dtype"):
        return mask
    chosen = np.asarray(wish)
    if chosen.size == 0:
        return mask
    if chosen.dtype.kind in "UO" and all(isinstance(name, str) for name in chosen.ravel()):
        return _mask_of_names(estimator, [str(name) for name in chosen.ravel()], mask, parameter)
    if chosen.dtype.kind == "b":
        if chosen.shape != (columns,):
            raise UsageError(f"{parameter} is a mask of shape {chosen.shape}, the data has {columns} columns")
        return chosen.copy()
    if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= columns:
        raise UsageError(f"{parameter} must be a mask, names, or column numbers below {columns}; got {wish!r}")
    mask[chosen] = True
    return mask


def _mask_of_names(estimator: Any, names: list[str], mask: NDArray[np.bool_], parameter: str) -> NDArray[np.bool_]:
    known = list(getattr(estimator, "feature_names_in_", []))
    for name in names:
        if name not in known:
            there = ", ".join(map(str, known[:10])) or "none: the data came without names"
            raise UsageError(f"{parameter} names {name!r}, which is no column", hint=f"columns: {there}")
        mask[known.index(name)] = True
    return mask


def highest_codes(matrix: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The highest code of each chosen column, −1 where all are missing; an error for what is no code."""
    chosen = np.flatnonzero(mask).astype(np.uint32)
    highest, broken = code_scan(matrix, chosen, threads=1)
    beyond = np.flatnonzero(highest >= MOST_CODES)
    if broken < 0 and not beyond.size:
        return highest
    at = broken if broken >= 0 else int(beyond[0])
    column = matrix[:, chosen[at]]
    wrong = next(value for value in column.tolist() if value == value and (value % 1 or abs(value) >= MOST_CODES))
    raise DataError(
        f"column {chosen[at]} is categorical, so it must hold codes 0, 1, 2, … below {MOST_CODES}; found {wrong!r}",
        code="bad_codes",
        hint="encode the column as whole numbers, or leave it out of categorical_features",
    )
