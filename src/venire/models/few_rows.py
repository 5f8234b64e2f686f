"""A few rows of plain numbers, for which scikit-learn's checks would take longer than scoring them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

FEW_ROWS = 64
_PLAIN_SCALARS = (np.dtype(np.float64), np.dtype(np.float32))


def is_plain(X: Any, columns: int) -> bool:
    """A few rows of numbers, as an array with so many columns and nothing infinite."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in _PLAIN_SCALARS:
        return False
    return 0 < X.shape[0] <= FEW_ROWS and X.shape[1] == columns and not np.isinf(X).any()


def fits_plainly(estimator: Any, X: Any) -> bool:
    """Whether these rows would pass all checks of an estimator that knows no names of columns, and allows gaps."""
    known = estimator.__dict__
    return "n_features_in_" in known and "feature_names_in_" not in known and is_plain(X, known["n_features_in_"])


def require_fitted(estimator: Any, name: str) -> None:
    """scikit-learn's `check_is_fitted`, which takes longer than a row, where the attribute is not there."""
    if name not in estimator.__dict__:
        check_is_fitted(estimator, name)
