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
from sklearn.utils.validation import check_X_y, validate_data

from venire.errors import DataError, UsageError

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


def read_fit(
    estimator: Any, X: Any, y: Any, categorical_features: CategoricalFeatures, *, numeric_target: bool
) -> tuple[NDArray[Any], NDArray[Any], Layout]:
    """The matrix, the checked target and the layout; records the names and the number of features on the estimator."""
    frame = _mixed_frame(X)
    checks: dict[str, Any] = {"ensure_all_finite": "allow-nan", "y_numeric": numeric_target}
    categories: dict[int, tuple[Any, ...]] = {}
    if frame is None:
        matrix, y = validate_data(estimator, X, y, **checks)
        matrix = _supported(matrix)
    else:
        validate_data(estimator, X, skip_check_array=True)
        categories = {
            j: _categories_of(frame, j) for j, dtype in enumerate(frame.schema.values()) if _is_category(dtype)
        }
        matrix, y = check_X_y(_frame_matrix(frame, categories), y, **checks)
    mask = _mask(estimator, categorical_features, matrix.shape[1])
    mask[list(categories)] = True
    _check_codes(matrix, mask)
    return matrix, y, Layout(mask, categories)


def read_predict(estimator: Any, X: Any, layout: Layout) -> NDArray[Any]:
    """The matrix of new rows under the layout learned while fitting."""
    frame = _mixed_frame(X) if layout.categories else None
    if frame is None:
        return _supported(validate_data(estimator, X, reset=False, ensure_all_finite="allow-nan"))
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return _frame_matrix(frame, layout.categories)


def _supported(matrix: NDArray[Any]) -> NDArray[Any]:
    if matrix.dtype.type in KNOWN_SCALARS:
        return matrix
    return matrix.astype(np.float64)


def _mixed_frame(X: Any) -> nw.DataFrame[Any] | None:
    """The frame, if it is one that holds anything but numbers."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or not any(_is_category(dtype) for dtype in frame.schema.values()):
        return None
    return frame


def _is_category(dtype: Any) -> bool:
    return isinstance(dtype, nw.Categorical | nw.Enum | nw.String | nw.Object)


def _categories_of(frame: nw.DataFrame[Any], j: int) -> tuple[Any, ...]:
    values = frame[:, j].drop_nulls().unique().to_list()
    try:
        return tuple(sorted(values))
    except TypeError:
        kinds = sorted({type(value).__name__ for value in values})
        raise DataError(
            f"column {frame.columns[j]!r} mixes types that cannot be ordered: {', '.join(kinds)}",
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


def _mask(estimator: Any, wish: CategoricalFeatures, columns: int) -> NDArray[np.bool_]:
    mask = np.zeros(columns, dtype=bool)
    if wish is None or (isinstance(wish, str) and wish == "from_dtype"):
        return mask
    chosen = np.asarray(wish)
    if chosen.size == 0:
        return mask
    if chosen.dtype.kind in "UO" and all(isinstance(name, str) for name in chosen.ravel()):
        return _mask_of_names(estimator, [str(name) for name in chosen.ravel()], mask)
    if chosen.dtype.kind == "b":
        if chosen.shape != (columns,):
            raise UsageError(f"categorical_features is a mask of shape {chosen.shape}, the data has {columns} columns")
        return chosen.copy()
    if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= columns:
        raise UsageError(f"categorical_features must be a mask, names, or column numbers below {columns}; got {wish!r}")
    mask[chosen] = True
    return mask


def _mask_of_names(estimator: Any, names: list[str], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    known = list(getattr(estimator, "feature_names_in_", []))
    for name in names:
        if name not in known:
            there = ", ".join(map(str, known[:10])) or "none: the data came without names"
            raise UsageError(f"categorical_features names {name!r}, which is no column", hint=f"columns: {there}")
        mask[known.index(name)] = True
    return mask


def _check_codes(matrix: NDArray[Any], mask: NDArray[np.bool_]) -> None:
    for j in np.flatnonzero(mask):
        codes = matrix[:, j]
        seen = codes[~np.isnan(codes)] if codes.dtype.kind == "f" else codes
        if seen.size and (np.any(seen != np.floor(seen)) or seen.max() >= MOST_CODES):
            raise DataError(
                f"column {j} is categorical, so it must hold codes 0, 1, 2, … below {MOST_CODES}; found {seen.max()!r}",
                code="bad_codes",
                hint="encode the column as whole numbers, or leave it out of categorical_features",
            )
