"""The held-out rows that a model gets most wrong, for looking at."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.metrics.formulas import LOG_LOSS_FLOOR
from venire.metrics.predictions import Output
from venire.validation.held_out import HeldOut


def row_losses(held: HeldOut) -> NDArray[np.float64]:
    """How wrong each prediction is: −log of the probability of the truth; 1 for a wrong label; or |actual − predicted|.

    >>> held = HeldOut("m", Output.VALUES, np.arange(2), np.zeros(2), np.array([1.0, 4.0]), np.array([2.0, 4.0]),
    ...     np.zeros((2, 1)), (), np.zeros(2))
    >>> row_losses(held)
    array([1., 0.])
    """
    if held.output is Output.VALUES:
        return np.abs(held.actual.astype(np.float64) - held.predicted.astype(np.float64))
    if held.output is not Output.PROBABILITIES:
        return held.wrong.astype(np.float64)
    predicted = held.outputs[np.arange(len(held)), held.actual.astype(np.intp)].astype(np.float64)
    return np.asarray(-np.log(np.clip(predicted, LOG_LOSS_FLOOR, 1.0)))


def worst(held: HeldOut, number: int) -> dict[str, NDArray[Any]]:
    """The `number` rows with the highest loss as columns: row, fold, actual, predicted, loss; of equals the first."""
    if not isinstance(number, int | np.integer) or number < 1:
        raise UsageError(f"the number of rows must be 1 or more, not {number!r}", code="bad_rows")
    losses = row_losses(held)
    at = np.lexsort((held.rows, -losses))[:number]
    columns = held.columns()
    return {
        "row": columns["row"][at],
        "fold": columns["fold"][at] + 1,
        "actual": columns["actual"][at],
        "predicted": columns["predicted"][at],
        "loss": losses[at],
    }
