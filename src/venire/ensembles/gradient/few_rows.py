"""A few rows of plain numbers, for which scikit-learn's checks would take longer than scoring them."""

from __future__ import annotations

from typing import Any

import numpy as np

_FEW_ROWS = 64
_PLAIN_SCALARS = (np.dtype(np.float64), np.dtype(np.float32))


def is_plain(X: Any, columns: int) -> bool:
    """A few rows of numbers, as an array with so many columns and nothing infinite."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in _PLAIN_SCALARS:
        return False
    return 0 < X.shape[0] <= _FEW_ROWS and X.shape[1] == columns and not np.isinf(X).any()
