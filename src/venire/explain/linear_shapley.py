"""Exact Shapley values of models that are a weighted sum of columns: weight times distance from the mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_ROUNDING = 1e-6  # of the spread of what the model says


def line_of(model: Any, X: Floats) -> tuple[Floats, Floats] | None:
    """The weights [output, column] of a fitted linear model and what it says of these rows [row, output], else None.

    Whether it is linear is not believed but seen: what it says must be the weighted sum.
    """
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        return None
    ask = getattr(model, "decision_function", None) if hasattr(model, "classes_") else getattr(model, "predict", None)
    weights = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    if ask is None or weights.ndim != 2 or weights.shape[1] != X.shape[1] or not np.isfinite(X).all():
        return None
    predicted = np.asarray(ask(X), dtype=np.float64).reshape(len(X), -1)
    line = X @ weights.T + np.asarray(model.intercept_, dtype=np.float64)
    if predicted.shape != line.shape or not np.allclose(
        predicted, line, rtol=_ROUNDING, atol=_ROUNDING * (np.ptp(predicted) + 1e-300)
    ):
        return None
    return weights, predicted


def linear_values(weights: Floats, X: Floats, background: Floats, origins: NDArray[np.intp], columns: int) -> Floats:
    """What each column adds to each row: [row, column, output].

    Parameters
    ----------
    weights
        `[output, encoded column]`.
    X, background
        Encoded rows.
    origins
        The column that each encoded one comes from: their shares are added up.
    columns
        How many columns there are before encoding.
    """
    moved = (X - background.mean(axis=0))[:, :, None] * weights.T
    sums = np.zeros((columns, len(X), len(weights)))
    np.add.at(sums, origins, moved.swapaxes(0, 1))
    return sums.swapaxes(0, 1)
