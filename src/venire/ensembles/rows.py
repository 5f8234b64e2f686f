"""Taking rows and columns of whatever a user hands in: arrays, sparse matrices, and frames, which stay frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from venire.errors import DataError


def is_frame(X: Any) -> bool:
    """Whether this is a pandas, polars or Arrow table."""
    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def checked(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The rows as members may take them, with names and number of columns recorded (`reset`) or compared.

    A frame passes untouched, so that a member may choose columns by name. Everything else becomes an array whose
    values are the members' business: only they know whether gaps or words are allowed. Documents, a text or a
    dictionary each, pass too where the estimator leaves rows to its members; they have no columns to be recorded.
    """
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return X
    texts = documents(X) if getattr(estimator, "_takes_documents", False) else None
    if texts is not None and (reset or not hasattr(estimator, "n_features_in_")):
        for name in ("n_features_in_", "feature_names_in_"):
            estimator.__dict__.pop(name, None)  # of a table that it was fitted on before
        return texts
    accepted = ("csr", "csc") if estimator.__sklearn_tags__().input_tags.sparse else False
    return validate_data(estimator, X, reset=reset, accept_sparse=accepted, dtype=None, ensure_all_finite=False)


def documents(X: Any) -> NDArray[np.object_] | None:
    """Texts, bytes or dictionaries in a row, as an array of objects; None for anything else.

    >>> documents(["a b", "c"]), documents([[1.0], [2.0]])
    (array(['a b', 'c'], dtype=object), None)
    """
    if sparse.issparse(X) or not hasattr(X, "__len__") or len(X) == 0 or getattr(X, "ndim", 1) != 1:
        return None
    if not all(isinstance(one, str | bytes | Mapping) for one in X):
        return None
    found = np.empty(len(X), dtype=object)
    found[:] = list(X)
    return found


def row_count(X: Any) -> int:
    """How many rows there are."""
    return int(X.shape[0])


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """These rows, in this order.

    >>> take_rows(np.array([[1], [2], [3]]), np.array([2, 0])).ravel()
    array([3, 1])
    """
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[np.asarray(rows).tolist(), :].to_native()
    return X[rows]


def take_columns(X: Any, columns: NDArray[np.intp] | None) -> Any:
    """These columns, in this order; all of them, untouched, when there is no choice."""
    if columns is None:
        return X
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[:, np.asarray(columns).tolist()].to_native()
    return X[:, columns]


def beside(X: Any, features: NDArray[np.float64], names: list[str]) -> Any:
    """The rows with further columns to their right, in the form they came in."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame) and all(isinstance(name, str) for name in frame.columns):
        added = [
            nw.new_series(name, column, backend=frame.implementation)
            for name, column in zip(names, np.ascontiguousarray(features.T), strict=True)
        ]
        index = getattr(X, "index", None)  # pandas alone aligns by index, and a table of a subset has its own
        if index is not None:
            added = [nw.maybe_set_index(series, index=index) for series in added]
        return frame.with_columns(*added).to_native()
    side_by_side: list[Any] = [X, features]
    return sparse.hstack(side_by_side).tocsr() if sparse.issparse(X) else np.hstack(side_by_side)


def checked_weights(sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
    """The example weights as numbers, one a row and none negative; None stays None."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim > 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. Expected either a scalar value "
            f"or a 1D array of length {rows}.",
            code="sample_weight",
        )
    if weights.shape != (rows,):
        raise DataError(f"sample_weight.shape == {weights.shape}, expected ({rows},)!", code="sample_weight")
    if not np.isfinite(weights).all() or (weights < 0).any():
        wrong = int(np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))[0])
        kind = "Negative values" if weights[wrong] < 0 else "Values that are not finite"
        raise DataError(
            f"{kind} in data passed to `sample_weight`: row {wrong} has {weights[wrong]}",
            code="sample_weight",
        )
    if not weights.any():
        raise DataError("sample_weight is zero for every row", code="sample_weight")
    return weights
