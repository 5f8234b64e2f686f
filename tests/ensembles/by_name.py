"""A step that finds its columns by name, so it needs a frame, whichever kind."""

from __future__ import annotations

from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin


class ByName(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Numbers from the column `a`, and whether the column `word` says u, v or w."""

    def fit(self, frame: Any, y: Any = None) -> Self:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, frame: Any) -> NDArray[Any]:
        columns = nw.from_native(frame, eager_only=True)
        words = np.array(columns["word"].to_list())
        return np.column_stack([columns["a"].to_numpy(), *(words == word for word in "uvw")])
